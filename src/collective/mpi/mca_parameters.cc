#include "collective/mpi/mca_parameters.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/input_file.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMaxParameterFileBytes = 1 << 20;

// Folders of the site's files: relative to libmpi's folder for an installation in a prefix of its own; and those of
// Debian and Fedora, which keep /etc apart from the prefix.
constexpr const char* kSiteFolderOfPrefix = "/../etc";
constexpr const char* kSiteFoldersOfDistributions[] = {"/etc/openmpi", "/etc/openmpi-x86_64"};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  const std::size_t end = text.find_last_not_of(kBlanks) + 1;  // 0 if there is nothing else
  return text.substr(begin, std::max(begin, end) - begin);
}

std::vector<std::string> site_folders(const Environment& environment, const std::string& library_folder) {
  if (const auto folder = environment("OPAL_SYSCONFDIR")) return {*folder};
  if (const auto prefix = environment("OPAL_PREFIX")) return {*prefix + "/etc"};
  std::vector<std::string> folders;
  if (!library_folder.empty()) folders.push_back(library_folder + kSiteFolderOfPrefix);
  if (library_folder.starts_with("/usr/lib")) {
    folders.insert(folders.end(), std::begin(kSiteFoldersOfDistributions), std::end(kSiteFoldersOfDistributions));
  }
  return folders;
}

// Appends the files of a list, which are separated by ',' or ':'.
void append_listed(std::string_view list, std::vector<std::string>& files) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(",:"), list.size());
    if (end > 0) files.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

// The files that the user has chosen in place of the usual ones, by the current name or the one before.
std::optional<std::string> chosen_files(const Environment& environment) {
  auto list = environment("OMPI_MCA_mca_base_param_files");
  return list ? list : environment("OMPI_MCA_mca_param_files");
}

}  // namespace

McaParameters parse_mca_parameters(std::string_view text) {
  McaParameters parameters;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.starts_with('#') || line.starts_with("//")) continue;
    const std::string_view name = trimmed(line.substr(0, equals));
    if (!name.empty()) parameters.insert_or_assign(std::string(name), std::string(trimmed(line.substr(equals + 1))));
  }
  return parameters;
}

std::vector<std::string> mca_parameter_files(const Environment& environment, const std::string& library_folder) {
  std::vector<std::string> files;
  // These override even the environment.
  for (const std::string& folder : site_folders(environment, library_folder)) {
    files.push_back(folder + "/openmpi-mca-params-override.conf");
  }
  if (const auto list = chosen_files(environment)) {
    append_listed(*list, files);
    return files;
  }
  if (const auto home = environment("HOME")) files.push_back(*home + "/.openmpi/mca-params.conf");
  for (const std::string& folder : site_folders(environment, library_folder)) {
    files.push_back(folder + "/openmpi-mca-params.conf");
  }
  return files;
}

McaParameters read_mca_parameters(const std::vector<std::string>& files) {
  McaParameters parameters;
  for (const std::string& path : files) {
    try {
      std::optional<InputFile> file = InputFile::if_there(path, {.max_bytes = kMaxParameterFileBytes});
      if (file) parameters.merge(parse_mca_parameters(file->read_all()));  // keeps what was there before
    } catch (const Error&) {                                               // not for us, or no such file
    }
  }
  return parameters;
}

}  // namespace lockstep
