#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "tensor/backend.h"

// Defaults for operations that a backend does not have: an error, or the same result by other operations.
namespace lockstep {
namespace {

void unused(const auto&... /*arguments*/) {}

}  // namespace

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

void Backend::product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                                      const Tensor& x, const Tensor& y) {
  product(a, Transpose::no, b, Transpose::no, x, Write::replace, bias);
  activate(activation, x, y);
}

DType Backend::activation_input_type(Activation /*activation*/, DType y) const {
  return y == DType::bfloat16 ? DType::float32 : y;
}

std::int64_t Backend::first_not_finite(const Tensor&) { lacks("first_not_finite"); }

#define LS_OPERATION(name, parameters, arguments) \
  void Backend::name parameters {                 \
    unused arguments;                             \
    lacks(#name);                                 \
  }
#include "tensor/operations.def"

}  // namespace lockstep
