#include "data/image_shapes_problem.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "base/random.h"
#include "data/model_fit.h"
#include "data/problems.h"

namespace lockstep {
namespace {

using Kind = ImageShapesProblem::Kind;

constexpr int kSide = ImageShapesProblem::kSide;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;
constexpr int kUnit = 8;  // lengths are in eighths of a pixel

// Parameters of one image. Grey values are 0 .. 255.
struct Drawing {
  Kind kind;
  int centre_x;
  int centre_y;
  int reach;   // from the centre to the edge of the box around the shape
  int stroke;  // thickness of lines
  int paper;   // grey of the background
  int ink;     // added to it by the shape
  int noise;   // largest error of a pixel
};

// A number in [least, most], from one random word.
int between(int least, int most, std::uint32_t word) {
  const std::int64_t values = std::int64_t{most} - least + 1;
  return least + static_cast<int>(values * word >> 32);
}

Drawing plan_drawing(Kind kind, const RandomStream& random) {
  constexpr int kMiddle = kSide * kUnit / 2;
  constexpr int kShift = 5 * kUnit;
  const PhiloxBlock place = random.block(0);
  const PhiloxBlock grey = random.block(1);
  return {.kind = kind,
          .centre_x = kMiddle + between(-kShift, kShift, place[0]),
          .centre_y = kMiddle + between(-kShift, kShift, place[1]),
          .reach = between(6 * kUnit, 11 * kUnit, place[2]),
          .stroke = between(2 * kUnit, 3 * kUnit, place[3]),
          .paper = between(0, 80, grey[0]),
          .ink = between(60, 175, grey[1]),
          .noise = between(0, 110, grey[2])};
}

// True in the first, middle and last of five equal stripes across the box.
bool on_bar(int d, int reach) { return 5 * std::abs(d) < reach || 5 * std::abs(d) >= 3 * reach; }

// True in the first and third of four equal stripes across the box.
bool on_odd_stripe(int d, int reach) { return (d < 0) != (2 * std::abs(d) < reach); }

// Returns whether the shape covers the point at (dx, dy) from its centre, a point inside the box; y grows downwards.
bool covers(const Drawing& drawing, int dx, int dy) {
  const int reach = drawing.reach;
  const int inner = reach - drawing.stroke;
  const int from_centre = dx * dx + dy * dy;
  const int across = std::abs(dx);
  const int down = std::abs(dy);
  switch (drawing.kind) {
    case Kind::disc:
      return from_centre <= reach * reach;
    case Kind::ring:
      return from_centre <= reach * reach && from_centre > inner * inner;
    case Kind::square:
      return true;
    case Kind::frame:
      return std::max(across, down) > inner;
    case Kind::triangle:
      return 2 * across <= dy + reach;
    case Kind::plus:
      return 2 * std::min(across, down) <= drawing.stroke;
    case Kind::cross:
      return 2 * std::abs(across - down) <= 3 * drawing.stroke / 2;  // as thick as stroke, measured along a row
    case Kind::horizontal_bars:
      return on_bar(dy, reach);
    case Kind::vertical_bars:
      return on_bar(dx, reach);
    case Kind::checkerboard:
      return on_odd_stripe(dx, reach) != on_odd_stripe(dy, reach);
  }
  return false;
}

// Adds the shape's ink to the image, (row, column).
void draw(const Drawing& drawing, std::span<int> image) {
  const auto first = [&](int centre) { return std::max(0, (centre - drawing.reach) / kUnit); };
  const auto last = [&](int centre) { return std::min(kSide - 1, (centre + drawing.reach) / kUnit); };
  for (int row = first(drawing.centre_y); row <= last(drawing.centre_y); ++row) {
    for (int column = first(drawing.centre_x); column <= last(drawing.centre_x); ++column) {
      const int dx = column * kUnit + kUnit / 2 - drawing.centre_x;  // of the pixel's middle
      const int dy = row * kUnit + kUnit / 2 - drawing.centre_y;
      if (std::max(std::abs(dx), std::abs(dy)) <= drawing.reach && covers(drawing, dx, dy)) {
        image[static_cast<std::size_t>(row) * kSide + static_cast<std::size_t>(column)] += drawing.ink;
      }
    }
  }
}

// Adds uniform noise to every pixel, a random byte each.
void add_noise(int most, const RandomStream& random, std::span<int> image) {
  constexpr std::uint32_t kFirstBlock = 2;  // the drawing took those before
  for (std::size_t at = 0; at < image.size(); at += 16) {
    const PhiloxBlock block = random.block(kFirstBlock + static_cast<std::uint32_t>(at / 16));
    for (std::size_t i = 0; i < 16; ++i) {
      const int byte = static_cast<int>(block[i / 4] >> (8 * (i % 4)) & 0xFF);
      image[at + i] += (2 * byte - 255) * most / 255;
    }
  }
}

}  // namespace

ProblemShape ImageShapesProblem::shape() const {
  return {.input = {kSide, kSide, 1}, .target = ProblemShape::Target::class_label, .outputs = kKinds};
}

std::int64_t ImageShapesProblem::count(Split split) const {
  switch (split) {
    case Split::train:
      return 20000;
    case Split::dev:
      return 2000;
    case Split::test:
      return 4000;
  }
  return 0;
}

void ImageShapesProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  const RandomStream random{.seed = seed_,
                            .purpose = Purpose::generated_data,
                            .stream = static_cast<std::uint16_t>(split),
                            .sample = static_cast<std::uint64_t>(sample)};
  const Drawing drawing = plan_drawing(static_cast<Kind>(sample % kKinds), random);
  std::array<int, kPixels> image;
  image.fill(drawing.paper);
  draw(drawing, image);
  add_noise(drawing.noise, random, image);
  for (std::size_t i = 0; i < image.size(); ++i) {
    slot.input[i] = static_cast<float>(std::clamp(image[i], 0, 255)) / 255.0F;
  }
  *slot.label = static_cast<std::int32_t>(drawing.kind);
}

std::unique_ptr<Problem> make_image_shapes(const ProblemOptions& options) {
  if (!options.data_dir.empty()) {
    throw Error(ExitCode::usage,
                "--data_dir means nothing for the problem image_shapes, whose images are generated; name the problem "
                "that your files are for, as --problem=image_fashion_mnist, or leave the flag out",
                Scope::every_rank);
  }
  auto problem = std::make_unique<ImageShapesProblem>(options.seed);
  if (options.known) {
    check_inputs_fit("image_shapes", problem->shape(), *options.known);
    check_targets_fit("image_shapes", problem->shape(), *options.known);
  }
  return problem;
}

}  // namespace lockstep
