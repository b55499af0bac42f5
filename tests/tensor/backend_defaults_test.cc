#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

// A GPU backend with only the operations that every backend must have.
class BareBackend final : public Backend {
 public:
  Device device() const override { return {Device::Kind::cuda, 3}; }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  Event record() override { return {}; }
  void wait(Event /*event*/) override {}
  void synchronize() override {}
  void copy(const Tensor& /*from*/, const Tensor& /*to*/) override {}
  void fill(const Tensor& /*tensor*/, double /*value*/) override {}

 private:
  HostAllocator allocator_;
};

TEST_CASE("every operation of the contract that a backend lacks is an error that names both") {
  BareBackend bare;
  Backend& backend = bare;
  const Tensor t;
  const struct {
    const char* operation;
    std::function<void()> call;
  } operations[] = {
      {"product", [&] { backend.product(t, Transpose::no, t, Transpose::no, t, Write::replace, t); }},
      {"make_copy_stream", [&] { backend.make_copy_stream(); }},
      {"convert", [&] { backend.convert(t, t); }},
      {"add", [&] { backend.add(t, t); }},
      {"add", [&] { backend.add(t, t, t); }},
      {"embed", [&] { backend.embed({}, t, t, t, Write::replace); }},
      {"embed_backward", [&] { backend.embed_backward({}, t, t, t, Write::add); }},
      {"attend", [&] { backend.attend({}, {}, {}, {}, t, t); }},
      {"attend_backward", [&] { backend.attend_backward({}, {}, {}, {}, t, t, t, {}); }},
      {"scale", [&] { backend.scale(t, 1); }},
      {"activate", [&] { backend.activate(Activation::relu, t, t); }},
      {"activate_backward", [&] { backend.activate_backward(Activation::relu, t, t, t, t); }},
      {"dropout", [&] { backend.dropout(0.5, {}, t, t, t); }},
      {"sum_rows", [&] { backend.sum_rows(t, t); }},
      {"sum_squares", [&] { backend.sum_squares(t, t); }},
      {"first_not_finite", [&] { backend.first_not_finite(t); }},
      {"softmax_cross_entropy", [&] { backend.softmax_cross_entropy(0, t, t, t, t, t); }},
      {"mean_squared_error", [&] { backend.mean_squared_error(t, t, t, t, t); }},
      {"sgd_update", [&] { backend.sgd_update(t, t, {}); }},
      {"momentum_update", [&] { backend.momentum_update(t, t, t, {}); }},
      {"adam_update", [&] { backend.adam_update(t, t, t, t, {}); }},
      {"rmsprop_update", [&] { backend.rmsprop_update(t, t, t, {}); }},
      {"adagrad_update", [&] { backend.adagrad_update(t, t, t, {}); }},
      {"lamb_update", [&] { backend.lamb_update(t, t, t, t, {}); }},
      {"lars_update", [&] { backend.lars_update(t, t, t, {}); }},
      {"adafactor_update", [&] { backend.adafactor_update(t, t, t, {}); }},
  };
  for (const auto& [operation, call] : operations) {
    CAPTURE(operation);
    try {
      call();
      FAIL("no error");
    } catch (const Error& error) {
      const std::string message = error.what();
      CHECK(error.code() == ExitCode::configuration);
      CHECK(message.find("cuda backend") != std::string::npos);
      CHECK(message.find("'" + std::string(operation) + "'") != std::string::npos);
      CHECK(message.find("--device=cpu") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lockstep
