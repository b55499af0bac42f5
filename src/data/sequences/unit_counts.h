#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The units that occur in a text, and how often. A plain value.
class UnitCounts {
 public:
  // take: removes the first unit of a text, and returns it; "" if there is none left. each_megabyte: called for each
  // megabyte of the text.
  UnitCounts(std::string_view (*take)(std::string_view& text), std::string_view text,
             const std::function<void()>& each_megabyte = {});

  // All units, sorted by their bytes; in UTF-8 that is the order of code points.
  std::vector<std::string> in_order() const;
  // The most frequent `most` of them, the most frequent first, those of equal counts by their bytes.
  std::vector<std::string> most_frequent(std::size_t most) const;

 private:
  struct Count {
    std::string unit;
    std::int64_t times = 0;
  };
  std::vector<Count> counts_;  // sorted by their bytes
};

}  // namespace lockstep
