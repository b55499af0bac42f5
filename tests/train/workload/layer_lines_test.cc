#include "train/workload/layer_lines.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

void add_linear(ParameterTable& table, const std::string& name, std::int64_t inputs, std::int64_t outputs) {
  table.add(name + "/kernel", {inputs, outputs}, true);
  table.add(name + "/bias", {outputs}, false);
}

TEST_CASE("layer lines: a layer has its shapes and its parameters") {
  ParameterTable table;
  add_linear(table, "linear_0", 784, 5);
  add_linear(table, "linear_12", 5, 3);
  CHECK(layer_lines(table) == Lines{"linear_0   (784, 5) (5)       3925", "linear_12  (5, 3) (3)           18"});
  CHECK(layer_lines(ParameterTable()).empty());
}

TEST_CASE("layer lines: layers that are equal but for their numbers share a line") {
  ParameterTable table;
  table.add("embedding/table", {7, 2}, true);
  for (int i = 0; i < 12; ++i) {
    table.add(fmt::format("decoder/layer_{}/attention/q/kernel", i), {2, 2}, true);
    add_linear(table, fmt::format("decoder/layer_{}/ffn/output", i), 3, 2);
  }
  CHECK(layer_lines(table) == Lines{"embedding                         (7, 2)             14",
                                    "decoder/layer_*/attention/q x 12  (2, 2)             48",
                                    "decoder/layer_*/ffn/output x 12   (3, 2) (2)         96"});
}

TEST_CASE("layer lines: of a longer model a line stands for more layers") {
  ParameterTable table;
  for (const char* layer : {"a", "b", "c", "d", "e"}) {
    for (const char* part : {"q", "k", "v"}) add_linear(table, fmt::format("decoder/{}/{}", layer, part), 2, 1);
  }
  const Lines lines = layer_lines(table);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "decoder/a  (2, 1) (1) (2, 1) and 3 more          9");
}

TEST_CASE("layer lines: what a dozen lines do not hold is counted in the last one") {
  ParameterTable table;
  for (std::int64_t i = 1; i <= 12; ++i) table.add(fmt::format("norm_{}/scale", i), {i}, false);
  CHECK(layer_lines(table).size() == 12);
  CHECK(layer_lines(table).back() == "norm_12  (12)         12");
  table.add("norm_13/scale", {13}, false);
  CHECK(layer_lines(table).size() == 12);
  CHECK(layer_lines(table).back() == "and 2 more layers with 25 parameters");
}

}  // namespace
}  // namespace lockstep
