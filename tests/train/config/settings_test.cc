#include "train/config/settings.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "support/check_error.h"
#include "tensor/backend.h"

namespace lockstep {
namespace {

// Has fast products of bfloat16, or a reason why not.
class OtherBackend final : public Backend {
 public:
  explicit OtherBackend(std::string reason) : reason_(std::move(reason)) {}

  Device device() const override { return {}; }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return allocator_; }
  Event record() override { return {}; }
  void wait(Event /*event*/) override {}
  void synchronize() override {}
  void copy(const Tensor& /*from*/, const Tensor& /*to*/) override {}
  void fill(const Tensor& /*tensor*/, double /*value*/) override {}
  std::string bfloat16_products() const override { return reason_; }

 private:
  HostAllocator allocator_;
  std::string reason_;
};

TEST_CASE("settings: --precision=bfloat16 is refused where its products are not fast, float32 nowhere") {
  const OtherBackend fast("");
  const OtherBackend slow("this processor is too old");
  TrainSettings settings;
  CHECK(product_dtype(settings, slow) == DType::float32);
  settings.precision = "bfloat16";
  CHECK(product_dtype(settings, fast) == DType::bfloat16);
  check_error(ExitCode::configuration, {"--precision=bfloat16", "this processor is too old", "--precision=float32"},
              [&] { product_dtype(settings, slow); });
}

}  // namespace
}  // namespace lockstep
