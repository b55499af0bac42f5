#include "train/served/served_end.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "collective/watch/ranks_watch.h"
#include "ps/rest.h"

namespace lockstep {
namespace {

constexpr int kEnd = 2;  // tag of the end, which comes after all other messages

}  // namespace

void give_end(Messages& messages, const ServedEnd& end, const TrainingRank& rank) {
  const auto operation = rank.trace.begin(Operation::exchange, sizeof end);
  RanksWatch* const watch = rank.served->watch;
  if (watch != nullptr) watch->end_job(end.code);
  std::vector<std::pair<int, Messages::Started>> sends;
  for (int to = 1; to < messages.size(); ++to) {
    sends.emplace_back(to, messages.send(to, kEnd, std::as_bytes(std::span(&end, 1))));
  }
  const auto is_over = [&](const std::pair<int, Messages::Started>& send) {
    return messages.done(send.second) || (watch != nullptr && watch->has_ended(send.first));
  };
  RestBetweenPolls rest({});
  while (std::erase_if(sends, is_over), !sends.empty()) rest.pause(true);
}

ServedEnd await_end(Messages& messages, const TrainingRank& rank) {
  ServedEnd end;
  const auto operation = rank.trace.begin(Operation::exchange, sizeof end);
  RestBetweenPolls rest({});
  const Messages::Started receive = messages.receive(0, kEnd, std::as_writable_bytes(std::span(&end, 1)));
  while (!messages.done(receive)) rest.pause(true);
  return end;
}

}  // namespace lockstep
