#include "train/workload/layer_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/counted.h"

namespace lockstep {
namespace {

constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostShapes = 3;  // shown in a line

struct LayerLine {
  std::string name;
  std::vector<std::string> shapes;  // variables of one of the equal layers
  std::int64_t parameters = 0;      // sum over the equal layers
  int layers = 1;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Turns "decoder/layer_11/ffn" into "decoder/layer_*/ffn".
std::string without_numbers(std::string_view name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i])) {
      result += name[i];
    } else if (i == 0 || !is_digit(name[i - 1])) {
      result += '*';
    }
  }
  return result;
}

// The first components of a variable's name, without its last one, which is the variable's own.
std::string_view layer_of(std::string_view variable, std::size_t components) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < components; ++i) {
    const std::size_t next = variable.find('/', end == 0 ? 0 : end + 1);
    if (next == std::string_view::npos) break;
    end = next;
  }
  return end == 0 ? variable : variable.substr(0, end);
}

// Groups variables into layers by the first components of their names.
std::vector<LayerLine> layers_by(const ParameterTable& table, std::size_t components) {
  std::vector<LayerLine> layers;
  for (const Variable& variable : table.variables()) {
    const std::string_view name = layer_of(variable.name, components);
    auto layer = std::ranges::find(layers, name, &LayerLine::name);
    if (layer == layers.end()) layer = layers.insert(layer, {.name = std::string(name), .shapes = {}});
    layer->shapes.push_back(variable.shape.text());
    layer->parameters += variable.range.count();
  }
  return layers;
}

// Merges equal layers into one line.
std::vector<LayerLine> folded(std::span<const LayerLine> layers) {
  std::vector<LayerLine> lines;
  for (const LayerLine& layer : layers) {
    const std::string name = without_numbers(layer.name);
    const auto equal = std::ranges::find_if(lines, [&](const LayerLine& line) {
      return without_numbers(line.name) == name && line.shapes == layer.shapes;
    });
    if (equal == lines.end()) {
      lines.push_back(layer);
      continue;
    }
    equal->name = name;
    equal->parameters += layer.parameters;
    ++equal->layers;
  }
  return lines;
}

// The shapes as text: "(512, 512) (512)".
std::string shapes_text(const LayerLine& line) {
  const std::size_t shown = std::min(line.shapes.size(), kMostShapes);
  const std::size_t more = line.shapes.size() - shown;
  return fmt::format("{}{}", fmt::join(std::span(line.shapes).first(shown), " "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

std::string name_text(const LayerLine& line) {
  return line.layers == 1 ? line.name : fmt::format("{} x {}", line.name, line.layers);
}

std::vector<std::string> in_columns(std::span<const LayerLine> lines) {
  std::size_t names = 0;
  std::size_t shapes = 0;
  for (const LayerLine& line : lines) {
    names = std::max(names, name_text(line).size());
    shapes = std::max(shapes, shapes_text(line).size());
  }
  std::vector<std::string> texts;
  for (const LayerLine& line : lines) {
    texts.push_back(
        fmt::format("{:<{}}  {:<{}}  {:>9}", name_text(line), names, shapes_text(line), shapes, line.parameters));
  }
  return texts;
}

}  // namespace

std::vector<std::string> layer_lines(const ParameterTable& table) {
  std::size_t components = 1;
  for (const Variable& variable : table.variables()) {
    components = std::max<std::size_t>(components, static_cast<std::size_t>(std::ranges::count(variable.name, '/')));
  }
  std::vector<LayerLine> lines = folded(layers_by(table, components));
  while (lines.size() > kMostLines && components > 1) lines = folded(layers_by(table, --components));
  if (lines.size() <= kMostLines) return in_columns(lines);
  const auto left_out = std::span(lines).subspan(kMostLines - 1);
  std::int64_t parameters = 0;
  int layers = 0;
  for (const LayerLine& line : left_out) {
    parameters += line.parameters;
    layers += line.layers;
  }
  std::vector<std::string> texts = in_columns(std::span(lines).first(kMostLines - 1));
  texts.push_back(fmt::format("and {} with {}", counted(layers, "more layer"), counted(parameters, "parameter")));
  return texts;
}

}  // namespace lockstep
