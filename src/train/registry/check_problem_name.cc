#include "train/registry/check_problem_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/nearest.h"
#include "base/printable.h"

namespace lockstep {
namespace {

// Problems of tensor2tensor with this name prefix, and what a message says of them.
struct ForeignProblems {
  std::string_view beginning;
  std::string_view what;
};

constexpr std::string_view kPairsOfTexts =
    "pairs of texts in subwords, which there are not yet; the nearest are algorithmic_*, which need no files, and "
    "sequences, pairs of your own that are numbers already";
constexpr std::string_view kTextInSubwords =
    "text in subwords or in words of a vocabulary of its own, which there are not yet; the nearest is "
    "languagemodel_text, the characters, words or bytes of text files in --data_dir";
constexpr std::string_view kPictures =
    "a set of pictures that is not read from its own files yet; the nearest are image_mnist, image_fashion_mnist and "
    "arrays, pictures of your own as arrays of numbers";

constexpr ForeignProblems kForeignProblems[] = {{"translate_", kPairsOfTexts},
                                                {"summarize_", kPairsOfTexts},
                                                {"lm1b", kTextInSubwords},
                                                {"languagemodel_lm1b", kTextInSubwords},
                                                {"languagemodel_ptb", kTextInSubwords},
                                                {"languagemodel_wiki", kTextInSubwords},
                                                {"cifar", kPictures},
                                                {"image_", kPictures}};

// True if the table can tell which problem is meant: the name is another program's for one of its problems, or a
// misspelling of one of its own names.
bool is_known(const std::string& name, std::string_view beginning, const Table<ProblemKind>& problems) {
  bool begins_so = false;
  for (const auto& [own, named] : problems.entries()) {
    if (std::ranges::find(named.elsewhere, name) != named.elsewhere.end()) return true;
    begins_so = begins_so || own.starts_with(beginning);
  }
  return begins_so && !nearest(name, problems.names()).empty();
}

}  // namespace

void check_problem_name(const std::string& name, const Table<ProblemKind>& problems) {
  const auto* const foreign = std::ranges::find_if(
      kForeignProblems, [&](const ForeignProblems& each) { return name.starts_with(each.beginning); });
  const bool is_foreign =
      foreign != std::end(kForeignProblems) && !problems.has(name) && !is_known(name, foreign->beginning, problems);
  if (!is_foreign) {
    problems.find(name);
    return;
  }
  throw Error(ExitCode::usage,
              fmt::format("no problem {}: in tensor2tensor that is {}; --registry_help lists the problems",
                          in_quotes(name), foreign->what),
              Scope::every_rank);
}

}  // namespace lockstep
