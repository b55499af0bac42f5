#include <doctest/doctest.h>

#include "attention_case.h"
#include "tensor/cpu/cpu_backend.h"

namespace lockstep {
namespace {

constexpr std::int64_t kRows = 7;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kHeadDim = 3;
constexpr std::int64_t kWidth = kHeads * kHeadDim;

AttentionOperands parts_of(Host<double>& qkv) {
  return {.q = {qkv.tensor(), 0}, .k = {qkv.tensor(), kWidth}, .v = {qkv.tensor(), 2 * kWidth}};
}

TEST_CASE("a backend's attention is that of the kernels, with parts of one matrix as operands") {
  cpu::AttentionCase<double> expected;
  expected.shape = {.heads = kHeads, .head_dim = kHeadDim, .scale = 0.5, .causal = true};
  expected.dropout = {.rate = 0.3, .stream = {.seed = 7, .purpose = Purpose::dropout, .stream = 4, .step = 9}};
  expected.sequences = {{0, 3, 0, 3}, {3, kRows, 3, kRows}};
  expected.rows = kRows;
  expected.fill();
  auto qkv = Host<double>::of({kRows, 3 * kWidth}, expected.qkv);
  auto dout = Host<double>::of({kRows, kWidth}, expected.dout);
  naive_attention(expected);

  const auto backend = make_cpu_backend();
  Host<double> out({kRows, kWidth});
  Host<double> log_sums({kRows, kHeads});
  Host<double> gradients({kRows, 3 * kWidth});
  const AttentionDropout dropout = expected.numbered_dropout();
  backend->attend(expected.shape, dropout, expected.sequences, parts_of(qkv), out.tensor(), log_sums.tensor());
  backend->attend_backward(expected.shape, dropout, expected.sequences, parts_of(qkv), out.tensor(), log_sums.tensor(),
                           dout.tensor(), parts_of(gradients));
  CHECK(largest_difference(out.data, expected.out) < 1e-12);
  CHECK(largest_difference(gradients.data, expected.dqkv) < 1e-12);
}

TEST_CASE("attention outside its matrices is refused, and that of no rows does nothing") {
  const auto backend = make_cpu_backend();
  const AttentionShape shape{.heads = kHeads, .head_dim = kHeadDim};
  Host<double> qkv({kRows, 3 * kWidth});
  Host<double> out({kRows, kWidth});
  Host<double> log_sums({kRows, kHeads});
  const AttentionSequence all{0, kRows, 0, kRows};
  const AttentionSequence beyond{0, kRows, 0, kRows + 1};
  AttentionOperands operands = parts_of(qkv);
  CHECK_THROWS_WITH_AS(backend->attend(shape, {}, std::span(&beyond, 1), operands, out.tensor(), log_sums.tensor()),
                       doctest::Contains("rows 0 to 8 of 7"), Error);
  CHECK_THROWS_WITH_AS(
      backend->attend(shape, {.rate = 0.5}, std::span(&all, 1), operands, out.tensor(), log_sums.tensor()),
      doctest::Contains("without an id for each row"), Error);
  operands.v.first = 2 * kWidth + 1;
  CHECK_THROWS_WITH_AS(backend->attend(shape, {}, std::span(&all, 1), operands, out.tensor(), log_sums.tensor()),
                       doctest::Contains("2 heads of 3 in the columns from 13 of 18"), Error);

  Host<double> none({0, 3 * kWidth});
  Host<double> no_out({0, kWidth});
  Host<double> no_sums({0, kHeads});
  const AttentionDropout dropout{.rate = 0.5, .row_ids = Tensor(nullptr, DType::int64, {0})};
  backend->attend(shape, dropout, {}, parts_of(none), no_out.tensor(), no_sums.tensor());
  backend->attend_backward(shape, dropout, {}, parts_of(none), no_out.tensor(), no_sums.tensor(), no_out.tensor(),
                           parts_of(none));
}

}  // namespace
}  // namespace lockstep
