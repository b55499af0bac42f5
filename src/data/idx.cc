#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/error.h"
#include "data/unpacked_file.h"

namespace lockstep {
namespace {

constexpr std::uint32_t kUnsignedByte = 8;

[[noreturn]] void bad_file(const UnpackedFile& file, const std::string& what) {
  throw Error(ExitCode::bad_data, fmt::format("'{}' {}", file.path(), what));
}

[[noreturn]] void too_short(const UnpackedFile& file, const std::string& announced, const std::string& found) {
  bad_file(file, fmt::format("is cut off or its header damaged: {}, {} {}; get it again", announced,
                             file.packed() ? "it unpacks to" : "it has", found));
}

std::int64_t header_bytes(int dimensions) { return 4 * (1 + std::int64_t{dimensions}); }

// The header's 32-bit numbers: magic, then the extents.
std::vector<std::uint32_t> read_header(UnpackedFile& file, int dimensions) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(header_bytes(dimensions)));
  const std::size_t found = file.read(bytes);
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at + 4 <= found; at += 4) {
    numbers.push_back(std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
                      std::uint32_t{bytes[at + 2]} << 8 | std::uint32_t{bytes[at + 3]});
  }
  const std::uint32_t magic = kUnsignedByte << 8 | static_cast<std::uint32_t>(dimensions);
  if (!numbers.empty() && numbers[0] != magic) {
    bad_file(file,
             fmt::format("begins with 0x{:08x}; an idx file of {} {} of bytes begins with 0x{:08x}. Is it another "
                         "file under this name?",
                         numbers[0], dimensions, dimensions == 1 ? "dimension" : "dimensions", magic));
  }
  if (found < bytes.size()) {
    too_short(file, fmt::format("an idx header takes {} bytes", bytes.size()), fmt::format("{}", found));
  }
  return numbers;
}

// The extents, if the file can hold as many values.
Shape read_extents(UnpackedFile& file, int dimensions) {
  const std::vector<std::uint32_t> numbers = read_header(file, dimensions);
  const std::vector<std::int64_t> extents(numbers.begin() + 1, numbers.end());
  const std::int64_t most_values = file.most_bytes() - header_bytes(dimensions);
  std::int64_t values = 1;
  bool too_many = false;
  for (const std::int64_t extent : extents) {
    if (extent == 0) bad_file(file, fmt::format("is empty: its header says ({})", fmt::join(extents, ", ")));
    too_many = too_many || extent > std::numeric_limits<std::int64_t>::max() / values;
    if (!too_many) values *= extent;
  }
  if (too_many || values > most_values) {
    too_short(file,
              fmt::format("its header says ({}), {} bytes", fmt::join(extents, ", "),
                          too_many ? "more than 2^63" : fmt::format("{}", values + header_bytes(dimensions))),
              fmt::format("{}{}", file.packed() ? "at most " : "", file.most_bytes()));
  }
  return Shape(extents);
}

// The values, in memory that grows as they come: a small packed file may announce a thousand times its size.
std::vector<std::uint8_t> read_values(UnpackedFile& file, const Shape& extents) {
  constexpr std::size_t kFirstPiece = 1 << 20;
  const auto count = static_cast<std::size_t>(extents.elements());
  std::vector<std::uint8_t> values;
  std::size_t found = 0;
  while (found == values.size() && found < count) {
    values.resize(std::min(count, std::max(kFirstPiece, 2 * found)));
    found += file.read(std::span(values).subspan(found));
  }
  const std::int64_t header = header_bytes(extents.rank());
  if (found < count) {
    too_short(file, fmt::format("its header says {}, {} bytes", extents.text(), extents.elements() + header),
              fmt::format("{}", static_cast<std::int64_t>(found) + header));
  }
  // Asking for more also makes a packed file verify its checksum.
  std::array<std::uint8_t, 1> beyond{};
  if (file.read(beyond) != 0) {
    bad_file(
        file,
        fmt::format(
            "goes on after the {} bytes that its header {} announces: its header or its data are damaged; get it again",
            extents.elements() + header, extents.text()));
  }
  return values;
}

}  // namespace

IdxArray read_idx(const std::string& path, int dimensions) {
  UnpackedFile file(path);
  const Shape extents = read_extents(file, dimensions);
  return {extents, read_values(file, extents)};
}

}  // namespace lockstep
