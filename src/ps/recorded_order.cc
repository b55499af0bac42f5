#include "ps/recorded_order.h"

#include <fmt/format.h>

#include <string>

#include "base/counted.h"
#include "base/json.h"

namespace lockstep {
namespace {

void require_order(bool condition, const std::string& why) {
  if (!condition) throw JsonError(why);
}

}  // namespace

RecordedOrder::RecordedOrder(const SequencerOptions& options)
    : options_(options), gate_(options.max_staleness, options.sum), sum_(options.sum), updates_(options.first_update) {}

void RecordedOrder::check(const PsMessage& command) {
  require_order(!ended_, "it follows an update of fewer gradients than sum_updates, which is the last");
  if (command.kind == PsMessage::Kind::update) return update(command);
  require_order(!sum_.full(), fmt::format("an update is due after {}", counted(sum_.count(), "gradient")));
  require_order(command.client >= 0 && command.client < options_.clients,
                fmt::format("client {} of {}, which count from 0", command.client, options_.clients));
  command.kind == PsMessage::Kind::deliver ? deliver(command) : add(command);
}

void RecordedOrder::deliver(const PsMessage& command) {
  std::vector<Pull>& has = pulls_[command.client];
  require_order(command.number == updates_,
                fmt::format("values after {} updates, where {} were made", command.number, updates_));
  require_order(batches_.insert(command.batch).second,
                fmt::format("batch {} is delivered again; a run that lost a client cannot be replayed", command.batch));
  require_order(has.size() < 2, fmt::format("client {} has two batches already", command.client));
  require_order(gate_.may_pull(), "max_staleness admits no further batch before a gradient is added");
  has.push_back({.number = gate_.pull(), .batch = command.batch});
}

void RecordedOrder::add(const PsMessage& command) {
  std::vector<Pull>& has = pulls_[command.client];
  require_order(!has.empty() && has.front().batch == command.batch,
                fmt::format("batch {} is not the one that is due from client {}", command.batch, command.client));
  require_order(gate_.may_add(has.front().number), "max_staleness does not let it pass an older one");
  gate_.add(has.front().number);
  has.erase(has.begin());
  sum_.add(command);
}

void RecordedOrder::update(const PsMessage& command) {
  require_order(updates_ < options_.last_update, fmt::format("an update after update {}, the last", updates_));
  require_order(command.number == updates_ + 1, fmt::format("update {} follows update {}", command.number, updates_));
  require_order(command.count > 0 && command.count == sum_.count(),
                fmt::format("an update of {} gradients, where {} were added", command.count, sum_.count()));
  require_order(command.factor == sum_.factor(),
                fmt::format("the factor is {}, where the gradients give {}", command.factor, sum_.factor()));
  ended_ = !sum_.full();
  if (ended_) check_none_missing();
  sum_.take();
  ++updates_;
}

void RecordedOrder::check_none_missing() const {
  for (const auto& [client, has] : pulls_) {
    if (has.empty()) continue;
    throw JsonError(fmt::format(
        "the gradient of batch {} from client {} is missing; a run that did not end in order cannot be replayed",
        has.front().batch, client));
  }
}

void RecordedOrder::check_end() const {
  check_none_missing();
  require_order(sum_.count() == 0, fmt::format("the update of the last {} gradients is missing; a run that did not end "
                                               "in order cannot be replayed",
                                               sum_.count()));
}

}  // namespace lockstep
