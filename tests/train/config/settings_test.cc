#include "train/config/settings.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "support/bare_backend.h"
#include "support/check_error.h"

namespace lockstep {
namespace {

// A backend with fast products of bfloat16 and by TF32, or a reason why not.
class OtherBackend final : public BareBackend {
 public:
  explicit OtherBackend(std::string reason) : reason_(std::move(reason)) {}

  std::string bfloat16_products() const override { return reason_; }
  std::string tf32_products() const override { return reason_; }
  void set_float32_products(Float32Products products) override { float32_products = products; }

  Float32Products float32_products = Float32Products::exact;

 private:
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

TEST_CASE("settings: --precision=tf32 is products of float32 that the backend computes by TF32, or is refused") {
  OtherBackend fast("");
  OtherBackend slow("this GPU is too old");
  TrainSettings settings;
  settings.precision = "tf32";
  CHECK(choose_products(settings, fast) == DType::float32);
  CHECK(fast.float32_products == Float32Products::tf32);
  check_error(ExitCode::configuration, {"--precision=tf32", "this GPU is too old", "--precision=float32"},
              [&] { choose_products(settings, slow); });
  CHECK(slow.float32_products == Float32Products::exact);
  settings.precision = "float32";
  CHECK(choose_products(settings, fast) == DType::float32);
  CHECK(fast.float32_products == Float32Products::exact);
  const auto cpu = make_backend({});
  settings.precision = "tf32";
  check_error(ExitCode::configuration, {"--precision=tf32", "cpu has no products by TF32", "Ampere"},
              [&] { choose_products(settings, *cpu); });
}

}  // namespace
}  // namespace lockstep
