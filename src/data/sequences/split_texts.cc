#include "data/sequences/split_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/resource_limits.h"
#include "base/utf8.h"
#include "data/unpacked_file.h"
#include "tensor/allocator.h"

namespace lockstep {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // U+FEFF, with which some editors begin a file

void append_file(const std::string& path, std::string& text, const std::function<void()>& while_reading) try {
  UnpackedFile file(path);
  std::vector<std::uint8_t> piece(kReadBytes);
  for (std::size_t count = piece.size(); count == piece.size();) {
    if (while_reading) while_reading();
    count = file.read(piece);
    text.append(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
  }
} catch (const std::bad_alloc&) {
  const std::size_t bytes = std::exchange(text, {}).size();  // freed, since the message may need the memory
  throw OutOfMemory(
      fmt::format("out of memory: '{}' is too large a text, {:.1f} MB are read so far and no more are left{}; give it "
                  "more memory, or less text",
                  path, static_cast<double>(bytes) * 1e-6, memory_limit_text()));
}

void check_utf8(const std::string& path, std::string_view text) {
  const std::optional<std::size_t> wrong = find_non_utf8(text);
  if (!wrong) return;
  const std::string_view before = text.substr(0, *wrong);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t byte = *wrong - (before.rfind('\n') + 1);  // npos + 1 is 0
  throw Error(ExitCode::bad_data,
              fmt::format("'{}', line {}: its byte {}, {}, is not UTF-8; convert the file (iconv -t UTF-8 does, and -f "
                          "says from what), or train on its bytes with --hparams=text_unit=byte",
                          path, line, byte + 1, in_quotes(text.substr(*wrong, 1))));
}

void check_has_symbol(const std::string& path, std::string_view text, const TokenizerKind& kind) {
  if (text.find_first_not_of(kind.blanks) != std::string_view::npos) return;
  throw Error(
      ExitCode::bad_data,
      fmt::format("'{}', line 1: {}; write the whole file again, or take it out of the folder", path,
                  text.empty() ? "the file is empty" : fmt::format("the file has blanks only, and no {}", kind.name)));
}

std::int64_t character_count(std::string_view text, const TokenizerKind& kind) {
  if (!kind.utf8) return std::ssize(text);
  return std::ranges::count_if(text, [](char c) { return !continues_character(c); });
}

}  // namespace

std::string read_text(const std::vector<std::string>& paths, const TokenizerKind& kind,
                      const std::function<void()>& while_reading) {
  std::string text;
  for (const std::string& path : paths) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    const std::size_t begin = text.size();
    append_file(path, text, while_reading);
    if (kind.utf8) {
      check_utf8(path, std::string_view(text).substr(begin));
      if (std::string_view(text).substr(begin).starts_with(kByteOrderMark)) text.erase(begin, kByteOrderMark.size());
    }
    check_has_symbol(path, std::string_view(text).substr(begin), kind);
  }
  return text;
}

std::size_t last_tenth(std::string_view text, const TokenizerKind& kind) {
  const std::int64_t characters = character_count(text, kind);
  std::string_view tenth = text;
  for (std::int64_t left = characters - characters / 10; left > 0; --left) {
    tenth.remove_prefix(kind.utf8 ? first_character(tenth).bytes : 1);
  }
  const std::size_t begin = text.size() - tenth.size();
  if (tenth.empty() || begin == 0) return begin;
  for (const char border : {'\n', ' '}) {
    const std::size_t after = text.find(border, begin - 1) + 1;  // npos + 1 is 0
    if (after != 0 && after < text.size()) return after;
  }
  return begin;
}

PerSplit<std::string> read_split_texts(const TextFiles& files, const TokenizerKind& kind, std::optional<Split> only,
                                       const std::function<void()>& while_reading) {
  PerSplit<std::string> texts;
  for (const Split split : kAllSplits) {
    const bool is_source = split == Split::train && only == Split::dev && files.dev_is_end_of_train;
    if (only.value_or(split) == split || is_source) texts[split] = read_text(files.paths[split], kind, while_reading);
  }
  if (!files.dev_is_end_of_train || only == Split::test) return texts;
  std::string& train = texts[Split::train];
  const std::size_t end = last_tenth(train, kind);
  if (only != Split::train) texts[Split::dev] = train.substr(end);
  train.resize(only == Split::dev ? 0 : end);
  return texts;
}

}  // namespace lockstep
