#include "train/output/events/read_events.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "train/output/events/record_framing.h"

namespace lockstep {

Events events_in(const std::string& path) {
  std::stringstream stream;
  stream << std::ifstream(path).rdbuf();
  const std::string text = stream.str();
  Events events;
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t length = 0;
    REQUIRE(text.size() - at >= sizeof length);
    std::memcpy(&length, text.data() + at, sizeof length);
    REQUIRE(text.size() - at >= length + 16);
    const std::string record = text.substr(at + 12, length);
    CHECK(text.substr(at, length + 16) == framed(record));
    CHECK(events.emplace_back().ParseFromString(record));
    at += length + 16;
  }
  return events;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

}  // namespace lockstep
