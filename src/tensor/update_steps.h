#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

// The numbers and the formula of an optimizer's update, which Backend::update computes element by element over flat
// spans. Below, gradient = factor * gradients (UpdateStep has the factor), each product rounded before it is used, and
// g = gradient + l2 * values: with l2 > 0 the loss has the term l2 / 2 * |values|^2 (weight decay as a part of the
// gradient). Steps t count from 1. kSlots is the number of slots, the arrays of state of a formula, in the order in
// which it names them; they start as zeros.
namespace lockstep {

// values -= rate * g
struct SgdStep {
  static constexpr std::size_t kSlots = 0;
  double rate = 0;
  double l2 = 0;
};

// velocity = momentum * velocity + g, then
// heavy_ball (Polyak 1964): values -= rate * velocity
// nesterov (Nesterov 1983, as Sutskever et al. 2013 and Bengio et al. 2012, section 3.3, rewrite it for the point where
// the gradient is taken): values -= rate * (g + momentum * velocity)
struct MomentumStep {
  static constexpr std::size_t kSlots = 1;
  enum class Form { heavy_ball, nesterov };
  double rate = 0;
  double momentum = 0;
  double l2 = 0;
  Form form = Form::heavy_ball;
};

// Adam, Kingma and Ba 2015, algorithm 1 in the efficient order of section 2, which puts epsilon outside the bias
// correction: m = beta1 * m + (1 - beta1) * g, v = beta2 * v + (1 - beta2) * g^2,
// values -= rate * (sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon) + decoupled * values)
// decoupled is AdamW's weight decay, Loshchilov and Hutter 2019, algorithm 2, line 12, with eta_t = rate and alpha = 1.
struct AdamStep {
  static constexpr std::size_t kSlots = 2;
  double rate = 0;
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  std::int64_t t = 1;
  double l2 = 0;
  double decoupled = 0;
};

// RMSprop, Tieleman and Hinton 2012 (lecture 6.5): mean_square = decay * mean_square + (1 - decay) * g^2,
// values -= rate * g / (sqrt(mean_square) + epsilon)
struct RmspropStep {
  static constexpr std::size_t kSlots = 1;
  double rate = 0;
  double decay = 0;  // the mean square's decay, not the weights'
  double epsilon = 0;
  double l2 = 0;
};

// Adagrad, Duchi, Hazan and Singer 2011, figure 1 with the diagonal of G: sum += g^2,
// values -= rate * g / (sqrt(sum) + epsilon)
struct AdagradStep {
  static constexpr std::size_t kSlots = 1;
  double rate = 0;
  double epsilon = 0;
  double l2 = 0;
};

// The layer-wise updates use the norms of a whole variable: a span is one variable, never a part. `adapted` is false
// for biases and norms: then the trust ratio is 1. It is also 1 where the ratio would be 0 or divide by 0.

// LAMB, You et al. 2020, algorithm 2 with phi the identity: moments as Adam's, both bias-corrected before epsilon:
// r = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + weight_decay * values,
// values -= rate * |values| / |r| * r
struct LambStep {
  static constexpr std::size_t kSlots = 2;
  double rate = 0;
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  std::int64_t t = 1;
  double weight_decay = 0;
  bool adapted = true;
};

// LARS, You, Gitman and Ginsburg 2017, algorithm 1, where the rate is inside the velocity:
// ratio = trust * |values| / (|gradient| + weight_decay * |values|),
// velocity = momentum * velocity + rate * ratio * (gradient + weight_decay * values), values -= velocity
struct LarsStep {
  static constexpr std::size_t kSlots = 1;
  double rate = 0;
  double momentum = 0;
  double trust = 0;
  double weight_decay = 0;
  bool adapted = true;
};

// Adafactor, Shazeer and Stern 2018, algorithms 4 to 6 without momentum, as in tensor2tensor's utils/adafactor.py. A
// variable is one or more matrices of rows x columns; of each only the means of squares of its rows and its columns are
// kept, so that v[i, j] = row[i] * column[j] / (mean of row):
// row[i] = decay * row[i] + (1 - decay) * (mean over j of gradient[i, j]^2 + square_epsilon), same for column[j],
// u = gradient / sqrt(v), u /= max(1, rms(u) / clipping), values -= rate * (scale * u + weight_decay * values)
// with rms over the whole variable, and scale = max(least_scale, rms(values)) if relative, else 1.
//
// A slot is as long as the values: at its beginning each matrix has the means of its rows, then of its columns; the
// rest of its part stays 0, is in checkpoints, and is not touched. Matrices of one row or one column (vectors) have a v
// for each value instead, which is what the formula gives.
struct AdafactorStep {
  static constexpr std::size_t kSlots = 1;
  double rate = 0;
  double decay = 0;     // that of the means of squares, not the weights'
  double clipping = 1;  // 0: never
  double weight_decay = 0;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  double square_epsilon = 1e-30;
  double least_scale = 1e-3;
  bool relative = true;
};

using UpdateFormula =
    std::variant<SgdStep, MomentumStep, AdamStep, RmspropStep, AdagradStep, LambStep, LarsStep, AdafactorStep>;
inline constexpr std::size_t kMostSlots = 2;  // largest kSlots of the formulas

// One update: its formula and its factor. Gradients come as sums over samples; factor makes them what the formula
// takes: the mean, clipped.
struct UpdateStep {
  double factor = 1;
  // Null, or a number in memory of the backend's device (Backend::clip_factor), by which factor is multiplied; if it is
  // 0 the update leaves everything as it is, whatever the gradients are.
  const double* device_factor = nullptr;
  UpdateFormula formula{};
};

}  // namespace lockstep
