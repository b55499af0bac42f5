#include "tensor/cpu/convolution.h"

#include <algorithm>
#include <array>
#include <dnnl.hpp>
#include <list>
#include <string_view>

#include "tensor/cpu/onednn_call.h"

namespace lockstep::cpu {
namespace {

using dnnl::memory;

constexpr const char* kRefusal = "oneDNN refused to run a convolution";

enum class Direction { forward, backward_input, backward_kernel };

// Addresses of a call's operands; the direction determines which of them are results.
struct Operands {
  void* x = nullptr;
  void* kernel = nullptr;
  void* bias = nullptr;
  void* y = nullptr;
};

// The kernel's layout: oneDNN's choice, or ours (KH, KW, C, F), which it reads without a copy but slowly.
enum class KernelLayout { fastest, plain };

struct Descriptors {
  memory::desc x, kernel, bias, y;
  memory::dims strides, padding_before, padding_after;
};

// Rows or columns after the image that the last output reads; 0 if the last ones of the image go unread.
std::int64_t padding_after(std::int64_t input, std::int64_t output, std::int64_t window, std::int64_t stride,
                           std::int64_t before) {
  return std::max<std::int64_t>(0, (output - 1) * stride + window - before - input);
}

Descriptors describe(const ConvolutionShape& s, KernelLayout layout) {
  using Tag = memory::format_tag;
  const auto f32 = memory::data_type::f32;
  const WindowForm& w = s.window;
  return {.x = {{s.batch, s.channels, s.height, s.width}, f32, Tag::nhwc},
          .kernel = {{s.filters, s.channels, w.height, w.width},
                     f32,
                     layout == KernelLayout::fastest ? Tag::any : Tag::hwio},
          .bias = {{s.filters}, f32, Tag::a},
          .y = {{s.batch, s.filters, s.out_height, s.out_width}, f32, Tag::nhwc},
          .strides = {w.stride_y, w.stride_x},
          .padding_before = {w.top, w.left},
          .padding_after = {padding_after(s.height, s.out_height, w.height, w.stride_y, w.top),
                            padding_after(s.width, s.out_width, w.width, w.stride_x, w.left)}};
}

// Properties of a primitive that plans of all directions need.
struct Choice {
  dnnl::primitive primitive;
  memory::desc kernel;
  memory::desc scratchpad;
  bool slow;  // oneDNN has nothing but its reference loops for this shape
};

template <class Primitive, class PrimitiveDescriptor>
Choice choice_of(const PrimitiveDescriptor& found, const memory::desc& kernel) {
  return {.primitive = Primitive(found),
          .kernel = kernel,
          .scratchpad = found.scratchpad_desc(),
          .slow = std::string_view(found.impl_info_str()).starts_with("ref")};
}

Choice choose(const ConvolutionShape& shape, Direction direction, KernelLayout layout, const dnnl::engine& engine) {
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const Descriptors d = describe(shape, layout);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::convolution_forward::primitive_desc forward({dnnl::prop_kind::forward_training, algorithm, d.x, d.kernel,
                                                           d.bias, d.y, d.strides, d.padding_before, d.padding_after},
                                                          attributes, engine);
  if (direction == Direction::forward) {
    return choice_of<dnnl::convolution_forward>(forward, forward.weights_desc());
  }
  if (direction == Direction::backward_input) {
    const dnnl::convolution_backward_data::primitive_desc found(
        {algorithm, d.x, d.kernel, d.y, d.strides, d.padding_before, d.padding_after}, attributes, engine, forward);
    return choice_of<dnnl::convolution_backward_data>(found, found.weights_desc());
  }
  const dnnl::convolution_backward_weights::primitive_desc found(
      {algorithm, d.x, d.kernel, d.bias, d.y, d.strides, d.padding_before, d.padding_after}, attributes, engine,
      forward);
  return choice_of<dnnl::convolution_backward_weights>(found, found.diff_weights_desc());
}

// One direction of one shape, ready to run. Owns no memory that grows with the shape: `scratch` is the caller's.
class Plan {
 public:
  Plan(const ConvolutionShape& shape, Direction direction, const dnnl::engine& engine)
      : shape_(shape), direction_(direction) {
    Choice choice = choose(shape, direction, KernelLayout::fastest, engine);
    if (choice.slow) {
      Choice plain = choose(shape, direction, KernelLayout::plain, engine);
      if (!plain.slow) choice = std::move(plain);
    }
    primitive_ = choice.primitive;
    const Descriptors d = describe(shape, KernelLayout::plain);
    x_ = memory(d.x, engine, nullptr);
    plain_kernel_ = memory(d.kernel, engine, nullptr);
    kernel_ = memory(choice.kernel, engine, nullptr);
    bias_ = memory(d.bias, engine, nullptr);
    y_ = memory(d.y, engine, nullptr);
    scratchpad_ = memory(choice.scratchpad, engine, nullptr);
    if (choice.kernel != d.kernel) {
      kernel_copy_ = direction == Direction::backward_kernel ? dnnl::reorder(kernel_, plain_kernel_)
                                                             : dnnl::reorder(plain_kernel_, kernel_);
    }
  }

  bool is(const ConvolutionShape& shape, Direction direction) const {
    return direction_ == direction && shape_ == shape;
  }

  // Bytes for the copy of the kernel and then oneDNN's scratchpad, each from a cache line of its own.
  std::size_t scratch_bytes() const { return kernel_bytes() + scratchpad_.get_desc().get_size(); }

  void run(const Operands& operands, void* scratch, const dnnl::stream& stream) {
    x_.set_data_handle(operands.x, stream);
    y_.set_data_handle(operands.y, stream);
    bias_.set_data_handle(operands.bias, stream);
    plain_kernel_.set_data_handle(operands.kernel, stream);
    kernel_.set_data_handle(kernel_copy_ ? scratch : operands.kernel, stream);
    scratchpad_.set_data_handle(static_cast<char*>(scratch) + kernel_bytes(), stream);
    switch (direction_) {
      case Direction::forward:
        copy_kernel(plain_kernel_, kernel_, stream);
        execute<5>(primitive_, stream,
                   {{{DNNL_ARG_SRC, x_.get()},
                     {DNNL_ARG_WEIGHTS, kernel_.get()},
                     {DNNL_ARG_BIAS, bias_.get()},
                     {DNNL_ARG_DST, y_.get()},
                     {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}}},
                   kRefusal);
        return;
      case Direction::backward_input:
        copy_kernel(plain_kernel_, kernel_, stream);
        execute<4>(primitive_, stream,
                   {{{DNNL_ARG_DIFF_DST, y_.get()},
                     {DNNL_ARG_WEIGHTS, kernel_.get()},
                     {DNNL_ARG_DIFF_SRC, x_.get()},
                     {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}}},
                   kRefusal);
        return;
      case Direction::backward_kernel:
        execute<5>(primitive_, stream,
                   {{{DNNL_ARG_SRC, x_.get()},
                     {DNNL_ARG_DIFF_DST, y_.get()},
                     {DNNL_ARG_DIFF_WEIGHTS, kernel_.get()},
                     {DNNL_ARG_DIFF_BIAS, bias_.get()},
                     {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}}},
                   kRefusal);
        copy_kernel(kernel_, plain_kernel_, stream);
        return;
    }
  }

 private:
  std::size_t kernel_bytes() const { return kernel_copy_ ? (kernel_.get_desc().get_size() + 63) / 64 * 64 : 0; }

  void copy_kernel(const memory& from, const memory& to, const dnnl::stream& stream) const {
    if (kernel_copy_)
      execute<2>(kernel_copy_, stream, {{{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}}}, kRefusal);
  }

  ConvolutionShape shape_;
  Direction direction_;
  dnnl::primitive primitive_;
  dnnl::primitive kernel_copy_;  // none if oneDNN takes the kernel as it is
  memory x_, plain_kernel_, kernel_, bias_, y_, scratchpad_;
};

}  // namespace

struct Convolutions::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::list<Plan> plans;  // a few for each layer: full batches, the last one, evaluation
  HostAllocator allocator;
  Buffer scratch;

  Plan& plan(const ConvolutionShape& shape, Direction direction) {
    for (Plan& plan : plans) {
      if (plan.is(shape, direction)) return plan;
    }
    require_memory_for_primitive();
    Plan& made = plans.emplace_back(shape, direction, engine);
    if (made.scratch_bytes() > scratch.bytes()) scratch = allocator.allocate(made.scratch_bytes());
    return made;
  }

  void run(const ConvolutionShape& shape, Direction direction, const Operands& operands) {
    plan(shape, direction).run(operands, scratch.data(), stream);
  }
};

Convolutions::Convolutions() : state_(std::make_unique<State>()) {}
Convolutions::~Convolutions() = default;

// oneDNN's interface has no constant operands.
void Convolutions::forward(const ConvolutionShape& shape, const float* x, const float* kernel, const float* bias,
                           float* y) {
  state_->run(
      shape, Direction::forward,
      {.x = const_cast<float*>(x), .kernel = const_cast<float*>(kernel), .bias = const_cast<float*>(bias), .y = y});
}

void Convolutions::backward_input(const ConvolutionShape& shape, const float* dy, const float* kernel, float* dx) {
  state_->run(shape, Direction::backward_input,
              {.x = dx, .kernel = const_cast<float*>(kernel), .y = const_cast<float*>(dy)});
}

void Convolutions::backward_kernel(const ConvolutionShape& shape, const float* x, const float* dy, float* dkernel,
                                   float* dbias) {
  state_->run(shape, Direction::backward_kernel,
              {.x = const_cast<float*>(x), .kernel = dkernel, .bias = dbias, .y = const_cast<float*>(dy)});
}

}  // namespace lockstep::cpu
