#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "base/median.h"

namespace lockstep::bench {
namespace {

double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }
double most(const std::vector<double>& values) { return *std::ranges::max_element(values); }

// Formats bytes as the sizes are chosen: 64 KB, 16 MB.
std::string size_text(std::int64_t bytes) {
  if (bytes % (1 << 20) == 0) return fmt::format("{} MB", bytes >> 20);
  if (bytes % (1 << 10) == 0) return fmt::format("{} KB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::string ranks_text(const PsRanks& ranks) {
  return fmt::format("{} client(s), {} server(s)", ranks.clients, ranks.servers);
}

std::string ranks_json(const PsRanks& ranks, PsTransport transport, std::int64_t bytes) {
  return fmt::format(R"("transport": "{}", "clients": {}, "servers": {}, "bytes": {})", name(transport), ranks.clients,
                     ranks.servers, bytes);
}

// Rates and shares of memcpy's speed.
struct Speeds {
  double gbs_best;
  double gbs_median;
  double memcpy_gbs_best;
  double memcpy_gbs_median;
  double share_best;    // best against best
  double share_median;  // the median of the turns' shares
};

Speeds speeds_of(std::int64_t bytes, const MovedTimes& times) {
  std::vector<double> shares(times.seconds.size());
  std::ranges::transform(times.memcpy_seconds, times.seconds, shares.begin(), std::divides<>());
  const double gigabytes = static_cast<double>(bytes) * 1e-9;
  return {.gbs_best = gigabytes / least(times.seconds),
          .gbs_median = gigabytes / median(times.seconds),
          .memcpy_gbs_best = gigabytes / least(times.memcpy_seconds),
          .memcpy_gbs_median = gigabytes / median(times.memcpy_seconds),
          .share_best = least(times.memcpy_seconds) / least(times.seconds),
          .share_median = median(shares)};
}

std::string moved_json(const char* what, const std::string& ranks, std::int64_t bytes, const MovedTimes& times,
                       std::int64_t wrong) {
  const Speeds speeds = speeds_of(bytes, times);
  return fmt::format(R"({{"what": "{}", {}, "times": {}, "time_us_best": {:.3f}, "time_us_median": {:.3f}, )"
                     R"("gbs_best": {:.3f}, "gbs_median": {:.3f}, "memcpy_gbs_best": {:.3f}, )"
                     R"("memcpy_gbs_median": {:.3f}, "memcpy_share_best": {:.3f}, "memcpy_share_median": {:.3f}, )"
                     R"("wrong": {}}})"
                     "\n",
                     what, ranks, times.seconds.size(), 1e6 * least(times.seconds), 1e6 * median(times.seconds),
                     speeds.gbs_best, speeds.gbs_median, speeds.memcpy_gbs_best, speeds.memcpy_gbs_median,
                     speeds.share_best, speeds.share_median, wrong);
}

std::string moved_line(const char* what, PsTransport transport, std::int64_t bytes, const MovedTimes& times) {
  const Speeds speeds = speeds_of(bytes, times);
  return fmt::format("{:>8}  {:<12}{:<6}{:>11.1f}{:>11.1f}{:>9.2f}{:>9.2f}{:>9.2f}{:>9.2f}{:>6.0f} %{:>6.0f} %\n",
                     size_text(bytes), name(transport), what, 1e6 * least(times.seconds), 1e6 * median(times.seconds),
                     speeds.gbs_best, speeds.gbs_median, speeds.memcpy_gbs_best, speeds.memcpy_gbs_median,
                     100 * speeds.share_best, 100 * speeds.share_median);
}

// The shares of the steps of before that are made beside saves, of each round.
std::vector<double> kept_shares(const SaveTimes& times) {
  std::vector<double> shares(times.before.size());
  std::ranges::transform(times.beside, times.before, shares.begin(), std::divides<>());
  return shares;
}

// "none" for no bound.
std::string bound_text(StalenessBound bound) { return bound ? fmt::format("{}", *bound) : "none"; }

// Without the zeros at the end.
std::span<const std::int64_t> seen(const std::vector<std::int64_t>& histogram) {
  const auto end = std::find_if(histogram.rbegin(), histogram.rend(), [](std::int64_t count) { return count > 0; });
  return {histogram.begin(), end.base()};
}

// "0: 3 %, 1: 95 %, 4: 2 %".
std::string histogram_text(const std::vector<std::int64_t>& histogram) {
  const auto all = static_cast<double>(std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0}));
  std::string text;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;
    text += fmt::format("{}{}: {:.0f} %", text.empty() ? "" : ", ", i, 100 * static_cast<double>(histogram[i]) / all);
  }
  return text;
}

// The percentiles of pushes, in microseconds.
struct Percentiles {
  double p50;
  double p99;
  double most;
};

Percentiles percentiles_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const auto at = [&](double share) {
    return 1e6 * seconds[static_cast<std::size_t>(std::ceil(share * static_cast<double>(seconds.size()))) - 1];
  };
  return {.p50 = at(0.5), .p99 = at(0.99), .most = at(1)};
}

}  // namespace

std::string transfer_json(const PsRanks& ranks, PsTransport transport, std::int64_t bytes, const TransferTimes& times) {
  const std::string where = ranks_json(ranks, transport, bytes);
  return moved_json("pull", where, bytes, times.pull, times.wrong) +
         moved_json("push", where, bytes, times.push, times.wrong);
}

std::string transfer_head(const PsRanks& ranks) {
  return fmt::format(
      "pulls and pushes of one client, {}; GB/s of them and of a memcpy of as many bytes; share: of memcpy's speed\n\n"
      "{:>8}  {:<12}{:<6}{:>11}{:>11}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n",
      ranks_text(ranks), "size", "transport", "", "best us", "median us", "best", "median", "memcpy", "median", "share",
      "median");
}

std::string transfer_lines(PsTransport transport, std::int64_t bytes, const TransferTimes& times) {
  return moved_line("pull", transport, bytes, times.pull) + moved_line("push", transport, bytes, times.push);
}

std::string update_json(const PsRanks& ranks, const PsOptions& options, const UpdateCase& c, const UpdateTimes& times) {
  std::string share = "null";
  std::string share_median = "null";
  if (!times.share.empty()) {
    share = fmt::format("{:.4f}", most(times.share));
    share_median = fmt::format("{:.4f}", median(times.share));
  }
  return fmt::format(R"({{"what": "updates", {}, "max_staleness": {}, "compute_ms": {}, "slow": {}, "rounds": {}, )"
                     R"("updates_per_second_best": {:.3f}, "updates_per_second_median": {:.3f}, )"
                     R"("speed_share_best": {}, "speed_share_median": {}, "staleness": [{}], "batches": [{}], )"
                     R"("wrong": {}}})"
                     "\n",
                     ranks_json(ranks, c.transport, c.bytes),
                     c.max_staleness ? fmt::format("{}", *c.max_staleness) : "null", 1e3 * options.compute_s,
                     options.slow, times.per_second.size(), most(times.per_second), median(times.per_second), share,
                     share_median, fmt::join(seen(times.staleness), ", "), fmt::join(times.batches, ", "), times.wrong);
}

std::string update_head(const PsRanks& ranks, const PsOptions& options) {
  return fmt::format(
      "\nupdates of all clients, {}; {:g} ms of sleep for a gradient, {:g} times as long on the last client;\n"
      "share: of the sum of the speeds of clients that only compute\n\n"
      "{:>8}  {:<12}{:>6}{:>12}{:>12}{:>8}{:>8}  staleness\n",
      ranks_text(ranks), 1e3 * options.compute_s, options.slow, "size", "transport", "bound", "best 1/s", "median 1/s",
      "share", "median");
}

std::string update_line(const UpdateCase& c, const UpdateTimes& times) {
  const bool has_share = !times.share.empty();
  return fmt::format("{:>8}  {:<12}{:>6}{:>12.1f}{:>12.1f}{:>8}{:>8}  {}\n", size_text(c.bytes), name(c.transport),
                     bound_text(c.max_staleness), most(times.per_second), median(times.per_second),
                     has_share ? fmt::format("{:.1f} %", 100 * most(times.share)) : "",
                     has_share ? fmt::format("{:.1f} %", 100 * median(times.share)) : "",
                     histogram_text(times.staleness));
}

std::string delay_json(const PsRanks& ranks, PsTransport transport, std::int64_t bytes, const PushDelays& delays) {
  const Percentiles beside = percentiles_of(delays.beside);
  const Percentiles alone = percentiles_of(delays.alone);
  return fmt::format(R"({{"what": "delay", {}, "pushes": {}, "push_us_p50": {:.1f}, "push_us_p99": {:.1f}, )"
                     R"("push_us_max": {:.1f}, "pushes_alone": {}, "push_alone_us_p50": {:.1f}, )"
                     R"("push_alone_us_p99": {:.1f}, "push_alone_us_max": {:.1f}}})"
                     "\n",
                     ranks_json(ranks, transport, bytes), delays.beside.size(), beside.p50, beside.p99, beside.most,
                     delays.alone.size(), alone.p50, alone.p99, alone.most);
}

std::string delay_head(const PsRanks& ranks) {
  return fmt::format(
      "\npushes of one client until they are whole, {}; beside others that compute for a second, and alone; us\n\n"
      "{:>8}  {:<12}{:>8}{:>11}{:>11}{:>11}{:>8}{:>11}{:>11}{:>11}\n",
      ranks_text(ranks), "size", "transport", "pushes", "p50", "p99", "longest", "alone", "p50", "p99", "longest");
}

std::string delay_line(PsTransport transport, std::int64_t bytes, const PushDelays& delays) {
  const Percentiles beside = percentiles_of(delays.beside);
  const Percentiles alone = percentiles_of(delays.alone);
  return fmt::format("{:>8}  {:<12}{:>8}{:>11.1f}{:>11.1f}{:>11.1f}{:>8}{:>11.1f}{:>11.1f}{:>11.1f}\n",
                     size_text(bytes), name(transport), delays.beside.size(), beside.p50, beside.p99, beside.most,
                     delays.alone.size(), alone.p50, alone.p99, alone.most);
}

std::string save_json(const PsRanks& ranks, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                      const SaveTimes& times) {
  const std::vector<double> shares = kept_shares(times);
  return fmt::format(R"({{"what": "save", {}, "compute_ms": {}, "saves": {}, "save_s_median": {:.4f}, )"
                     R"("steps_per_second_before": {:.3f}, "steps_per_second_beside": {:.3f}, )"
                     R"("share_best": {:.4f}, "share_median": {:.4f}}})"
                     "\n",
                     ranks_json(ranks, transport, bytes), 1e3 * options.compute_s, times.seconds.size(),
                     median(times.seconds), median(times.before), median(times.beside), most(shares), median(shares));
}

std::string save_head(const PsRanks& ranks, const PsOptions& options) {
  return fmt::format(
      "\nsteps of the other clients while the first one saves again and again, {}; {:g} ms of sleep for a gradient;\n"
      "share: of their steps while it sleeps\n\n"
      "{:>8}  {:<10}{:>8}{:>10}{:>13}{:>13}{:>8}{:>8}\n",
      ranks_text(ranks), 1e3 * options.compute_s, "size", "transport", "saves", "median s", "before, 1/s",
      "beside, 1/s", "share", "median");
}

std::string save_line(PsTransport transport, std::int64_t bytes, const SaveTimes& times) {
  const std::vector<double> shares = kept_shares(times);
  return fmt::format("{:>8}  {:<10}{:>8}{:>10.3f}{:>13.1f}{:>13.1f}{:>8}{:>8}\n", size_text(bytes), name(transport),
                     times.seconds.size(), median(times.seconds), median(times.before), median(times.beside),
                     fmt::format("{:.1f} %", 100 * most(shares)), fmt::format("{:.1f} %", 100 * median(shares)));
}

}  // namespace lockstep::bench
