#include "data/image_idx_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "data/image_idx_files.h"
#include "data/problems.h"

namespace lockstep {
namespace {

constexpr int kClasses = 10;

void check_counts(const IdxArray& images, const std::string& images_path, const IdxArray& labels,
                  const std::string& labels_path) {
  if (images.extents[0] == labels.extents[0]) return;
  throw Error(ExitCode::bad_data,
              fmt::format("'{}' has {} images but '{}' has {} labels: the two files do not belong together; get both "
                          "again",
                          images_path, images.extents[0], labels_path, labels.extents[0]));
}

void check_labels(const IdxArray& labels, const std::string& path) {
  const auto outside = std::ranges::find_if(labels.values, [](std::uint8_t label) { return label >= kClasses; });
  if (outside == labels.values.end()) return;
  throw Error(
      ExitCode::bad_data,
      fmt::format("'{}': sample {} (counted from 0) has label {}, outside the classes 0 to {}; is this the file of "
                  "another data set?",
                  path, outside - labels.values.begin(), *outside, kClasses - 1));
}

void check_sizes(const Shape& train, const std::string& train_path, const Shape& test, const std::string& test_path) {
  if (train.without_front() == test.without_front()) return;
  throw Error(ExitCode::bad_data, fmt::format("'{}' has images of {} x {} pixels but '{}' of {} x {}: the two files do "
                                              "not belong together",
                                              train_path, train[1], train[2], test_path, test[1], test[2]));
}

}  // namespace

ImageIdxProblem::ImageIdxProblem(const Source& source, const ProblemOptions& options) {
  const ImageIdxFiles files = find_image_idx_files(options.data_dir, source.problem, source.where_to_get);
  test_ = read_samples(files.test_images, files.test_labels);  // the small ones first: errors come sooner
  train_ = read_samples(files.train_images, files.train_labels);
  check_sizes(train_.images.extents, files.train_images, test_.images.extents, files.test_images);
}

ImageIdxProblem::Samples ImageIdxProblem::read_samples(const std::string& images_path, const std::string& labels_path) {
  Samples samples;
  samples.labels = read_idx(labels_path, 1);
  check_labels(samples.labels, labels_path);
  samples.images = read_idx(images_path, 3);
  check_counts(samples.images, images_path, samples.labels, labels_path);
  return samples;
}

ProblemShape ImageIdxProblem::shape() const {
  const Shape& extents = train_.images.extents;
  return {.input = {extents[1], extents[2], 1}, .target = ProblemShape::Target::class_label, .outputs = kClasses};
}

std::int64_t ImageIdxProblem::count(Split split) const { return split == Split::dev ? 0 : of(split).images.extents[0]; }

void ImageIdxProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  const Samples& samples = of(split);
  const auto row = static_cast<std::size_t>(sample);
  const auto pixels = static_cast<std::size_t>(samples.images.extents.without_front().elements());
  const auto image = std::span(samples.images.values).subspan(row * pixels, pixels);
  std::ranges::transform(image, slot.input.begin(),
                         [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255.0F; });
  *slot.label = samples.labels.values[row];
}

std::unique_ptr<Problem> make_image_fashion_mnist(const ProblemOptions& options) {
  return std::make_unique<ImageIdxProblem>(
      ImageIdxProblem::Source{.problem = "image_fashion_mnist",
                              .where_to_get = "github.com/zalandoresearch/fashion-mnist (folder data/fashion)"},
      options);
}

std::unique_ptr<Problem> make_image_mnist(const ProblemOptions& options) {
  return std::make_unique<ImageIdxProblem>(
      ImageIdxProblem::Source{.problem = "image_mnist",
                              .where_to_get = "yann.lecun.com/exdb/mnist or one of its mirrors"},
      options);
}

}  // namespace lockstep
