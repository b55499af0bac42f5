#include "floor.h"

#include <algorithm>
#include <chrono>
#include <dnnl.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lockstep::bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

constexpr int kCalls = 5;
constexpr auto kFloat = memory::data_type::f32;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// Memory filled with 0.5, which in bfloat16 is the upper half of the same bits.
memory filled(const memory::desc& description) {
  memory operand(description, engine());
  if (description.data_type() == memory::data_type::bf16) {
    constexpr std::uint16_t kHalf = 0x3f00;
    std::fill_n(static_cast<std::uint16_t*>(operand.get_data_handle()), description.get_size() / sizeof(kHalf), kHalf);
  } else {
    std::fill_n(static_cast<float*>(operand.get_data_handle()), description.get_size() / sizeof(float), 0.5F);
  }
  return operand;
}

}  // namespace

// One way to compute a product, on operands of its own.
struct FloorForms::Form {
  virtual ~Form() = default;
  virtual void call() = 0;
};

namespace {

using FormPointer = std::unique_ptr<FloorForms::Form>;

class PrimitiveForm final : public FloorForms::Form {
 public:
  PrimitiveForm(dnnl::primitive primitive, const std::vector<std::pair<int, memory::desc>>& descriptions)
      : primitive_(std::move(primitive)) {
    for (const auto& [argument, description] : descriptions) operands_.emplace(argument, filled(description));
  }

  void call() override {
    primitive_.execute(stream_, operands_);
    stream_.wait();
  }

 private:
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> operands_;
  dnnl::stream stream_{engine()};
};

class SgemmForm final : public FloorForms::Form {
 public:
  explicit SgemmForm(const Product& product)
      : product_(product),
        a_(static_cast<std::size_t>(product.m * product.k), 0.5F),
        b_(static_cast<std::size_t>(product.k * product.n), 0.5F),
        c_(static_cast<std::size_t>(product.m * product.n)) {}

  void call() override {
    const Product& p = product_;
    const bool a_turned = p.form == Product::Form::a_transposed;
    const bool b_turned = p.form == Product::Form::b_transposed;
    dnnl::sgemm(a_turned ? 'T' : 'N', b_turned ? 'T' : 'N', p.m, p.n, p.k, 1, a_.data(), a_turned ? p.m : p.k,
                b_.data(), b_turned ? p.k : p.n, 0, c_.data(), p.n);
  }

 private:
  Product product_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
};

// Returns null if oneDNN has only its reference loops.
template <class Primitive, class Descriptor>
FormPointer form_of(const Descriptor& found, const std::vector<std::pair<int, memory::desc>>& descriptions) {
  if (std::string_view(found.impl_info_str()).starts_with("ref")) return nullptr;
  return std::make_unique<PrimitiveForm>(Primitive(found), descriptions);
}

FormPointer matmul_form(const Product& p, bool own_a, bool own_b) {
  const Tag a_tag = p.form == Product::Form::a_transposed ? Tag::ba : Tag::ab;
  const Tag b_tag = p.form == Product::Form::b_transposed ? Tag::ba : Tag::ab;
  const auto type = p.dtype == DType::bfloat16 ? memory::data_type::bf16 : kFloat;
  const dnnl::matmul::primitive_desc found({{{p.m, p.k}, type, own_a ? Tag::any : a_tag},
                                            {{p.k, p.n}, type, own_b ? Tag::any : b_tag},
                                            {{p.m, p.n}, kFloat, Tag::ab}},
                                           engine());
  return form_of<dnnl::matmul>(
      found,
      {{DNNL_ARG_SRC, found.src_desc()}, {DNNL_ARG_WEIGHTS, found.weights_desc()}, {DNNL_ARG_DST, found.dst_desc()}});
}

FormPointer convolution_form(const ImageProduct& p, Tag images) {
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const std::int64_t out = p.out_side();
  const memory::desc x({p.batch, p.channels, p.side, p.side}, kFloat, images);
  const memory::desc kernel({p.filters, p.channels, p.kernel_side, p.kernel_side}, kFloat, Tag::any);
  const memory::desc bias({p.filters}, kFloat, Tag::a);
  const memory::desc y({p.batch, p.filters, out, out}, kFloat, images);
  const memory::dims strides{p.stride, p.stride};
  const memory::dims before{p.before, p.before};
  const memory::dims after{p.after, p.after};
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, x, kernel, bias, y, strides, before, after}, engine());
  if (p.direction == Direction::forward) {
    return form_of<dnnl::convolution_forward>(forward, {{DNNL_ARG_SRC, forward.src_desc()},
                                                        {DNNL_ARG_WEIGHTS, forward.weights_desc()},
                                                        {DNNL_ARG_BIAS, forward.bias_desc()},
                                                        {DNNL_ARG_DST, forward.dst_desc()}});
  }
  if (p.direction == Direction::backward_input) {
    const dnnl::convolution_backward_data::primitive_desc found({algorithm, x, kernel, y, strides, before, after},
                                                                engine(), forward);
    return form_of<dnnl::convolution_backward_data>(found, {{DNNL_ARG_DIFF_SRC, found.diff_src_desc()},
                                                            {DNNL_ARG_WEIGHTS, found.weights_desc()},
                                                            {DNNL_ARG_DIFF_DST, found.diff_dst_desc()}});
  }
  const dnnl::convolution_backward_weights::primitive_desc found(
      {algorithm, x, kernel, bias, y, strides, before, after}, engine(), forward);
  return form_of<dnnl::convolution_backward_weights>(found, {{DNNL_ARG_SRC, found.src_desc()},
                                                             {DNNL_ARG_DIFF_WEIGHTS, found.diff_weights_desc()},
                                                             {DNNL_ARG_DIFF_BIAS, found.diff_bias_desc()},
                                                             {DNNL_ARG_DIFF_DST, found.diff_dst_desc()}});
}

}  // namespace

FloorForms::FloorForms(const Product& product, std::int64_t calls) : calls_(calls) {
  if (product.dtype == DType::float32) add(std::make_unique<SgemmForm>(product));
  for (bool own_a : {false, true}) {
    for (bool own_b : {false, true}) add(matmul_form(product, own_a, own_b));
  }
}

FloorForms::FloorForms(const ImageProduct& product, std::int64_t calls) : calls_(calls) {
  for (Tag images : {Tag::nhwc, Tag::any}) add(convolution_form(product, images));
}

FloorForms::~FloorForms() = default;
FloorForms::FloorForms(FloorForms&&) noexcept = default;
FloorForms& FloorForms::operator=(FloorForms&&) noexcept = default;

void FloorForms::add(std::unique_ptr<Form> form) {
  if (form) forms_.push_back(std::move(form));
}

void FloorForms::measure() {
  using Clock = std::chrono::steady_clock;
  for (const auto& form : forms_) {
    form->call();
    for (int i = 0; i < kCalls; ++i) {
      const auto begin = Clock::now();
      form->call();
      best_us_ = std::min(best_us_, std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  }
}

}  // namespace lockstep::bench
