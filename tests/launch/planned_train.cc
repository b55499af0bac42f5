// train under other job plans than the default one, for the tests of roles. LOCKSTEP_PLAN:
//
//   without:N   process N has no share of the data
//   shuffled    the launcher's last process is the chief, the others follow in its order
//   evaluator   no rank trains: the last process forms a world of its own, which is busy for longer than the others
//   late        the same, but the others do not wait that long
//   group       no rank trains: the world's last two ranks form a group, in which the last one never arrives
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collective/make_communicator.h"
#include "launch/job/run_rank.h"
#include "launch/train_program.h"

namespace lockstep {
namespace {

const Job::Options kImpatient{.quiet = true, .hang_timeout_s = 6};

std::vector<RankPlan> shuffled(std::span<const ProcessFacts> processes) {
  std::vector<RankPlan> plan = plan_workers(processes);
  plan.back() = {.role = Role::chief, .key = -1};
  for (std::size_t process = 0; process + 1 < plan.size(); ++process) {
    plan[process].role = Role::worker;
    plan[process].index = static_cast<int>(process);
  }
  return plan;
}

std::vector<RankPlan> with_evaluator(std::span<const ProcessFacts> processes) {
  std::vector<RankPlan> plan = plan_workers(processes);
  plan.back() = {.role = Role::evaluator, .color = 1};
  return plan;
}

JobPlanner without(int process) {
  return [process](std::span<const ProcessFacts> processes) {
    std::vector<RankPlan> plan = plan_workers(processes);
    plan.at(static_cast<std::size_t>(process)).has_shares = false;
    return plan;
  };
}

ExitCode evaluate_alone(Job& job, std::optional<double> others_timeout_s) {
  Job::Options options = kImpatient;
  options.others_timeout_s = others_timeout_s;
  job.start(options, with_evaluator);
  if (job.plan().role == Role::evaluator) {
    const auto phase = job.trace().enter(Phase::evaluate);
    std::this_thread::sleep_for(std::chrono::seconds(8));
  }
  const auto world = make_world(job.session(), job.trace());
  const auto ranks = all_gather_value(*world, job.rank());
  std::fputs(fmt::format("{} {} of {}\n", name(job.plan().role), job.rank(), ranks.size()).c_str(), stdout);
  world->close();
  return ExitCode::done;
}

ExitCode hang_in_a_group(Job& job) {
  job.start(kImpatient);
  const auto world = make_world(job.session(), job.trace());
  const int last = world->size() - 1;
  const auto group = world->split(world->rank() >= last - 1 ? 1 : 0, world->rank());
  for (int i = 0; world->rank() < last - 1 && i < 5; ++i) all_gather_value(*group, i);
  if (world->rank() == last) std::this_thread::sleep_for(std::chrono::seconds(300));
  if (world->rank() == last - 1) all_gather_value(*group, 0);
  all_gather_value(*world, 0);
  return ExitCode::done;
}

int run(const std::string& plan, const std::vector<std::string>& args) {
  if (plan == "evaluator") return run_rank([](Job& job) { return evaluate_alone(job, {}); });
  if (plan == "late") return run_rank([](Job& job) { return evaluate_alone(job, 2); });
  if (plan == "group") return run_rank(hang_in_a_group);
  const std::string prefix = "without:";
  const JobPlanner planner =
      plan.starts_with(prefix) ? without(std::stoi(plan.substr(prefix.size()))) : JobPlanner(shuffled);
  return run_train_program(args, builtin_registry(), planner);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const char* plan = std::getenv("LOCKSTEP_PLAN");
  return lockstep::run(plan == nullptr ? "" : plan, std::vector<std::string>(argv + 1, argv + argc));
}
