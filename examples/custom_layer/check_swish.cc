// Compares the layer's gradients with central differences, for odd shapes, with and without the gradient of its input.
#include <cstdio>

#include "model/gradient_check.h"
#include "swish.h"

using namespace lockstep;

int main() {
  try {
    for (const Shape& input : {Shape{1}, Shape{7}, Shape{3, 5, 2}}) {
      for (const InputGradient asked : {InputGradient::needed, InputGradient::not_needed}) {
        const double error = layer_gradient_error(make_swish, input, asked);
        std::printf("%s: relative deviation from central differences %.1e\n", input.text().c_str(), error);
        if (!(error < 1e-7)) return 1;
      }
    }
  } catch (const Error& error) {  // the layer breaks a rule of the Layer interface
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
