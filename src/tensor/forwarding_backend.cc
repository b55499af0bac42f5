#include "tensor/forwarding_backend.h"

namespace lockstep {

const char* name(BackendOperation operation) {
  constexpr const char* kNames[] = {
#define LS_OPERATION(name, parameters, arguments) #name,
#define LS_OVERLOAD(name, parameters, arguments)
#include "tensor/operations.def"
      "product_with_activation"};
  return kNames[static_cast<std::size_t>(operation)];
}

void ForwardingBackend::product_with_activation(Activation activation, const Tensor& a, const Tensor& b,
                                                const Tensor& bias, const Tensor& x, const Tensor& y) {
  const auto run = [&] { backend_.product_with_activation(activation, a, b, bias, x, y); };
  around(BackendOperation::product_with_activation, std::cref(run));
}

// std::cref: a std::function of a reference allocates nothing.
#define LS_OPERATION(name, parameters, arguments)      \
  void ForwardingBackend::name parameters {            \
    const auto run = [&] { backend_.name arguments; }; \
    around(BackendOperation::name, std::cref(run));    \
  }
#include "tensor/operations.def"

}  // namespace lockstep
