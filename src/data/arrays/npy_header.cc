#include "data/arrays/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"

namespace lockstep {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ExitCode::bad_data, fmt::format("'{}' {}", path, what));
}

[[noreturn]] void cut_off(const std::string& path, std::size_t needed, std::size_t found) {
  refuse(path, fmt::format("is cut off: its header takes {} bytes, it has {}; get or save it again", needed, found));
}

// An unsupported type: numpy's codes for it, its name, and what to save instead.
struct OtherKind {
  std::string_view codes;
  const char* name;
  const char* cure;
};

constexpr const char* kNumberLabels =
    "As class labels save numpy.unique(array, return_inverse=True)[1] of all splits together, as numbers "
    "array.astype('float32')";
constexpr OtherKind kOtherKinds[] = {
    {"O", "Python objects, which only running the code in the file could bring back", kNumberLabels},
    {"SaU", "text", kNumberLabels},
    {"b?", "booleans",
     "As class labels save array.astype('int32') of (N), array.argmax(1) of one-hot rows (N, K); as inputs "
     "array.astype('float32')"},
    {"V", "raw records", "Save each field as an array of its own"},
    {"c", "complex numbers", "Save array.real and array.imag, stacked as floats"},
    {"Mm", "dates or time spans", "Save array.astype('int64') less its smallest value, as floats"},
};

std::optional<ElementType> element_type(std::string_view kind_and_size) {
  constexpr std::string_view kCodes[] = {"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"};
  const auto* const found = std::ranges::find(kCodes, kind_and_size);
  if (found == std::end(kCodes)) return std::nullopt;
  return static_cast<ElementType>(found - std::begin(kCodes));
}
static_assert(static_cast<int>(ElementType::float64) == 10, "kCodes follows the order of ElementType");

// Parses the dictionary, literal by literal. Every error names the offset in the file.
class Dictionary {
 public:
  Dictionary(const std::string& path, std::string_view text, std::size_t offset)
      : path_(path), text_(text), offset_(offset) {}

  NpyHeader parse() {
    expect('{');
    while (!taken('}')) {
      entry(string());
      if (!taken(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ < text_.size()) bad("something else after the dictionary");
    if (!type_seen_ || !order_seen_ || !shape_seen_) {
      refuse(path_,
             fmt::format("has a header without '{}'; save it again with numpy.save", !type_seen_    ? "descr"
                                                                                     : !order_seen_ ? "fortran_order"
                                                                                                    : "shape"));
    }
    return header_;
  }

 private:
  void entry(std::string_view key) {
    bool& seen = key == "descr"           ? type_seen_
                 : key == "fortran_order" ? order_seen_
                 : key == "shape"         ? shape_seen_
                                          : unknown_seen_;
    if (&seen == &unknown_seen_) bad(fmt::format("the unknown key '{}'", escaped(key)));
    if (seen) bad(fmt::format("the key '{}' a second time", key));
    seen = true;
    expect(':');
    if (key == "descr") {
      type();
    } else if (key == "fortran_order") {
      header_.fortran_order = boolean();
    } else {
      shape();
    }
  }

  void type() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      refuse(path_, "holds records of several fields; save each field as an array of its own");
    }
    const std::string_view code = string();
    if (code.size() < 2) bad_type(code);
    for (const auto& [codes, kind, cure] : kOtherKinds) {
      if (codes.find(code[1]) == std::string_view::npos) continue;
      refuse(path_, fmt::format("holds {} ('{}'), and arrays of plain numbers are needed: integers or floats. {}", kind,
                                escaped(code), cure));
    }
    const auto type = element_type(code.substr(1));
    if (!type) bad_type(code);
    constexpr bool kLittle = std::endian::native == std::endian::little;
    const bool one_byte = size_of(*type) == 1;
    if (code[0] != '<' && code[0] != '>' && !(code[0] == '|' && one_byte)) bad_type(code);
    header_.type = *type;
    header_.other_byte_order = !one_byte && (code[0] == '<') != kLittle;
  }

  [[noreturn]] void bad_type(std::string_view code) const {
    refuse(path_, fmt::format("has elements of the type '{}', which is none of integers of 8 to 64 bits and floats of "
                              "16 to 64 bits; save array.astype('float32'), or of labels array.astype('int32')",
                              escaped(code)));
  }

  bool boolean() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    bad("neither True nor False");
  }

  void shape() {
    expect('(');
    while (!taken(')')) {
      if (header_.extents.size() == kMaxAxes) bad("more axes than numpy has");
      header_.extents.push_back(number());
      if (!taken(',')) {
        if (header_.extents.size() == 1) bad("no tuple: the comma is missing");  // Python's (3) is a number
        expect(')');
        break;
      }
    }
  }

  std::uint64_t number() {
    skip_blanks();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) bad("a number beyond 2^64");
      value = 10 * value + digit;
    }
    if (at_ == begin) bad("no number");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote 3L
    return value;
  }

  std::string_view string() {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) bad("no quoted word");
    const char quote = text_[at_++];
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\\' && text_[at_] != '\n') ++at_;
    if (at_ == text_.size() || text_[at_] != quote) bad("a word whose quotes are not closed");
    return text_.substr(begin, at_++ - begin);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool taken(char symbol) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }

  void expect(char symbol) {
    if (!taken(symbol)) bad(fmt::format("no '{}'", symbol));
  }

  [[noreturn]] void bad(const std::string& what) const {
    refuse(path_, fmt::format("has a damaged header: {} at byte {} of the file, where '{}' stands; save it again with "
                              "numpy.save",
                              what, offset_ + at_, escaped(text_.substr(std::min(at_, text_.size()), 12))));
  }

  static std::string escaped(std::string_view text) {
    std::string result(text.substr(0, 40));
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
  }

  static constexpr std::size_t kMaxAxes = 32;

  const std::string& path_;
  std::string_view text_;
  std::size_t offset_;  // of text_ in the file
  std::size_t at_ = 0;
  NpyHeader header_;
  bool type_seen_ = false;
  bool order_seen_ = false;
  bool shape_seen_ = false;
  bool unknown_seen_ = false;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& path, std::span<const std::byte> beginning) {
  const std::string_view bytes(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  if (!bytes.starts_with(kMagic.substr(0, std::min(bytes.size(), kMagic.size()))) || bytes.empty()) {
    refuse(path,
           "is no .npy file: it does not begin with \\x93NUMPY; save it with numpy.save (a .npz or text file "
           "under another name is none)");
  }
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(beginning[at]); };
  constexpr std::size_t kVersionEnd = 8;
  if (bytes.size() < kVersionEnd) cut_off(path, kVersionEnd, bytes.size());
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    refuse(path, fmt::format("is a .npy file of version {}.{}; 1.0, 2.0 and 3.0 can be read", major, byte(7)));
  }
  const std::size_t begin = kVersionEnd + (major == 1 ? 2 : 4);
  if (bytes.size() < begin) cut_off(path, begin, bytes.size());
  std::size_t length = 0;
  for (std::size_t at = begin; at-- > kVersionEnd;) length = length << 8 | byte(at);
  if (length > kMaxNpyHeaderBytes - begin) {
    refuse(path, fmt::format("has a header of {} bytes; plain arrays have less than {}. Save it again with numpy.save",
                             length, kMaxNpyHeaderBytes));
  }
  if (bytes.size() < begin + length) cut_off(path, begin + length, bytes.size());
  NpyHeader header = Dictionary(path, bytes.substr(begin, length), begin).parse();
  header.bytes = begin + length;
  return header;
}

}  // namespace lockstep
