#include "support/shm_ranks.h"

#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "collective/shm/shm_communicator.h"

namespace lockstep {
namespace {

void run(RankContext& context, const std::function<void(RankContext&)>& body) {
  const bool threads = std::string_view(context.communicator.name()) == "thread";
  ShmResult made =
      make_shm_communicator(context.communicator, context.trace, threads ? Sharing::in_process : Sharing::mapped);
  REQUIRE_MESSAGE(made.communicator != nullptr, made.why_not);
  RankContext inner{*made.communicator, context.trace, context.page};
  body(inner);
  made.communicator->close();
  meet(context.communicator);
}

}  // namespace

void for_shm_ranks(const std::function<void(RankContext&)>& body) {
  for_rank_contexts([&](RankContext& context) { run(context, body); });
}

void for_shm_thread_ranks(int world_size, const std::function<void(RankContext&)>& body) {
  for_thread_ranks(world_size, [&](RankContext& context) { run(context, body); });
}

}  // namespace lockstep
