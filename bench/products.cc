// Measures matrix products through the Backend that layers use: large squares, whose best is the most that a card
// reaches, the products of the networks that bench/step trains, and copies within the device's memory.
//
//   build/bench/products --device=cuda [--precision=float32|bfloat16|both] [--json]
//   build/bench/products --sizes=512x512x512,256x784x128
//
// Operands are random numbers, since some processors are faster on zeros. Each product is submitted many times in a
// row, and the host waits at the end, so small operands lie in the cache, as they often do in a training step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/split.h"
#include "base/whole_number.h"
#include "device.h"
#include "program.h"

namespace lockstep::bench {
namespace {

constexpr std::array<Flag, 6> kFlags{{
    kDeviceFlag,
    {.group = "Products",
     .name = "precision",
     .placeholder = "TYPE",
     .default_text = "both",
     .help = "of the factors: float32, bfloat16 or both"},
    {.group = "Products",
     .name = "sizes",
     .placeholder = "MxNxK,...",
     .default_text = "",
     .help = "(M, N) = (M, K) * (K, N), in place of those for a GPU, which take a processor minutes"},
    {.group = "Products",
     .name = "seconds",
     .placeholder = "S",
     .default_text = "0.25",
     .help = "about how long each product is repeated"},
    {.group = "Products", .name = "json", .placeholder = "", .default_text = "", .help = "one JSON object a line"},
    {.group = "Products", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

// c (m, n) = op(a) (m, k) * op(b) (k, n).
struct Subject {
  std::string of;
  std::int64_t m, n, k;
  Transpose a_op = Transpose::no;
  Transpose b_op = Transpose::no;

  double flop() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  std::string form() const {
    return std::string(a_op == Transpose::yes ? "t" : "n") + (b_op == Transpose::yes ? "t" : "n");
  }
};

// The three products of a linear layer on `rows` rows.
void add_layer(std::vector<Subject>& subjects, const char* network, std::int64_t rows, std::int64_t inputs,
               std::int64_t outputs) {
  const std::string name = fmt::format("{} {}-{}", network, inputs, outputs);
  subjects.push_back({name, rows, outputs, inputs});
  subjects.push_back({name, rows, inputs, outputs, Transpose::no, Transpose::yes});
  subjects.push_back({name, inputs, outputs, rows, Transpose::yes, Transpose::no});
}

std::vector<Subject> subjects_of_networks() {
  std::vector<Subject> subjects;
  for (const std::int64_t side : {4096, 8192}) subjects.push_back({"square", side, side, side});
  add_layer(subjects, "mlp", 128, 784, 512);
  add_layer(subjects, "mlp", 4096, 784, 512);
  add_layer(subjects, "lm", std::int64_t{8} * 256, 512, 2048);
  constexpr std::int64_t kRows = std::int64_t{32} * 1024;  // of gpt2
  add_layer(subjects, "gpt2", kRows, 768, 2304);
  add_layer(subjects, "gpt2", kRows, 768, 768);
  add_layer(subjects, "gpt2", kRows, 768, 3072);
  add_layer(subjects, "gpt2", kRows, 3072, 768);
  add_layer(subjects, "gpt2", kRows, 50257, 768);  // the table of symbols: the second product makes the logits
  return subjects;
}

std::vector<Subject> parse_sizes(const CommandLine& line) {
  std::vector<Subject> subjects;
  for (const std::string& size : split_at(line.text("sizes"), ',')) {
    std::vector<std::int64_t> extents;
    for (const std::string& extent : split_at(size, 'x')) {
      extents.push_back(parse_digits<std::int64_t>(extent).value_or(0));
    }
    if (extents.size() != 3 || std::ranges::min(extents) < 1 || std::ranges::max(extents) > 1 << 20) {
      line.refuse("sizes", "it takes three numbers, as in 512x512x512, and commas between products");
    }
    subjects.push_back({"given", extents[0], extents[1], extents[2]});
  }
  return subjects;
}

struct Options {
  std::vector<Subject> subjects;
  std::vector<DType> precisions;
  std::string device;
  double seconds;
  bool json;
};

Options parse(std::span<const std::string> args) {
  const CommandLine line("bench/products", kFlags, args);
  const std::array<std::string, 3> types{name(DType::float32), name(DType::bfloat16), "both"};
  std::vector<DType> precisions{DType::float32, DType::bfloat16};
  const std::size_t chosen = line.choice("precision", types);
  if (chosen < precisions.size()) precisions = {precisions[chosen]};
  return {.subjects = line.given("sizes") ? parse_sizes(line) : subjects_of_networks(),
          .precisions = precisions,
          .device = line.text("device"),
          .seconds = line.number_above_zero("seconds", 600),
          .json = line.on("json")};
}

// Device memory, filled with random numbers in [-1, 1).
class Operands {
 public:
  explicit Operands(Backend& backend)
      : backend_(backend), memory_(backend.allocator().allocate(kPattern * sizeof(float))) {
    std::vector<float> numbers(kPattern);
    const RandomStream random{.seed = 3};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 2 * uniform_float(random.block(static_cast<std::uint32_t>(i))[0]) - 1;
    }
    backend.copy({numbers.data(), DType::float32, {kPattern}}, pattern());
    backend.synchronize();
  }

  Buffer allocate(DType dtype, std::int64_t count) {
    Buffer memory = backend_.allocator().allocate(static_cast<std::size_t>(count) * size_of(dtype));
    const Tensor tensor = view(memory, dtype, {count});
    for (std::int64_t begin = 0; begin < count; begin += kPattern) {
      const std::int64_t size = std::min<std::int64_t>(kPattern, count - begin);
      const Tensor part = tensor.flat({begin, begin + size});
      const Tensor numbers = pattern().flat({0, size});
      if (dtype == DType::float32) {
        backend_.copy(numbers, part);
      } else {
        backend_.convert(numbers, part);
      }
    }
    return memory;
  }

 private:
  static constexpr std::int64_t kPattern = 1 << 22;

  Tensor pattern() const { return view(memory_, DType::float32, {kPattern}); }

  Backend& backend_;
  Buffer memory_;
};

// Returns microseconds per call: the best of rounds that take about `seconds` together.
template <class Call>
double best_us(Backend& backend, double seconds, const Call& call) {
  constexpr int kRounds = 5;
  const auto us_of = [&](std::int64_t calls) {
    backend.synchronize();
    const Stopwatch watch;
    for (std::int64_t i = 0; i < calls; ++i) call();
    backend.synchronize();
    return watch.seconds() * 1e6 / static_cast<double>(calls);
  };
  us_of(2);
  const auto calls = std::clamp<std::int64_t>(std::llround(seconds * 1e6 / kRounds / us_of(3)), 1, 10'000);
  double best = us_of(calls);
  for (int round = 1; round < kRounds; ++round) best = std::min(best, us_of(calls));
  return best;
}

double product_us(Backend& backend, Operands& operands, const Subject& subject, DType precision, double seconds) {
  const Buffer a = operands.allocate(precision, subject.m * subject.k);
  const Buffer b = operands.allocate(precision, subject.k * subject.n);
  const Buffer c = backend.allocator().allocate(static_cast<std::size_t>(subject.m * subject.n) * sizeof(float));
  const bool a_turned = subject.a_op == Transpose::yes;
  const bool b_turned = subject.b_op == Transpose::yes;
  const Tensor left = view(a, precision, a_turned ? Shape{subject.k, subject.m} : Shape{subject.m, subject.k});
  const Tensor right = view(b, precision, b_turned ? Shape{subject.n, subject.k} : Shape{subject.k, subject.n});
  const Tensor result = view(c, DType::float32, {subject.m, subject.n});
  return best_us(backend, seconds,
                 [&] { backend.product(left, subject.a_op, right, subject.b_op, result, Write::replace, {}); });
}

void report_product(const Options& options, Backend& backend, const Subject& subject, DType precision, double us) {
  constexpr const char* kJson =
      R"({{"what": "product", "device_name": "{}", "of": "{}", "precision": "{}", "m": {}, "n": {}, "k": {}, )"
      R"("form": "{}", "us_best": {:.2f}, "tflops_best": {:.4g}}})"
      "\n";
  constexpr const char* kText = "{}  {:<16} {:<8} {:>6} x {:>6} x {:>6} {}  {:>12.1f} us  {:>9.4g} TFLOP/s\n";
  fmt::print(fmt::runtime(options.json ? kJson : kText), backend.description(), subject.of, name(precision), subject.m,
             subject.n, subject.k, subject.form(), us, subject.flop() / us * 1e-6);
  std::fflush(stdout);
}

// Skips a product that does not fit into memory.
void measure_product(const Options& options, Backend& backend, Operands& operands, const Subject& subject,
                     DType precision) {
  try {
    const double us = product_us(backend, operands, subject, precision, options.seconds);
    report_product(options, backend, subject, precision, us);
  } catch (const OutOfMemory& why) {
    fmt::print(stderr, "bench/products: {} {} x {} x {}: {}\n", subject.of, subject.m, subject.n, subject.k,
               why.what());
  }
}

// bytes: bytes read; as many are written.
void report_copy(const Options& options, Backend& backend, std::int64_t bytes, double us) {
  constexpr const char* kJson = R"({{"what": "copy", "device_name": "{}", "bytes": {}, "us_best": {:.2f}, )"
                                R"("gbs_best": {:.4g}}})"
                                "\n";
  constexpr const char* kText = "{}  copy of {} bytes within its memory  {:.1f} us  {:.4g} GB/s read and written\n";
  fmt::print(fmt::runtime(options.json ? kJson : kText), backend.description(), bytes, us,
             2 * static_cast<double>(bytes) / us * 1e-3);
  std::fflush(stdout);
}

void measure_copy(const Options& options, Backend& backend, Operands& operands) {
  constexpr std::int64_t kCount = 32 << 20;
  const Buffer from = operands.allocate(DType::float32, kCount);
  const Buffer to = backend.allocator().allocate(kCount * sizeof(float));
  const double us = best_us(backend, options.seconds, [&] {
    backend.copy(view(from, DType::float32, {kCount}), view(to, DType::float32, {kCount}));
  });
  report_copy(options, backend, kCount * static_cast<std::int64_t>(sizeof(float)), us);
}

void measure(const Options& options, Job& job) {
  job.start({.quiet = true});
  const auto world = make_world(job.session(), job.trace());
  {
    const TakenDevice taken = take_device(options.device, *world, job);
    Backend& backend = *taken.backend;
    Operands operands(backend);
    for (const DType precision : options.precisions) {
      const std::string why_not = precision == DType::bfloat16 ? backend.bfloat16_products() : "";
      if (!why_not.empty()) {
        fmt::print(stderr, "bench/products: no products of bfloat16: {}\n", why_not);
        continue;
      }
      for (const Subject& subject : options.subjects) measure_product(options, backend, operands, subject, precision);
    }
    measure_copy(options, backend, operands);
  }
  world->close();
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  namespace bench = lockstep::bench;
  return bench::run_program(argc, argv, bench::kFlags, [](std::span<const std::string> args, lockstep::Job& job) {
    bench::measure(bench::parse(args), job);
  });
}
