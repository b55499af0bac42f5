#include "train/strategy/control_exchange.h"

namespace lockstep {

ControlExchange::ControlExchange(Communicator& communicator, Backend& backend)
    : communicator_(communicator), backend_(backend), on_host_(backend.device().kind != Device::Kind::cpu) {
  if (on_host_) return;
  memory_ = communicator.allocator().allocate(ControlValues::kWords * sizeof(float));
  exchanged_ = view(memory_, DType::float32, {ControlValues::kWords});
}

void ControlExchange::begin(std::int64_t requests) {
  words_.fill(0);
  add({.requests = requests});
}

void ControlExchange::add(const ControlValues& share) {
  std::array<float, ControlValues::kWords> words{};
  share.encode(words);
  for (std::size_t i = 0; i < words.size(); ++i) words_[i] += words[i];
}

void ControlExchange::start() {
  if (on_host_) return add_up_on_host();
  backend_.copy(host(), exchanged_);
  ticket_ = communicator_.all_reduce(exchanged_, backend_.record());
}

void ControlExchange::add_up_on_host() {
  const auto all = all_gather_value(communicator_, words_);
  words_.fill(0);
  for (const auto& words : all) {
    for (std::size_t i = 0; i < words.size(); ++i) words_[i] += words[i];
  }
}

ControlValues ControlExchange::finish() {
  if (on_host_) return ControlValues::decode(words_);
  communicator_.wait(ticket_);
  backend_.copy(exchanged_, host());
  backend_.synchronize();
  return ControlValues::decode(words_);
}

}  // namespace lockstep
