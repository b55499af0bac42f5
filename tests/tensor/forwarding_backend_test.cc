#include "tensor/forwarding_backend.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "every_operation.h"
#include "support/bare_backend.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

// Records the names of the operations, before and after each runs.
class Observer final : public ForwardingBackend {
 public:
  using ForwardingBackend::ForwardingBackend;
  std::vector<std::string> before;
  std::vector<std::string> after;

 private:
  void around(BackendOperation operation, const std::function<void()>& run) override {
    before.emplace_back(name(operation));
    run();
    after.emplace_back(name(operation));
  }
};

TEST_CASE("a forwarding backend: every operation passes its hook once, and goes to the other backend") {
  BareBackend bare;
  Observer observer(bare);
  std::vector<std::string> expected;
  for (const auto& [operation, call] : every_operation(observer)) {
    CAPTURE(operation);
    CHECK_THROWS_WITH_AS(call(), doctest::Contains(("no operation '" + operation + "'").c_str()), Error);
    expected.push_back(operation);
  }
  CHECK(observer.before == expected);
  CHECK(observer.after.empty());  // the other backend has none of them
}

TEST_CASE("a forwarding backend: results are the other backend's, of both overloads of add") {
  CpuBackend cpu;
  Observer observer(cpu);
  float a = 1;
  float b = 2;
  float sum = 4;
  const auto tensor_of = [](float& value) { return Tensor(&value, DType::float32, {1}); };
  observer.add(tensor_of(a), tensor_of(sum));
  CHECK(sum == 5);
  observer.add(tensor_of(a), tensor_of(b), tensor_of(sum));
  CHECK(sum == 3);
  CHECK(observer.first_not_finite(tensor_of(sum)) == -1);
  CHECK(observer.after == std::vector<std::string>{"add", "add"});
}

// The other backend may compute it in one pass.
TEST_CASE("a forwarding backend: a product with an activation is one operation") {
  CpuBackend cpu;
  Observer observer(cpu);
  float a = -3;
  float b = 2;
  float x = 0;
  float y = 1;
  const auto tensor_of = [](float& value) { return Tensor(&value, DType::float32, {1, 1}); };
  observer.product_with_activation(Activation::relu, tensor_of(a), tensor_of(b), {}, tensor_of(x), tensor_of(y));
  CHECK(x == -6);
  CHECK(y == 0);
  CHECK(observer.after == std::vector<std::string>{"product_with_activation"});
}

}  // namespace
}  // namespace lockstep
