#include "random_clusters.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "launch/cluster/cluster_descriptions.h"

namespace lockstep {
namespace {

constexpr int kClusters = 10000;

std::string text_of(const PlacedProcess& process) {
  return fmt::format("{}.{} {} {} color {} key {} {}", describe(process.task), process.index_in_task,
                     name(process.plan.role), process.plan.index, process.plan.color, process.plan.key,
                     process.plan.has_shares);
}

std::vector<std::string> text_of(const TaskPlacement& placement) {
  std::vector<std::string> texts;
  for (const PlacedProcess& process : placement.processes) texts.push_back(text_of(process));
  return texts;
}

std::vector<RankPlan> plans_of(const TaskPlacement& placement) {
  std::vector<RankPlan> plans;
  for (const PlacedProcess& process : placement.processes) plans.push_back(process.plan);
  return plans;
}

// Returns the places on each host.
std::map<std::string, std::vector<std::string>> by_host(const RandomJob& job, const TaskPlacement& placement) {
  std::map<std::string, std::vector<std::string>> hosts;
  for (std::size_t i = 0; i < job.processes.size(); ++i) {
    hosts[job.processes[i].host_names.front()].push_back(text_of(placement.processes[i]));
  }
  for (auto& [host, texts] : hosts) std::ranges::sort(texts);
  return hosts;
}

// Places the same job when each process has a TF_CONFIG of its own and no host is known.
TaskPlacement placed_by_tf_config(const RandomJob& job, const TaskPlacement& placement) {
  std::vector<ClusterDescription> descriptions;
  std::vector<ClusterProcess> processes;
  for (std::size_t i = 0; i < job.processes.size(); ++i) {
    const TaskName& task = placement.processes[i].task;
    const std::string text = tf_config_text(job.config.cluster, task, "cloud");
    descriptions.push_back({.source = fmt::format("process {}", i), .config = read_tf_config(text, "TF_CONFIG")});
    CHECK(descriptions.back().config.cluster == job.config.cluster);
    processes.push_back({.host_names = {}, .gpus = job.processes[i].gpus, .task = descriptions.back().config.task});
  }
  TfConfig together;
  together.cluster = merged_cluster(descriptions);
  return place_tasks(plan_cluster(together, job.flags), processes);
}

// Changes a text as a person or a program might, by mistake or to see what happens.
std::string mutated(std::string text, Draws& draws) {
  constexpr std::array<const char*, 14> kTokens = {"{}",   "[]",     "null",        "5",          "-1", "\"\"", "1e400",
                                                   "true", "\"ps\"", "\"\\u0000\"", "\"chief\":", ",",  "\xff", "[["};
  for (std::size_t times = draws.below(3) + 1; times > 0 && !text.empty(); --times) {
    const std::size_t at = draws.below(text.size());
    switch (draws.below(6)) {
      case 0:
        text[at] = static_cast<char>(draws.below(256));
        break;
      case 1:
        text.erase(at, draws.below(8) + 1);
        break;
      case 2:
        text.insert(at, kTokens[draws.below(kTokens.size())]);
        break;
      case 3:
        text.insert(at, text.substr(draws.below(text.size()), draws.below(40)));
        break;
      case 4: {  // another value for a number or a text
        const std::size_t from = text.find_first_of("\"0123456789", at);
        if (from == std::string::npos) break;
        const std::size_t to = text[from] == '"' ? text.find('"', from + 1) : from;
        text.replace(from, to == std::string::npos ? to : to - from + 1, kTokens[draws.below(kTokens.size())]);
        break;
      }
      default: {  // another name for a job
        constexpr std::array<const char*, 5> kJobs = {"chief", "worker", "ps", "master", "evaluator"};
        const char* const job = kJobs[draws.below(kJobs.size())];
        if (const auto from = text.find(job); from != std::string::npos) {
          text.replace(from, std::string_view(job).size(), kJobs[draws.below(kJobs.size())]);
        }
      }
    }
  }
  return text;
}

bool names_a_place(const std::string& message) {
  constexpr std::array<const char*, 8> kPlaces = {"at character ",
                                                  "TF_CONFIG: cluster",
                                                  "TF_CONFIG: task",
                                                  "TF_CONFIG: expected {",
                                                  "TF_CONFIG: '",
                                                  "levels of lists",
                                                  "TF_CONFIG: it is set, but empty",
                                                  "TF_CONFIG: its value is"};
  return std::ranges::any_of(kPlaces, [&](const char* place) { return message.find(place) != std::string::npos; });
}

}  // namespace

TEST_CASE("random clusters: ranks, a TF_CONFIG for each rank, and ranks again") {
  Draws draws(1);
  for (int i = 0; i < kClusters; ++i) {
    const RandomJob job = random_job(draws);
    CAPTURE(to_json(job.config.cluster).text());
    const TaskPlacement placement = place_tasks(plan_cluster(job.config, job.flags), job.processes);
    CHECK_NOTHROW(check_plan(plans_of(placement), job.processes.size()));
    REQUIRE(text_of(placed_by_tf_config(job, placement)) == text_of(placement));
  }
}

TEST_CASE("random clusters: a shuffled order of processes gives the same roles") {
  Draws draws(2);
  for (int i = 0; i < kClusters; ++i) {
    RandomJob job = random_job(draws);
    CAPTURE(to_json(job.config.cluster).text());
    const ClusterPlan plan = plan_cluster(job.config, job.flags);
    const auto expected = by_host(job, place_tasks(plan, job.processes));
    draws.shuffle(job.processes);
    REQUIRE(by_host(job, place_tasks(plan, job.processes)) == expected);
  }
}

TEST_CASE("random clusters: mutated ones are taken or refused with the place") {
  Draws draws(3);
  int taken = 0;
  int planned = 0;
  int refused = 0;
  for (int i = 0; i < kClusters; ++i) {
    const RandomJob job = random_job(draws);
    const TaskPlacement placement = place_tasks(plan_cluster(job.config, job.flags), job.processes);
    const std::string text = mutated(tf_config_text(job.config.cluster, placement.processes[0].task, "cloud"), draws);
    CAPTURE(text);
    TfConfig config;
    try {
      config = read_tf_config(text, "TF_CONFIG");
      ++taken;
    } catch (const Error& error) {
      const std::string message = error.what();
      CAPTURE(message);
      REQUIRE(error.code() == ExitCode::configuration);
      REQUIRE(names_a_place(message));
      ++refused;
      continue;
    }
    try {
      place_tasks(plan_cluster(config, job.flags), job.processes);
      ++planned;
    } catch (const Error& error) {
      REQUIRE(error.code() == ExitCode::configuration);
    }
  }
  CHECK(taken > kClusters / 20);
  CHECK(planned > kClusters / 50);
  CHECK(refused > kClusters / 5);
}

TEST_CASE("random clusters: 4096 tasks") {
  constexpr int kTasks = 4096;
  TfConfig config;
  config.cluster.jobs = {{"chief", {{0, "node0000.cluster:2222"}}}, {"worker", {}}};
  std::vector<ClusterProcess> processes;
  for (int i = 0; i < kTasks; ++i) {
    const std::string host = fmt::format("node{:04}", i);
    if (i > 0) config.cluster.jobs[1].tasks.emplace(i - 1, host + ".cluster:2222");
    processes.push_back({.host_names = {host, fmt::format("10.1.{}.{}", i / 256, i % 256)}});
  }
  std::ranges::reverse(processes);
  const std::string text = tf_config_text(config.cluster, {"chief", 0});
  double best_ms = std::numeric_limits<double>::max();
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const TaskPlacement placement = place_tasks(plan_cluster(read_tf_config(text, "TF_CONFIG"), {}), processes);
    best_ms =
        std::min(best_ms, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    for (int i = 0; i < kTasks; ++i) {
      REQUIRE(placement.processes[static_cast<std::size_t>(i)].plan.key == kTasks - 1 - i);
    }
  }
  MESSAGE("4096 tasks are translated in ", best_ms, " ms");
}

}  // namespace lockstep
