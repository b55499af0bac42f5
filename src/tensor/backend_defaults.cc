#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "tensor/backend.h"

// Defaults for operations that a backend does not have: an error, or the same result by other operations.
namespace lockstep {

void Backend::lacks(const char* operation) const {
  throw Error(ExitCode::configuration,
              fmt::format("the {} backend of this version has no operation '{}': run with --device=cpu",
                          device().kind == Device::Kind::cpu ? "cpu" : "cuda", operation),
              Scope::every_rank);
}

void Backend::wait_on_host(Event) { synchronize(); }

std::unique_ptr<CopyStream> Backend::make_copy_stream() { lacks("make_copy_stream"); }

void Backend::after_graph(std::function<void()> call) {
  const std::function<void()> now = std::move(call);
  now();
}

void Backend::convert(const Tensor&, const Tensor&) { lacks("convert"); }

std::string Backend::bfloat16_products() const {
  return fmt::format("the {} backend of this version has no products of bfloat16",
                     device().kind == Device::Kind::cpu ? "cpu" : "cuda");
}

void Backend::set_float32_products(Float32Products products) {
  if (products != Float32Products::exact) lacks("products by TF32");
}

std::string Backend::tf32_products() const {
  return fmt::format("{} has no products by TF32; they take an Ampere GPU or a newer one", device().text());
}

void Backend::product(const Tensor&, Transpose, const Tensor&, Transpose, const Tensor&, Write, const Tensor&) {
  lacks("product");
}

void Backend::product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                      const Tensor& x, const Tensor& y) {
  product(a, Transpose::no, b, Transpose::no, x, Write::replace, bias);
  activate(activation, x, y);
}

DType Backend::activation_input_type(Activation /*activation*/, DType y) const {
  return y == DType::bfloat16 ? DType::float32 : y;
}

void Backend::add(const Tensor&, const Tensor&) { lacks("add"); }

void Backend::add(const Tensor&, const Tensor&, const Tensor&) { lacks("add"); }

void Backend::scale(const Tensor&, double) { lacks("scale"); }

void Backend::activate(Activation, const Tensor&, const Tensor&) { lacks("activate"); }

void Backend::activate_backward(Activation, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("activate_backward");
}

void Backend::dropout(double, const RandomStream&, const Tensor&, const Tensor&, const Tensor&) { lacks("dropout"); }

void Backend::copy_columns(const Tensor&, std::int64_t, const Tensor&, std::int64_t, std::int64_t) {
  lacks("copy_columns");
}

void Backend::convolve(const Window&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) { lacks("convolve"); }

void Backend::convolve_backward_input(const Window&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("convolve_backward_input");
}

void Backend::convolve_backward_kernel(const Window&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("convolve_backward_kernel");
}

void Backend::pool(Pooling, const Window&, const Tensor&, const Tensor&) { lacks("pool"); }

void Backend::pool_backward(Pooling, const Window&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("pool_backward");
}

void Backend::normalize(double, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                        const Tensor&) {
  lacks("normalize");
}

void Backend::normalize_backward(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                 const Tensor&, const Tensor&, const Tensor&) {
  lacks("normalize_backward");
}

void Backend::standardize(const Tensor&, const Tensor&, const Tensor&, const Tensor&) { lacks("standardize"); }

void Backend::embed(const EmbeddingForm&, const Tensor&, const Tensor&, const Tensor&, Write) { lacks("embed"); }

void Backend::embed_backward(const EmbeddingForm&, const Tensor&, const Tensor&, const Tensor&, Write) {
  lacks("embed_backward");
}

void Backend::attend(const AttentionShape&, const AttentionDropout&, std::span<const AttentionSequence>,
                     const AttentionOperands&, const Tensor&, const Tensor&) {
  lacks("attend");
}

void Backend::attend_backward(const AttentionShape&, const AttentionDropout&, std::span<const AttentionSequence>,
                              const AttentionOperands&, const Tensor&, const Tensor&, const Tensor&,
                              const AttentionOperands&) {
  lacks("attend_backward");
}

void Backend::sum_rows(const Tensor&, const Tensor&) { lacks("sum_rows"); }

void Backend::sum_squares(const Tensor&, const Tensor&) { lacks("sum_squares"); }

void Backend::clip_factor(const Tensor&, const Tensor&, double, double, const Tensor&) { lacks("clip_factor"); }

std::int64_t Backend::first_not_finite(const Tensor&) { lacks("first_not_finite"); }

void Backend::softmax_cross_entropy(double, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("softmax_cross_entropy");
}

void Backend::mean_squared_error(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("mean_squared_error");
}

void Backend::sigmoid_cross_entropy(double, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("sigmoid_cross_entropy");
}

void Backend::count_in_top(std::int64_t, const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("count_in_top");
}

void Backend::regression_errors(const Tensor&, const Tensor&, const Tensor&, const Tensor&) {
  lacks("regression_errors");
}

void Backend::blend(const Tensor&, const Tensor&, double) { lacks("blend"); }

void Backend::sgd_update(const Tensor&, const Tensor&, const SgdStep&) { lacks("sgd_update"); }

void Backend::momentum_update(const Tensor&, const Tensor&, const Tensor&, const MomentumStep&) {
  lacks("momentum_update");
}

void Backend::adam_update(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const AdamStep&) {
  lacks("adam_update");
}

void Backend::rmsprop_update(const Tensor&, const Tensor&, const Tensor&, const RmspropStep&) {
  lacks("rmsprop_update");
}

void Backend::adagrad_update(const Tensor&, const Tensor&, const Tensor&, const AdagradStep&) {
  lacks("adagrad_update");
}

void Backend::lamb_update(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const LambStep&) {
  lacks("lamb_update");
}

void Backend::lars_update(const Tensor&, const Tensor&, const Tensor&, const LarsStep&) { lacks("lars_update"); }

void Backend::adafactor_update(const Tensor&, const Tensor&, const Tensor&, const AdafactorStep&) {
  lacks("adafactor_update");
}

}  // namespace lockstep
