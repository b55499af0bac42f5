#include <fmt/format.h>

#include <algorithm>

#include "model/layer_memory.h"
#include "model/layers.h"

namespace lockstep {
namespace {

// (B, ..., C) as a matrix of rows of C.
Tensor as_rows(const Tensor& tensor, std::int64_t width) { return tensor.reshaped({tensor.count() / width, width}); }

class Parallel final : public Layer {
 public:
  Parallel(std::vector<LayerPointer> layers, Join join) : join_(join) {
    LS_CHECK(!layers.empty(), "parallel branches, but none of them");
    for (LayerPointer& layer : layers) branches_.push_back({.layer = std::move(layer)});
  }

  Shape declare(const Shape& input, Declaration& declaration) override {
    for (Branch& branch : branches_) branch.output = branch.layer->declare(input, declaration);
    const Shape& first = branches_.front().output;
    for (Branch& branch : branches_) {
      if (!fit(branch.output, first)) refuse(branch.output, first);
    }
    output_ = first;
    if (join_ == Join::concatenate) {
      for (Branch& branch : branches_) {
        branch.begin = width_;
        width_ += branch.width();
      }
      std::vector<std::int64_t> extents(first.extents().begin(), first.extents().end());
      extents.back() = width_;
      output_ = Shape(extents);
    }
    return output_;
  }

  // The join has memory of its own, as a branch may need its output again in backward().
  Tensor forward(const Tensor& input, Pass& pass) override {
    Tensor output;
    for (Branch& branch : branches_) {
      const bool first = &branch == &branches_.front();
      const Tensor part = branch.layer->forward(input, pass);
      if (first) output = output_memory_.get(pass.backend, part.dtype(), output_.with_front(input.shape()[0]));
      if (join_ == Join::concatenate) {
        pass.backend.copy_columns(as_rows(part, branch.width()), 0, as_rows(output, width_), branch.begin,
                                  branch.width());
      } else if (first) {
        pass.backend.copy(part, output);
      } else {
        pass.backend.add(part, output);
      }
    }
    return output;
  }

  Tensor backward(const Tensor& output_gradient, InputGradient input_gradient, Pass& pass) override {
    Tensor sum;
    for (auto branch = branches_.rbegin(); branch != branches_.rend(); ++branch) {
      const Tensor part =
          branch->layer->backward(gradient_of(*branch, output_gradient, pass.backend), input_gradient, pass);
      if (input_gradient == InputGradient::not_needed) continue;
      if (branch == branches_.rbegin()) {
        sum = part;
      } else {
        pass.backend.add(part, sum);
      }
    }
    return sum;
  }

  // The join, and for each branch its part of the gradient and its own bytes.
  std::int64_t bytes_per_sample(const LayerPlace& place) const override {
    std::int64_t bytes = sample_bytes(place.output);
    for (const Branch& branch : branches_) {
      LayerPlace own = place;
      own.output = branch.output;
      bytes += sample_bytes(branch.output) + branch.layer->bytes_per_sample(own);
    }
    return bytes;
  }

 private:
  struct Branch {
    LayerPointer layer;
    Shape output{};          // shape of one sample
    std::int64_t begin = 0;  // its first column in the joined last axis
    LayerMemory gradient_memory{};

    std::int64_t width() const { return output[output.rank() - 1]; }
  };

  // Returns whether two outputs can be joined: the same shape, except for the last axis if that is concatenated.
  bool fit(const Shape& a, const Shape& b) const {
    if (join_ == Join::add) return a == b;
    if (a.rank() != b.rank() || a.rank() == 0) return false;
    return std::equal(a.extents().begin(), a.extents().end() - 1, b.extents().begin());
  }

  [[noreturn]] void refuse(const Shape& output, const Shape& first) const {
    throw Error(ExitCode::configuration,
                fmt::format("parallel branches give {} and {}, which cannot be {}; give them one shape{}", first.text(),
                            output.text(), join_ == Join::add ? "added" : "concatenated on the last axis",
                            join_ == Join::add ? "" : " but for the last axis"),
                Scope::every_rank);
  }

  // A copy of a branch's part of the gradient, because the branch may overwrite it.
  Tensor gradient_of(Branch& branch, const Tensor& gradient, Backend& backend) const {
    if (!is_given(gradient)) return gradient;
    const Tensor own =
        branch.gradient_memory.get(backend, gradient.dtype(), branch.output.with_front(gradient.shape()[0]));
    if (join_ == Join::add) {
      backend.copy(gradient, own);
    } else {
      backend.copy_columns(as_rows(gradient, width_), branch.begin, as_rows(own, branch.width()), 0, branch.width());
    }
    return own;
  }

  std::vector<Branch> branches_;
  Join join_;
  Shape output_;            // shape of one sample
  std::int64_t width_ = 0;  // width of its last axis, if that is concatenated
  LayerMemory output_memory_;
};

}  // namespace

LayerPointer make_parallel(std::vector<LayerPointer> branches, Join join) {
  return std::make_unique<Parallel>(std::move(branches), join);
}

}  // namespace lockstep
