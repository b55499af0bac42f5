#include <doctest/doctest.h>

#include <array>

#include "tensor/cuda/attention_on_gpu.h"

namespace lockstep {
namespace {

// Rows that are not queries, or not keys, of any sequence stay unchanged: zeros here, as in the reference.
void clear(auto& run) {
  for (auto* results : {&run.out, &run.log_sums, &run.dqkv}) results->assign(results->size(), 0);
}

// Values are sums of terms below 1 in size: weights add up to 1, gradients of keys and values over up to 130 queries.
// With bfloat16 factors, rounded by up to 2^-9 of themselves, scores are off by at most 2^-8 of sqrt(head_dim), and
// results, relative to the largest gradient, by a few such fractions.
void check_close(Backend& backend, GpuAttention run, double bound = 3e-6) {
  cpu::AttentionCase<double> expected = cpu::doubled(run);
  clear(run);
  clear(expected);
  naive_attention(expected);
  run_on_gpu(backend, run);
  double largest = 1;
  if (run.shape.factors == DType::bfloat16) {
    bound = 0.01;
    for (const double gradient : expected.dqkv) largest = std::max(largest, std::abs(gradient));
  }
  CHECK(largest_difference(run.out, expected.out) < bound);
  CHECK(largest_difference(run.log_sums, expected.log_sums) < bound);
  CHECK(largest_difference(run.dqkv, expected.dqkv) < bound * largest);
}

constexpr DType kFactors[] = {DType::float32, DType::bfloat16};

TEST_CASE("attention of a sequence to itself on the GPU, and its gradients, are those of the formulas") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      for (const std::int64_t length : {1, 2, 7, 15, 16, 17, 33, 63, 64, 65, 130}) {
        for (const bool causal : {false, true}) {
          CAPTURE(name(factors));
          CAPTURE(length);
          CAPTURE(causal);
          check_close(backend, attention_case(attention_shape(2, 16, causal, factors), length));
        }
      }
    }
  });
}

TEST_CASE("attention on the GPU takes any number of heads and any width of a head up to 256") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      for (const std::int64_t head_dim : {1, 5, 33, 64, 65, 128, 150, 256}) {
        CAPTURE(name(factors));
        CAPTURE(head_dim);
        check_close(backend, attention_case(attention_shape(head_dim == 5 ? 3 : 1, head_dim, true, factors), 37));
      }
    }
  });
}

TEST_CASE("attention on the GPU of parts of sequences that fill tiles, and of what is left of them") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      for (const std::int64_t length : {63, 64, 65, 130}) {
        CAPTURE(name(factors));
        CAPTURE(length);
        check_close(backend, attention_case(attention_shape(2, 64, true, factors), length));
        check_close(backend, attention_case(attention_shape(1, 130, false, factors), length));
      }
    }
  });
}

// Rows are read four elements at a time if they begin at multiples of 16 bytes and fill a tile.
TEST_CASE("the bits of attention on the GPU do not depend on where its matrices begin, nor on what is beside them") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      for (const auto& [heads, head_dim, length] :
           std::vector<std::array<std::int64_t, 3>>{{2, 64, 70}, {2, 66, 33}, {1, 128, 33}, {1, 256, 17}}) {
        GpuAttention expected = attention_case(attention_shape(heads, head_dim, true, factors), length);
        run_on_gpu(backend, expected);
        for (const AttentionPlace& place :
             std::vector<AttentionPlace>{{4, 4, 4}, {0, 1, 1}, {0, 2, 2}, {1, 0, 3}, {1, 3, 0}}) {
          CAPTURE(name(factors));
          CAPTURE(head_dim);
          CAPTURE(place.qkv_first);
          CAPTURE(place.qkv_behind);
          GpuAttention run = attention_case(expected.shape, length);
          run_on_gpu(backend, run, place);
          CHECK(run.out == expected.out);
          CHECK(run.log_sums == expected.log_sums);
          CHECK(run.dqkv == expected.dqkv);
        }
      }
    }
  });
}

TEST_CASE("attention on the GPU between two sequences of any lengths") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      for (const std::int64_t queries : {1, 7, 64, 65}) {
        for (const std::int64_t keys : {1, 3, 63, 130}) {
          CAPTURE(name(factors));
          CAPTURE(queries);
          CAPTURE(keys);
          check_close(backend,
                      attention_case(attention_shape(2, 5, false, factors), {{0, queries, queries, queries + keys}}));
        }
      }
    }
  });
}

TEST_CASE("the bits of a sequence on the GPU depend neither on the others of the call nor on where its rows lie") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      const AttentionShape shape = attention_shape(2, 5, true, factors);
      GpuAttention packed = attention_case(shape, {{0, 65, 0, 65}, {65, 66, 65, 66}, {66, 136, 66, 136}});
      packed.dropout = {.rate = 0.1, .stream = {.purpose = Purpose::dropout}};
      run_on_gpu(backend, packed);
      for (const AttentionSequence& of : packed.sequences) {
        GpuAttention alone = attention_case(shape, of.q_end - of.q_begin);
        alone.dropout = packed.dropout;
        alone.number_rows(of.q_begin);
        const auto part = [&](const std::vector<float>& all, std::int64_t width) {
          return std::vector<float>(all.begin() + of.q_begin * width, all.begin() + of.q_end * width);
        };
        alone.qkv = part(packed.qkv, 3 * packed.width());
        alone.dout = part(packed.dout, packed.width());
        run_on_gpu(backend, alone);
        CHECK(alone.out == part(packed.out, packed.width()));
        CHECK(alone.log_sums == part(packed.log_sums, 2));
        CHECK(alone.dqkv == part(packed.dqkv, 3 * packed.width()));
      }
    }
  });
}

TEST_CASE("queries without keys on the GPU have an output of zero, keys without queries a gradient of zero") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      GpuAttention run = attention_case(attention_shape(2, 5, false, factors), {{0, 3, 0, 0}, {3, 3, 3, 8}});
      run_on_gpu(backend, run);
      const auto width = static_cast<std::size_t>(run.width());
      for (std::size_t i = 0; i < run.out.size(); ++i)
        CHECK((i < 3 * width ? run.out[i] == 0 : std::isnan(run.out[i])));
      for (std::size_t i = 0; i < run.dqkv.size(); ++i) {
        const bool is_gradient = i < 3 * 3 * width ? i % (3 * width) < width : i % (3 * width) >= width;
        CHECK((is_gradient ? run.dqkv[i] == 0 : std::isnan(run.dqkv[i])));
      }
    }
  });
}

TEST_CASE("logits of any size do not overflow on the GPU") {
  on_gpu([](Backend& backend) {
    GpuAttention run = attention_case(attention_shape(1, 16, true), 70);
    run.shape.scale = 1e4;  // logits up to 160000, which float32 resolves to 2 decimals
    auto expected = cpu::doubled(run);
    naive_attention(expected);
    run_on_gpu(backend, run);
    CHECK(largest_difference(run.out, expected.out) < 0.03);
    for (const float value : run.dqkv) CHECK(std::isfinite(value));
    for (const DType factors : kFactors) {
      run.shape.scale = 1e30;
      run.shape.factors = factors;
      run_on_gpu(backend, run);
      for (const float value : run.out) CHECK(std::isfinite(value));
    }
  });
}

TEST_CASE("a NaN among the queries is one of its output, of no other row on the GPU") {
  on_gpu([](Backend& backend) {
    for (const DType factors : kFactors) {
      GpuAttention run = attention_case(attention_shape(1, 16, false, factors), 70);
      run.qkv[static_cast<std::size_t>(run.width()) * 2 * 3] = std::numeric_limits<float>::quiet_NaN();
      run_on_gpu(backend, run);
      for (std::size_t i = 0; i < run.out.size(); ++i) CHECK(std::isnan(run.out[i]) == (i / 16 == 2));
    }
  });
}

TEST_CASE("attention on the GPU refuses what does not fit, and of no rows does nothing") {
  const auto backend = gpu();
  GpuAttention beyond = attention_case(attention_shape(1, 4, false), 5);
  beyond.sequences[0].k_end = 6;
  CHECK_THROWS_WITH_AS(run_on_gpu(*backend, beyond), doctest::Contains("rows 0 to 6 of 5"), Error);
  GpuAttention unequal = attention_case(attention_shape(1, 4, true), {{0, 3, 0, 5}});
  CHECK_THROWS_WITH_AS(run_on_gpu(*backend, unequal), doctest::Contains("of a sequence to itself"), Error);
  GpuAttention wide = attention_case(attention_shape(1, 257, true), 2);
  CHECK_THROWS_WITH_AS(run_on_gpu(*backend, wide), doctest::Contains("heads of 257"), Error);
  GpuAttention none = attention_case(attention_shape(2, 4, true), 0);
  run_on_gpu(*backend, none);
  none.sequences.clear();
  run_on_gpu(*backend, none);
}

}  // namespace
}  // namespace lockstep
