// Compares the layer's gradients with central differences, for odd shapes, with and without the gradient of its input.
#include <algorithm>
#include <cstdio>

#include "model/gradient_check.h"
#include "swish.h"

using namespace lockstep;

int main() {
  double largest = 0;
  for (const Shape& input : {Shape{1}, Shape{7}, Shape{3, 5, 2}}) {
    for (const InputGradient asked : {InputGradient::needed, InputGradient::not_needed}) {
      largest = std::max(largest, layer_gradient_error(make_swish, input, asked));
    }
  }
  std::printf("largest relative deviation from central differences: %.1e\n", largest);
  return largest < 1e-7 ? 0 : 1;
}
