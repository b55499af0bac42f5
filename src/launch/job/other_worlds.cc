#include "launch/job/other_worlds.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "base/clock.h"
#include "collective/mpi/mpi_session.h"

namespace lockstep {

OtherWorlds::OtherWorlds(MpiSession& session, std::span<const RankPlan> plan) : session_(session) {
  std::map<int, std::size_t> leaders;  // by color
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto [first, is_new] = leaders.emplace(plan[i].color, i);
    if (!is_new && plan[i].key < plan[first->second].key) first->second = i;
  }
  leaders.erase(plan[static_cast<std::size_t>(session.process())].color);
  for (const auto& [color, process] : leaders) leaders_.push_back(static_cast<int>(process));
}

void OtherWorlds::tell(News news) {
  for (const int leader : leaders_) session_.tell(leader, static_cast<int>(news));
}

bool OtherWorlds::has_told(News news) {
  for (const int number : session_.told()) told_.insert(number);
  return told_.contains(static_cast<int>(news));
}

ExitCode OtherWorlds::await(ExitCode mine, const std::function<void(ExitCode)>& lost,
                            const std::function<void()>& each_look) {
  // All ranks of a world may have failed alike, and each has sent the news: then they arrive at once.
  constexpr double kGraceSeconds = 5;
  const bool leads = session_.rank() == 0;
  std::optional<Stopwatch> since_failure;
  if (leads) tell(News::ended);
  const std::vector<int> codes = session_.await_all(static_cast<int>(mine), [&] {
    each_look();
    if (!leads || !has_told(News::failed)) return;
    if (!since_failure) since_failure.emplace();
    if (since_failure->seconds() < kGraceSeconds) return;
    lost(mine == ExitCode::stopped ? mine : ExitCode::internal);
  });
  if (leads) has_told(News::ended);  // receives all news, so that none is left in MPI
  return code_of_job(mine, codes);
}

ExitCode code_of_job(ExitCode mine, std::span<const int> codes) {
  const auto any = [&](ExitCode code) { return std::ranges::find(codes, static_cast<int>(code)) != codes.end(); };
  if (!any(ExitCode::internal)) return mine;
  return any(ExitCode::stopped) ? ExitCode::stopped : ExitCode::internal;
}

}  // namespace lockstep
