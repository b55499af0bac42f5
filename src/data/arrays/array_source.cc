#include "data/arrays/array_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"

namespace lockstep {

Shape checked_extents(const std::string& name, std::span<const std::uint64_t> extents, ElementType type) {
  constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 40;  // limit of the sample in a RandomStream (base/random.h)
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::bad_data, fmt::format("{}: its shape is ({}), {}", name, fmt::join(extents, ", "), why));
  };
  if (extents.empty()) refuse("a single number; the first axis has to count the samples");
  if (extents.size() > static_cast<std::size_t>(Shape::kMaxRank)) {
    refuse(fmt::format("{} axes; at most {} are possible, the samples' included: reshape it", extents.size(),
                       Shape::kMaxRank));
  }
  if (extents[0] == 0) refuse("no samples; save it again, or move it away if there are none");
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t extent : extents) {
    if (extent == 0) refuse("samples without any value");
    if (bytes > kMaxBytes / extent) refuse("more than any file holds: the file is damaged, get it again");
    bytes *= extent;
  }
  if (extents[0] > kMaxRows) refuse(fmt::format("more than the {} samples that are possible", kMaxRows));
  return Shape(std::vector<std::int64_t>(extents.begin(), extents.end()));
}

}  // namespace lockstep
