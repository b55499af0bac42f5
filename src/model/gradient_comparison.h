#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/parameter_store.h"
#include "tensor/tensor.h"

// The parts of gradient_check.h: starting values, and comparison of float64 gradients with central differences.
// Anything that is not finite ends in an Error(internal): a NaN would pass any comparison of which is larger.
namespace lockstep {

void check_part(bool right, const std::string& why);
bool all_finite(std::span<const double> values);

// Fills a float64 tensor with numbers uniform in [-1, 1).
void fill_random(const Tensor& tensor, std::uint16_t stream);
// Moves learned variables off their initial values, which could hide a wrong gradient: a scale of 1, a shift of 0.
void disturb(const ParameterStore& store);

// d value() / d x[i] for all i.
std::vector<double> central_differences(double* x, std::int64_t count, const std::function<double()>& value);

// Sets trainable variables' gradients to NaN before a backward pass: one that is added to, or not written, stays NaN.
void forget_gradients(const ParameterStore& store);
// The gradients of all variables together: one alone may have no slope but rounding (a bias before a norm). All finite.
std::vector<double> written_gradients(const ParameterStore& store);
// The correct values of these gradients. Constants have gradients of zero.
std::vector<double> expected_gradients(const ParameterStore& store, const std::function<double()>& value);
// Checks that the gradients after a backward pass of an empty batch are zeros.
void check_gradients_of_nothing(const ParameterStore& store);

// The largest |a - b| over the largest |b|. REQUIRES: equally many, all finite.
double relative_error(std::span<const double> a, std::span<const double> b);

}  // namespace lockstep
