#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tensor/backend.h"

namespace lockstep {

// The operations of the contract: those of tensor/operations.def, with overloads counted as one, and those with a
// default of their own.
enum class BackendOperation {
#define LS_OPERATION(name, parameters, arguments) name,
#define LS_OVERLOAD(name, parameters, arguments)
#include "tensor/operations.def"
  product_with_activation
};
const char* name(BackendOperation operation);

// Forwards every call to another backend; the base class of backends that observe the operations. A new operation of
// tensor/operations.def is forwarded without a change here.
class ForwardingBackend : public Backend {
 public:
  explicit ForwardingBackend(Backend& backend) : backend_(backend) {}  // backend outlives it

  Device device() const override { return backend_.device(); }
  std::string description() const override { return backend_.description(); }
  Allocator& allocator() override { return backend_.allocator(); }
  Allocator& host_allocator() override { return backend_.host_allocator(); }

  Event record() override { return backend_.record(); }
  void wait(Event event) override { backend_.wait(event); }
  void synchronize() override { backend_.synchronize(); }
  void wait_on_host(Event event) override { backend_.wait_on_host(event); }

  std::unique_ptr<CopyStream> make_copy_stream() override { return backend_.make_copy_stream(); }
  std::unique_ptr<OperationGraph> make_graph() override { return backend_.make_graph(); }
  bool drop_graph() noexcept override { return backend_.drop_graph(); }
  void after_graph(std::function<void()> call) override { backend_.after_graph(std::move(call)); }

  std::string bfloat16_products() const override { return backend_.bfloat16_products(); }
  void set_float32_products(Float32Products products) override { backend_.set_float32_products(products); }
  std::string tf32_products() const override { return backend_.tf32_products(); }
  void product_with_activation(Activation activation, const Tensor& a, const Tensor& b, const Tensor& bias,
                               const Tensor& x, const Tensor& y) override;
  DType activation_input_type(Activation activation, DType y) const override {
    return backend_.activation_input_type(activation, y);
  }
  std::int64_t first_not_finite(const Tensor& values) override { return backend_.first_not_finite(values); }

#define LS_OPERATION(name, parameters, arguments) void name parameters override;
#include "tensor/operations.def"

 protected:
  Backend& backend() { return backend_; }
  const Backend& backend() const { return backend_; }

  // Called for every operation. run() forwards it; run is valid only during the call.
  virtual void around(BackendOperation /*operation*/, const std::function<void()>& run) { run(); }

 private:
  Backend& backend_;
};

}  // namespace lockstep
