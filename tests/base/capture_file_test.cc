#include "base/capture_file.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

namespace lockstep {

TEST_CASE("a file in memory: what is written to it by its name, from the beginning on") {
  const CaptureFile file("test");
  REQUIRE(!file.path().empty());
  CHECK(file.text().empty());
  std::ofstream writer(file.path());
  writer << "one\n" << std::flush;
  CHECK(file.text() == "one\n");
  writer << "two" << std::flush;
  CHECK(file.text() == "one\ntwo");
  writer << std::string(CaptureFile::kMostBytes, 'x') << std::flush;
  CHECK(file.text().size() == CaptureFile::kMostBytes);
}

TEST_CASE("a file in memory that is sealed refuses what is written to it") {
  CaptureFile file("test");
  std::ofstream writer(file.path());
  writer << "one" << std::flush;
  CHECK(writer.good());
  file.seal();
  writer << "two" << std::flush;
  CHECK(!writer.good());
  CHECK(file.text() == "one");
}

}  // namespace lockstep
