#include "model/transformer/symbol_output.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "model/transformer/transformer.h"
#include "support/reference_cases.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSymbols = 4;

// Returns the loss of one row with given logits: the table of symbols is the identity.
double loss_of(std::vector<double> logits, std::int32_t label, double smoothing, Pass::Mode mode) {
  HParams hparams = transformer_hparams();
  hparams.set("hidden_size", kSymbols).set("num_heads", std::int64_t{1}).set("label_smoothing", smoothing);
  SymbolOutput output(transformer_options(hparams), kSymbols);
  const auto backend = make_cpu_backend();
  HostAllocator allocator;
  ParameterTable table;
  std::vector<Initializer> initializers;
  Declaration declaration(table, initializers);
  output.declare(declaration, std::nullopt);
  const ParameterStore store(table, allocator, allocator, DType::float64);
  const auto identity = store.value(0).span<double>();
  for (std::size_t i = 0; i < kSymbols; ++i) identity[i * kSymbols + i] = 1;

  float weight = 1;
  std::int64_t id = 7;
  Batch batch;
  batch.targets = Tensor(&label, DType::int32, {1});
  batch.weights = Tensor(&weight, DType::float32, {1});
  batch.row_ids = Tensor(&id, DType::int64, {1});
  Pass pass{.backend = *backend, .parameters = store, .mode = mode};
  return output.forward(Tensor(logits.data(), DType::float64, {1, kSymbols}), batch, pass)["loss"];
}

TEST_CASE("losses with smoothed labels are tensor2tensor's, the entropy taken off") {
  const std::optional<Json> all = reference_cases("t2t_numeric_golden.json");
  if (!all) return;
  const Json& cases = *all->find("label_smoothing");
  const auto expected = [&](const char* name) { return *cases.find(name)->find("loss")->as<double>(); };
  CHECK(loss_of({2, 1, 0, -1}, 0, 0.1, Pass::Mode::train) ==
        doctest::Approx(expected("V4_logits_2_1_0_-1_label0_eps0.1")).epsilon(1e-9));
  CHECK(loss_of({1, 1, 1, 1}, 2, 0.1, Pass::Mode::train) ==
        doctest::Approx(expected("V4_uniform_label2_eps0.1")).epsilon(1e-9));
}

TEST_CASE("outside training labels are not smoothed") {
  CHECK(loss_of({1, 1, 1, 1}, 2, 0.1, Pass::Mode::evaluate) == doctest::Approx(std::log(4.0)));
  CHECK(loss_of({1, 1, 1, 1}, 2, 0, Pass::Mode::train) == doctest::Approx(std::log(4.0)));
}

TEST_CASE("a smoothing that makes the right symbol no likelier than the others is refused") {
  CHECK_THROWS_WITH_AS(loss_of({1, 1, 1, 1}, 2, 0.75, Pass::Mode::train), doctest::Contains("below 0.750"), Error);
}

}  // namespace
}  // namespace lockstep
