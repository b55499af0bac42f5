#include "data/sequences/text_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "data/file_type.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlainEnding = ".txt";
constexpr std::string_view kPackedEnding = ".txt.gz";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// REQUIRES: the name has one of the endings.
std::optional<Split> split_named_by(const std::string& file_name) {
  for (const Split split : kAllSplits) {
    const std::string_view begin = name(split);
    if (file_name.starts_with(begin) && !is_letter(file_name[begin.size()])) return split;
  }
  return std::nullopt;
}

// Sorted names of the text files. A packed file with a plain version is left out.
std::set<std::string> text_file_names(const std::string& folder) {
  std::set<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().string();
    const bool is_text = name.ends_with(kPlainEnding) || name.ends_with(kPackedEnding);
    if (is_text && name.front() != '.' && type_of(at->path()) != fs::file_type::directory) names.insert(name);
  }
  if (failure) {
    throw Error(ExitCode::missing_input, fmt::format("--data_dir={}: cannot list it: {}", folder, failure.message()));
  }
  std::erase_if(names, [&names](const std::string& name) {
    const std::size_t plain_size = name.size() - (kPackedEnding.size() - kPlainEnding.size());
    return name.ends_with(kPackedEnding) && names.contains(name.substr(0, plain_size));
  });
  return names;
}

void check_folder_of_texts(const std::string& folder, const std::string& problem) {
  if (folder.empty()) {
    throw Error(ExitCode::usage,
                fmt::format("{} needs --data_dir=FOLDER, the folder with its text: train*.txt, dev*.txt and test*.txt, "
                            "or .txt files of other names, whose last tenth is the dev split (plain or .gz)",
                            problem),
                Scope::every_rank);
  }
  check_data_dir(folder);
}

bool has_split(const TextFiles& files, Split split) {
  return !files.paths[split].empty() || (split == Split::dev && files.dev_is_end_of_train);
}

[[noreturn]] void lacks_split(const TextFiles& files, Split needed, const ProblemOptions& options,
                              const std::string& problem) {
  std::vector<std::string> others;
  for (const Split split : kAllSplits) {
    const bool counts = split != Split::dev || !options.dev_is_held_out;
    if (counts && has_split(files, split)) others.emplace_back(name(split));
  }
  std::string found = "it has no .txt or .txt.gz file at all";
  if (!others.empty()) {
    found = options.only ? splits_there(others) : fmt::format("it has text of {}", fmt::join(others, " and "));
  }
  throw Error(ExitCode::missing_input,
              fmt::format("{}: --data_dir={} has no text of the {} split; put it there as {}*.txt or .txt.gz; {}",
                          problem, options.data_dir, name(needed), name(needed), found));
}

}  // namespace

TextFiles find_text_files(const ProblemOptions& options, const std::string& problem) {
  check_folder_of_texts(options.data_dir, problem);
  const std::set<std::string> names = text_file_names(options.data_dir);
  const bool are_named = std::ranges::any_of(names, [](const auto& name) { return split_named_by(name).has_value(); });
  TextFiles files;
  files.dev_is_end_of_train = !are_named && !names.empty();
  for (const std::string& name : names) {
    const std::optional<Split> split = are_named ? split_named_by(name) : Split::train;
    if (split) {
      files.paths[*split].push_back((fs::path(options.data_dir) / name).string());
    } else {
      files.left_out.push_back(name);
    }
  }
  // Training requires the training split; a known model requires none.
  const std::optional<Split> needed = options.only || options.known ? options.only : Split::train;
  if (needed && !has_split(files, *needed)) lacks_split(files, *needed, options, problem);
  return files;
}

}  // namespace lockstep
