#include "floor.h"

#include <algorithm>
#include <chrono>
#include <dnnl.hpp>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lockstep::bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Operands = std::unordered_map<int, memory>;

constexpr int kCalls = 5;
constexpr auto kFloat = memory::data_type::f32;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

memory filled(const memory::desc& description) {
  memory operand(description, engine());
  std::fill_n(static_cast<float*>(operand.get_data_handle()), description.get_size() / sizeof(float), 0.5F);
  return operand;
}

// A call of a primitive on operands of its own; none if oneDNN has only its reference loops.
template <class Primitive, class Descriptor>
std::function<void()> call_of(const Descriptor& found, const std::vector<std::pair<int, memory::desc>>& descriptions) {
  if (std::string_view(found.impl_info_str()).starts_with("ref")) return {};
  Operands operands;
  for (const auto& [argument, description] : descriptions) operands.emplace(argument, filled(description));
  return [primitive = Primitive(found), operands = std::move(operands), stream = dnnl::stream(engine())]() mutable {
    primitive.execute(stream, operands);
    stream.wait();
  };
}

std::function<void()> sgemm_call(const Product& p) {
  std::vector<float> a(static_cast<std::size_t>(p.m * p.k), 0.5F);
  std::vector<float> b(static_cast<std::size_t>(p.k * p.n), 0.5F);
  std::vector<float> c(static_cast<std::size_t>(p.m * p.n));
  return [p, a = std::move(a), b = std::move(b), c = std::move(c)]() mutable {
    const bool a_turned = p.form == Product::Form::a_transposed;
    const bool b_turned = p.form == Product::Form::b_transposed;
    dnnl::sgemm(a_turned ? 'T' : 'N', b_turned ? 'T' : 'N', p.m, p.n, p.k, 1, a.data(), a_turned ? p.m : p.k, b.data(),
                b_turned ? p.k : p.n, 0, c.data(), p.n);
  };
}

std::function<void()> matmul_call(const Product& p, bool own_a, bool own_b) {
  const Tag a_tag = p.form == Product::Form::a_transposed ? Tag::ba : Tag::ab;
  const Tag b_tag = p.form == Product::Form::b_transposed ? Tag::ba : Tag::ab;
  const dnnl::matmul::primitive_desc found({{{p.m, p.k}, kFloat, own_a ? Tag::any : a_tag},
                                            {{p.k, p.n}, kFloat, own_b ? Tag::any : b_tag},
                                            {{p.m, p.n}, kFloat, Tag::ab}},
                                           engine());
  return call_of<dnnl::matmul>(
      found,
      {{DNNL_ARG_SRC, found.src_desc()}, {DNNL_ARG_WEIGHTS, found.weights_desc()}, {DNNL_ARG_DST, found.dst_desc()}});
}

std::function<void()> convolution_call(const PictureProduct& p, Tag pictures) {
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const std::int64_t out = p.side - p.kernel_side + 1;
  const memory::desc x({p.batch, p.channels, p.side, p.side}, kFloat, pictures);
  const memory::desc kernel({p.filters, p.channels, p.kernel_side, p.kernel_side}, kFloat, Tag::any);
  const memory::desc bias({p.filters}, kFloat, Tag::a);
  const memory::desc y({p.batch, p.filters, out, out}, kFloat, pictures);
  const memory::dims strides{1, 1};
  const memory::dims padding{0, 0};
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, x, kernel, bias, y, strides, padding, padding}, engine());
  if (p.direction == Direction::forward) {
    return call_of<dnnl::convolution_forward>(forward, {{DNNL_ARG_SRC, forward.src_desc()},
                                                        {DNNL_ARG_WEIGHTS, forward.weights_desc()},
                                                        {DNNL_ARG_BIAS, forward.bias_desc()},
                                                        {DNNL_ARG_DST, forward.dst_desc()}});
  }
  if (p.direction == Direction::backward_input) {
    const dnnl::convolution_backward_data::primitive_desc found({algorithm, x, kernel, y, strides, padding, padding},
                                                                engine(), forward);
    return call_of<dnnl::convolution_backward_data>(found, {{DNNL_ARG_DIFF_SRC, found.diff_src_desc()},
                                                            {DNNL_ARG_WEIGHTS, found.weights_desc()},
                                                            {DNNL_ARG_DIFF_DST, found.diff_dst_desc()}});
  }
  const dnnl::convolution_backward_weights::primitive_desc found(
      {algorithm, x, kernel, bias, y, strides, padding, padding}, engine(), forward);
  return call_of<dnnl::convolution_backward_weights>(found, {{DNNL_ARG_SRC, found.src_desc()},
                                                             {DNNL_ARG_DIFF_WEIGHTS, found.diff_weights_desc()},
                                                             {DNNL_ARG_DIFF_BIAS, found.diff_bias_desc()},
                                                             {DNNL_ARG_DIFF_DST, found.diff_dst_desc()}});
}

}  // namespace

struct FloorForms::Form {
  std::function<void()> call;
};

FloorForms::FloorForms(const Product& product) {
  forms_.push_back({sgemm_call(product)});
  for (bool own_a : {false, true}) {
    for (bool own_b : {false, true}) forms_.push_back({matmul_call(product, own_a, own_b)});
  }
}

FloorForms::FloorForms(const PictureProduct& product) {
  for (Tag pictures : {Tag::nhwc, Tag::any}) forms_.push_back({convolution_call(product, pictures)});
}

FloorForms::~FloorForms() = default;
FloorForms::FloorForms(FloorForms&&) noexcept = default;
FloorForms& FloorForms::operator=(FloorForms&&) noexcept = default;

void FloorForms::measure() {
  using Clock = std::chrono::steady_clock;
  for (const Form& form : forms_) {
    if (!form.call) continue;
    form.call();
    for (int i = 0; i < kCalls; ++i) {
      const auto begin = Clock::now();
      form.call();
      best_us_ = std::min(best_us_, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  }
}

}  // namespace lockstep::bench
