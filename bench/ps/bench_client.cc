#include "bench_client.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "announcing_transfer.h"
#include "base/clock.h"
#include "base/durable_file.h"
#include "ps/rest.h"

namespace lockstep::bench {
namespace {

float gradient_at(std::size_t i) { return static_cast<float>(1 + i % 7); }

std::size_t bytes_of_store(const PsGroup& group) {
  return static_cast<std::size_t>(group.ranges.back().end) * sizeof(float);
}

Tensor all_of(const Buffer& memory) {
  return view(memory, DType::float32, {static_cast<std::int64_t>(memory.bytes() / sizeof(float))});
}

}  // namespace

BenchClient::BenchClient(PsMessages& messages, ParameterClient& client, ClientTransfer& transfer, const PsGroup& group,
                         bool shares_clock, bool adds)
    : messages_(messages),
      client_(client),
      transfer_(transfer),
      group_(group),
      shares_clock_(shares_clock),
      adds_(adds),
      value_memory_(allocator_.allocate(bytes_of_store(group))),
      gradient_memory_(allocator_.allocate(bytes_of_store(group))),
      copy_memory_(allocator_.allocate(bytes_of_store(group))),
      values_(all_of(value_memory_)),
      gradients_(all_of(gradient_memory_)) {
  const auto gradients = gradients_.span<float>();
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = gradient_at(i);
  if (number() == 0) client_.begin({&values_, 1}, 0, 0);
}

bool BenchClient::take() {
  const std::optional<ParameterClient::Assignment> assignment = client_.take();
  if (assignment) updates_ = assignment->number;
  return assignment.has_value();
}

double BenchClient::push_until_whole() {
  const std::int64_t begin = monotonic_ns();
  std::int64_t end = begin;
  push();
  RestBetweenPolls rest(nullptr);
  for (int missing = group_.servers(); missing > 0;) {
    messages_.sent();
    transfer_.pushing();
    if (const auto told = messages_.receive(kWholeTag)) {
      end = std::max(end, shares_clock_ ? told->message.number : monotonic_ns());
      --missing;
    } else {
      rest.pause(true);
    }
  }
  wait_pushed();
  return static_cast<double>(end - begin) * 1e-9;
}

void BenchClient::save(const std::string& path) {
  const Tensor state = all_of(copy_memory_);
  client_.cut({&state, 1});
  replace_file(path, std::as_bytes(state.span<float>()));
}

void BenchClient::copy() { std::memcpy(copy_memory_.data(), gradient_memory_.data(), gradients_.bytes()); }

std::int64_t BenchClient::wrong() const {
  const auto values = values_.span<float>();
  const auto counted = static_cast<float>(updates_);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float updates = values[i] / (static_cast<float>(-kBenchRate) * gradient_at(i));
    const bool is_later = adds_ && updates > counted && updates == std::floor(updates);
    if (updates != counted && !is_later) ++wrong;
  }
  return wrong;
}

}  // namespace lockstep::bench
