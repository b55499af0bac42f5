#include "model/gradient_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace lockstep {
namespace {

constexpr double kDifferenceStep = 1e-5;

bool trainable(const ParameterStore& store, int variable) { return store.table()[variable].trainable; }

}  // namespace

void check_part(bool right, const std::string& why) {
  if (!right) throw Error(ExitCode::internal, why);
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

void fill_random(const Tensor& tensor, std::uint16_t stream) {
  const RandomStream random{.seed = 3, .stream = stream};
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    tensor.as<double>()[i] = 2 * static_cast<double>(uniform_float(random.block(static_cast<std::uint32_t>(i))[0])) - 1;
  }
}

void disturb(const ParameterStore& store) {
  for (std::size_t i = 0; i < store.table().variables().size(); ++i) {
    if (!store.table().variables()[i].trainable) continue;
    const Tensor value = store.value(static_cast<int>(i));
    std::vector<double> change(static_cast<std::size_t>(value.count()));
    fill_random(Tensor(change.data(), DType::float64, value.shape()), static_cast<std::uint16_t>(10 + i));
    for (std::size_t k = 0; k < change.size(); ++k) value.as<double>()[k] += 0.5 * change[k];
  }
}

std::vector<double> central_differences(double* x, std::int64_t count, const std::function<double()>& value) {
  std::vector<double> slopes;
  for (std::int64_t i = 0; i < count; ++i) {
    const double before = x[i];
    x[i] = before + kDifferenceStep;
    const double above = value();
    x[i] = before - kDifferenceStep;
    const double below = value();
    x[i] = before;
    slopes.push_back((above - below) / (2 * kDifferenceStep));
  }
  return slopes;
}

void forget_gradients(const ParameterStore& store) {
  for (int i = 0; i < std::ssize(store.table().variables()); ++i) {
    const std::span<double> gradient = store.gradient(i).span<double>();
    if (trainable(store, i)) std::ranges::fill(gradient, std::numeric_limits<double>::quiet_NaN());
  }
}

std::vector<double> written_gradients(const ParameterStore& store) {
  std::vector<double> all;
  for (int i = 0; i < std::ssize(store.table().variables()); ++i) {
    const std::span<const double> gradient = store.gradient(i).span<double>();
    check_part(all_finite(gradient),
               fmt::format("the gradient of {} is NaN or infinite: backward() has computed it so, has not written it, "
                           "or has added to what was there, which is NaN in this check; gradients are written, in "
                           "every pass",
                           store.table()[i].name));
    all.insert(all.end(), gradient.begin(), gradient.end());
  }
  return all;
}

std::vector<double> expected_gradients(const ParameterStore& store, const std::function<double()>& value) {
  std::vector<double> expected;
  for (int i = 0; i < std::ssize(store.table().variables()); ++i) {
    const Tensor variable = store.value(i);
    std::vector<double> slopes(static_cast<std::size_t>(variable.count()));
    if (trainable(store, i)) slopes = central_differences(variable.as<double>(), variable.count(), value);
    expected.insert(expected.end(), slopes.begin(), slopes.end());
  }
  return expected;
}

void check_gradients_of_nothing(const ParameterStore& store) {
  written_gradients(store);
  for (int i = 0; i < std::ssize(store.table().variables()); ++i) {
    const std::span<const double> gradient = store.gradient(i).span<double>();
    const auto wrong = std::ranges::find_if(gradient, [](double value) { return value != 0; });
    if (wrong == gradient.end()) continue;
    check_part(false, fmt::format("the gradient of {} has a {} after the backward pass of an empty batch, which adds "
                                  "up to zeros",
                                  store.table()[i].name, *wrong));
  }
}

double relative_error(std::span<const double> a, std::span<const double> b) {
  LS_CHECK(a.size() == b.size(), "as many gradients as there are slopes");
  double difference = 0;
  double largest = 1e-12;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return difference / largest;
}

}  // namespace lockstep
