// Measures each optimizer's update as a share of the memory's bandwidth. An update reads and writes a few floats per
// parameter and computes little, so the reference is a += b on spans of the same length, taken right before and after
// it in each round. Time is the thread's own, so that a busy machine affects it less.
//   build/bench/optimizer [--json] [--parameters=N] [--rounds=N]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "tensor/backend.h"
#include "train/registry/registry.h"

namespace lockstep::bench {
namespace {

struct Options {
  std::int64_t parameters = 25'000'000;
  std::int64_t rounds = 9;
  bool json = false;
};

struct Subject {
  const char* name;
  int floats_moved;  // read and written per parameter; layer-wise optimizers make two passes, adafactor three
};

constexpr Subject kSubjects[] = {{"sgd", 3},     {"momentum", 5}, {"nesterov", 5}, {"adam", 7}, {"adamw", 7},
                                 {"rmsprop", 5}, {"adagrad", 5},  {"lamb", 10},    {"lars", 7}, {"adafactor", 6}};
constexpr int kFloatsOfAdd = 3;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Spans of equal length: values, gradients, two slots.
class Spans {
 public:
  Spans(Backend& backend, std::int64_t count) : backend_(backend) {
    for (int i = 0; i < 4; ++i) {
      buffers_.push_back(backend.allocator().allocate(static_cast<std::size_t>(count) * sizeof(float)));
      tensors_.push_back(view(buffers_.back(), DType::float32, {count}));
    }
    // Not zeros, not all alike, and nothing that decays into denormal numbers.
    for (int i = 0; i < 2; ++i) {
      const auto data = tensors_[static_cast<std::size_t>(i)].span<float>();
      std::uint32_t state = 1;
      for (float& element : data) {
        state = state * 1664525U + 1013904223U;
        element = 0.5F + static_cast<float>(state >> 8) / static_cast<float>(1U << 24);
      }
    }
  }

  double seconds_of_add() {
    const double start = thread_seconds();
    backend_.add(tensors_[1], tensors_[0]);
    return thread_seconds() - start;
  }
  double seconds_of(const Optimizer& optimizer, std::int64_t step) {
    const double start = thread_seconds();
    optimizer.apply(backend_, tensors_[0], tensors_[1], std::span(tensors_).subspan(2, optimizer.slots().size()),
                    {.learning_rate = 1e-4, .number = step, .shape = shape()});
    return thread_seconds() - start;
  }
  // Shape of a matrix if the elements make one, as adafactor is meant for.
  Shape shape() const {
    constexpr std::int64_t kColumns = 1000;
    const std::int64_t count = tensors_[0].count();
    return count % kColumns == 0 ? Shape{count / kColumns, kColumns} : Shape{1, count};
  }
  void restart() {
    backend_.fill(tensors_[0], 1);
    for (std::size_t i = 2; i < tensors_.size(); ++i) backend_.fill(tensors_[i], 0);
  }

 private:
  Backend& backend_;
  std::vector<Buffer> buffers_;
  std::vector<Tensor> tensors_;
};

struct Rounds {
  std::vector<double> gbs;
  std::vector<double> ratios;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// best_add: the best a += b of all rounds, for ratio_best, the best update over it.
void report(const Options& options, const char* what, int floats_moved, const Rounds& rounds, double best_add) {
  const double best = *std::max_element(rounds.gbs.begin(), rounds.gbs.end());
  const double middle = median(rounds.gbs);
  const double step_ms = static_cast<double>(options.parameters) * 4 * floats_moved / middle * 1e-6;
  const double ratio = median(rounds.ratios);
  constexpr const char* kJson =
      R"({{"what": "{}", "parameters": {}, "bytes_per_parameter": {}, "gbs_best": {:.2f}, "gbs_median": {:.2f}, )"
      R"("step_ms_median": {:.3f}, "ratio_best": {:.3f}, "ratio_median": {:.3f}}})"
      "\n";
  constexpr const char* kText =
      "{:<8}  {} parameters, {:>2} bytes each: best {:6.2f} GB/s, median {:6.2f} ({:5.1f} ms); of a += b best {:.2f}, "
      "median {:.2f}\n";
  fmt::print(fmt::runtime(options.json ? kJson : kText), what, options.parameters, 4 * floats_moved, best, middle,
             step_ms, best / best_add, ratio);
}

void measure(const Options& options) {
  const auto backend = make_backend({});
  Spans spans(*backend, options.parameters);

  const auto gbs = [&](int floats_moved, double seconds) {
    return static_cast<double>(options.parameters) * 4 * floats_moved / seconds * 1e-9;
  };
  std::vector<std::unique_ptr<Optimizer>> optimizers;
  const Registry registry = builtin_registry();
  LS_CHECK(std::size(kSubjects) == registry.optimizers.entries().size(), "an optimizer is missing in kSubjects");
  for (const Subject& subject : kSubjects) {
    const OptimizerKind& kind = registry.optimizers.find(subject.name);
    optimizers.push_back(kind.make(HParams(kind.hparams).set("weight_decay", 0.01)));
  }
  Rounds add;
  std::vector<Rounds> updates(std::size(kSubjects));
  for (std::int64_t round = 0; round <= options.rounds; ++round) {
    for (std::size_t i = 0; i < std::size(kSubjects); ++i) {
      spans.restart();
      const double before = gbs(kFloatsOfAdd, spans.seconds_of_add());
      spans.seconds_of(*optimizers[i], 1);
      const double update = gbs(kSubjects[i].floats_moved, spans.seconds_of(*optimizers[i], 2));
      const double floor = std::max(before, gbs(kFloatsOfAdd, spans.seconds_of_add()));
      if (round == 0) continue;  // warms up
      add.gbs.push_back(floor);
      add.ratios.push_back(1);
      updates[i].gbs.push_back(update);
      updates[i].ratios.push_back(update / floor);
    }
  }
  const double best_add = *std::max_element(add.gbs.begin(), add.gbs.end());
  report(options, "add", kFloatsOfAdd, add, best_add);
  for (std::size_t i = 0; i < std::size(kSubjects); ++i) {
    report(options, kSubjects[i].name, kSubjects[i].floats_moved, updates[i], best_add);
  }
}

bool read_number(const char* argument, const char* flag, std::int64_t& number) {
  if (std::strncmp(argument, flag, std::strlen(flag)) != 0) return false;
  char* end = nullptr;
  number = std::strtoll(argument + std::strlen(flag), &end, 10);
  return *end == '\0' && number > 0;
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  lockstep::bench::Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) {
      std::puts(
          "optimizer [--json] [--parameters=N] [--rounds=N]: the speed of each optimizer's update, beside a += b");
      return 0;
    }
    if (std::strcmp(argv[i], "--json") == 0) {
      options.json = true;
    } else if (!lockstep::bench::read_number(argv[i], "--parameters=", options.parameters) &&
               !lockstep::bench::read_number(argv[i], "--rounds=", options.rounds)) {
      std::fprintf(stderr, "optimizer: '%s' is not one of --json, --parameters=N, --rounds=N (N at least 1)\n",
                   argv[i]);
      return 64;
    }
  }
  try {
    lockstep::bench::measure(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "optimizer: %s\n", error.what());
    return 70;
  }
  return 0;
}
