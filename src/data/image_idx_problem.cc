#include "data/image_idx_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "data/image_idx_files.h"
#include "data/model_fit.h"
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

// REQUIRES: images of one split at least.
void check_sizes(const Shape& train, const std::string& train_path, const Shape& test, const std::string& test_path) {
  if (train_path.empty() || test_path.empty() || train.without_front() == test.without_front()) return;
  throw Error(ExitCode::bad_data, fmt::format("'{}' has images of {} x {} pixels but '{}' of {} x {}: the two files do "
                                              "not belong together",
                                              train_path, train[1], train[2], test_path, test[1], test[2]));
}

ProblemShape shape_of(const IdxArray& images) {
  return {.input = {images.extents[1], images.extents[2], 1},
          .target = ProblemShape::Target::class_label,
          .outputs = kClasses};
}

// Checks the images, and the classes that occur, of a split that was requested.
void check_fits(const IdxArray& images, const std::string& images_path, const IdxArray& labels,
                const std::string& labels_path, const ProblemShape& model) {
  if (images_path.empty()) return;
  ProblemShape shape = shape_of(images);
  check_inputs_fit(fmt::format("'{}'", images_path), shape, model);
  if (labels_path.empty()) return;
  shape.outputs = *std::ranges::max_element(labels.values) + 1;
  check_targets_fit(fmt::format("'{}'", labels_path), shape, model);
}

}  // namespace

ImageIdxProblem::ImageIdxProblem(const Source& source, const ProblemOptions& options) {
  const ImageIdxFiles files = find_image_idx_files(options, source.problem, source.where_to_get);
  test_ = read_samples(files.test_images, files.test_labels);  // the small ones first: errors come sooner
  train_ = read_samples(files.train_images, files.train_labels);
  check_sizes(train_.images.extents, files.train_images, test_.images.extents, files.test_images);
  shape_ = shape_of(files.train_images.empty() ? test_.images : train_.images);
  if (!options.known) return;
  check_fits(train_.images, files.train_images, train_.labels, files.train_labels, *options.known);
  check_fits(test_.images, files.test_images, test_.labels, files.test_labels, *options.known);
  shape_ = *options.known;
}

ImageIdxProblem::Samples ImageIdxProblem::read_samples(const std::string& images_path, const std::string& labels_path) {
  Samples samples;
  if (!labels_path.empty()) {
    samples.labels = read_idx(labels_path, 1);
    check_labels(samples.labels, labels_path);
  }
  if (!images_path.empty()) samples.images = read_idx(images_path, 3);
  if (!labels_path.empty()) check_counts(samples.images, images_path, samples.labels, labels_path);
  return samples;
}

std::int64_t ImageIdxProblem::count(Split split) const {
  if (split == Split::dev) return 0;
  const Shape& images = of(split).images.extents;
  return images.rank() == 0 ? 0 : images[0];
}

void ImageIdxProblem::read(Split split, std::int64_t sample, const SampleSlot& slot) const {
  LS_CHECK(sample >= 0 && sample < count(split), "no such sample");
  const Samples& samples = of(split);
  const auto row = static_cast<std::size_t>(sample);
  const auto pixels = static_cast<std::size_t>(samples.images.extents.without_front().elements());
  const auto image = std::span(samples.images.values).subspan(row * pixels, pixels);
  std::ranges::transform(image, slot.input.begin(),
                         [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255.0F; });
  if (samples.labels.values.empty()) {
    leave_target_empty(slot);
  } else {
    *slot.label = samples.labels.values[row];
  }
}

std::unique_ptr<Problem> make_image_fashion_mnist(const ProblemOptions& options) {
  return std::make_unique<ImageIdxProblem>(
      ImageIdxProblem::Source{.problem = "image_fashion_mnist",
                              .where_to_get = "github.com/zalandoresearch/fashion-mnist (folder data/fashion)"},
      options);
}

std::unique_ptr<Problem> make_image_mnist(const ProblemOptions& options) {
  return std::make_unique<ImageIdxProblem>(
      ImageIdxProblem::Source{
          .problem = "image_mnist",
          .where_to_get = "a mirror of MNIST (torchvision.datasets.MNIST downloads them into MNIST/raw)"},
      options);
}

}  // namespace lockstep
