#include "train/output/next_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace lockstep {
namespace {

bool is_control(unsigned char c) { return std::iscntrl(c) != 0; }

// $'...', as in bash and zsh: characters that a log cannot show stay on one line, and are read back.
std::string escaped_word(const std::string& text) {
  std::string word = "$'";
  for (const char c : text) {
    if (is_control(static_cast<unsigned char>(c))) {
      word += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      word += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    }
  }
  return word + "'";
}

// One word for a shell, in quotes if it needs them.
std::string shell_word(const std::string& text) {
  if (std::ranges::any_of(text, is_control)) return escaped_word(text);
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./=+:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool in_path(const std::filesystem::path& folder, std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    if (path.substr(0, end) == folder.native()) return true;
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return false;
}

}  // namespace

std::vector<std::string> next_commands(const TrainSettings& settings, bool evaluates, const std::string& programs) {
  std::string evaluate = shell_word(programs + "train") + " --schedule=evaluate";
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) evaluate += " " + shell_word(fmt::format("--{}={}", flag, value));
  };
  add("output_dir", settings.output_dir);
  add("data_dir", settings.data_dir);
  add("usr_lib", settings.usr_lib);
  if (!evaluates) add("eval_split", "train");
  const std::string& folder = settings.output_dir;
  const std::string operand = folder.starts_with('-') ? "./" + folder : folder;  // else it looks like a flag
  return {shell_word(programs + "lockstep") + " report " + shell_word(operand), evaluate};
}

std::string programs_prefix(const Environment& environment) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const fs::path here = fs::current_path(unknown);
  if (unknown || !fs::exists(folder / "lockstep", unknown) || in_path(folder, environment("PATH").value_or(""))) {
    return "";
  }
  const fs::path relative = folder.lexically_relative(here);
  return (relative.empty() || *relative.begin() == ".." ? folder : relative) / "";
}

}  // namespace lockstep
