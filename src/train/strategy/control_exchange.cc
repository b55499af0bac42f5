#include "train/strategy/control_exchange.h"

namespace lockstep {

ControlExchange::ControlExchange(Communicator& communicator, Backend& backend)
    : communicator_(communicator),
      backend_(backend),
      memory_(communicator.allocator().allocate(ControlValues::kWords * sizeof(float))),
      exchanged_(view(memory_, DType::float32, {ControlValues::kWords})) {}

void ControlExchange::add(const ControlValues& share) {
  std::array<float, ControlValues::kWords> words{};
  share.encode(words);
  for (std::size_t i = 0; i < words.size(); ++i) words_[i] += words[i];
}

void ControlExchange::start() {
  backend_.copy(host(), exchanged_);
  ticket_ = communicator_.all_reduce(exchanged_, backend_.record());
}

ControlValues ControlExchange::finish() {
  communicator_.wait(ticket_);
  backend_.copy(exchanged_, host());
  backend_.synchronize();
  return ControlValues::decode(words_);
}

}  // namespace lockstep
