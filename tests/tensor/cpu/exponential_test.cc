#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/multiversion.h"
#include "tensor/cpu/generation.h"

namespace lockstep::cpu {
namespace {

namespace exponential_oldest {
using Lanes = FloatsOfRegister<4>::Type;
#include "tensor/cpu/exponential.inc"
float exponential_of(float x) { return exponential(x - Lanes{})[3]; }
}  // namespace exponential_oldest

#if defined(__x86_64__) && !defined(__clang__)
namespace exponential_v4 {
using Lanes = FloatsOfRegister<16>::Type;
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#include "tensor/cpu/exponential.inc"
float exponential_of(float x) { return exponential(x - Lanes{})[3]; }
#pragma GCC pop_options
}  // namespace exponential_v4
#else
namespace exponential_v4 = exponential_oldest;
#endif

// Variants with fused multiply-add (v4, as v3) and with separate operations.
using Exponential = float (*)(float);
std::vector<Exponential> exponentials() {
  std::vector<Exponential> all{exponential_oldest::exponential_of};
  if (newest_generation() == Generation::v4) all.push_back(exponential_v4::exponential_of);
  return all;
}

TEST_CASE("the exponential is within 2e-7 of the true one wherever that is a normal number") {
  for (Exponential exponential : exponentials()) {
    double largest = 0;
    for (int i = 0; i < 448000; ++i) {
      const auto rounded = static_cast<float>(-87.3365 + i * 0.000391);  // up to 87.8
      const double expected = std::exp(static_cast<double>(rounded));
      largest = std::max(largest, std::abs(static_cast<double>(exponential(rounded)) / expected - 1));
    }
    CHECK(largest < 2e-7);
    CAPTURE(largest);
    CHECK(exponential(0) == 1);
  }
}

TEST_CASE("the exponential of what is too small is zero, of NaN it is NaN") {
  constexpr auto kInfinity = std::numeric_limits<float>::infinity();
  for (Exponential exponential : exponentials()) {
    CHECK(exponential(-88) == 0);
    CHECK(exponential(std::numeric_limits<float>::lowest()) == 0);
    CHECK(exponential(-kInfinity) == 0);
    CHECK(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
  }
}

}  // namespace
}  // namespace lockstep::cpu
