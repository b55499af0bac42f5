#include "model/initializer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "base/random.h"

namespace lockstep {
namespace {

// Elements drawn at once: a variable may be a large part of the model, and its copies would stay in the heap. Random
// numbers come in blocks of 4.
constexpr std::int64_t kPiece = 1 << 20;
static_assert(kPiece % 4 == 0);

// Draws in single precision for any type, so that float64 checks start where training does.
std::vector<double> draw_uniform(FlatRange piece, double limit, const RandomStream& stream) {
  std::vector<double> drawn(static_cast<std::size_t>(piece.count()));
  PhiloxBlock words{};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i % 4 == 0) words = stream.block(static_cast<std::uint32_t>((static_cast<std::size_t>(piece.begin) + i) / 4));
    drawn[i] = (2 * static_cast<double>(uniform_float(words[i % 4])) - 1) * limit;
  }
  return drawn;
}

// Box and Muller 1958: two words make two numbers, and each number depends on its element alone.
std::vector<double> draw_normal(FlatRange piece, double stddev, const RandomStream& stream) {
  std::vector<double> drawn(static_cast<std::size_t>(piece.count()));
  PhiloxBlock words{};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (i % 4 == 0) words = stream.block(static_cast<std::uint32_t>((static_cast<std::size_t>(piece.begin) + i) / 4));
    const std::size_t pair = i % 4 / 2 * 2;
    const double radius = std::sqrt(-2 * std::log((static_cast<double>(words[pair]) + 0.5) * 0x1p-32));
    const double angle = 2 * std::numbers::pi * 0x1p-32 * static_cast<double>(words[pair + 1]);
    drawn[i] = stddev * radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
  }
  return drawn;
}

std::vector<double> first_values(const Initializer& initializer, FlatRange piece, const RandomStream& stream) {
  switch (initializer.kind) {
    case Initializer::Kind::zeros:
      break;
    case Initializer::Kind::ones:
      return std::vector<double>(static_cast<std::size_t>(piece.count()), 1.0);
    case Initializer::Kind::uniform:
      return draw_uniform(piece, initializer.limit, stream);
    case Initializer::Kind::normal:
      return draw_normal(piece, initializer.stddev, stream);
    case Initializer::Kind::given:
      return {initializer.values.begin() + piece.begin, initializer.values.begin() + piece.end};
  }
  return std::vector<double>(static_cast<std::size_t>(piece.count()));
}

template <class T>
void write(Backend& backend, std::span<const double> from, const Tensor& to) {
  std::vector<T> host(from.begin(), from.end());
  backend.copy(Tensor(host.data(), to.dtype(), to.shape()), to);
  backend.synchronize();  // before host is freed
}

}  // namespace

Initializer Initializer::glorot_uniform(std::int64_t inputs, std::int64_t outputs) {
  return {.kind = Kind::uniform, .limit = std::sqrt(6.0 / static_cast<double>(inputs + outputs))};
}

Initializer Initializer::he_uniform(std::int64_t inputs) {
  return {.kind = Kind::uniform, .limit = std::sqrt(6.0 / static_cast<double>(inputs))};
}

Initializer Initializer::unit_rows(std::int64_t width) {
  return {.kind = Kind::uniform, .limit = std::sqrt(3.0 / static_cast<double>(width))};
}

void initialize(Backend& backend, const ParameterStore& store, const std::vector<Initializer>& initializers,
                std::uint64_t seed) {
  for (std::size_t i = 0; i < initializers.size(); ++i) {
    const Tensor value = store.value(static_cast<int>(i));
    const RandomStream stream{.seed = seed, .purpose = Purpose::initial_value, .stream = static_cast<std::uint16_t>(i)};
    for (std::int64_t begin = 0; begin < value.count(); begin += kPiece) {
      const FlatRange piece{begin, std::min(begin + kPiece, value.count())};
      const std::vector<double> values = first_values(initializers[i], piece, stream);
      if (store.dtype() == DType::float64) {
        write<double>(backend, values, value.flat(piece));
      } else {
        write<float>(backend, values, value.flat(piece));
      }
    }
  }
}

}  // namespace lockstep
