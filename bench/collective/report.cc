#include "report.h"

#include <fmt/format.h>

namespace lockstep::bench {
namespace {

double gbs(const Case& c, const Result& result) { return static_cast<double>(c.bytes) / result.times.p50 * 1e-3; }

// Formats bytes as the sizes are chosen: 4 B, 64 KB, 16 MB.
std::string size_text(std::int64_t bytes) {
  if (bytes % (1 << 20) == 0) return fmt::format("{} MB", bytes >> 20);
  if (bytes % (1 << 10) == 0) return fmt::format("{} KB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

}  // namespace

std::string result_json(const Case& c, const Result& result) {
  const Times& times = result.times;
  const Times& limit = result.limit;
  return fmt::format(R"({{"op": "{}", "backend": "{}", "dtype": "{}", "ranks": {}, "hosts": {}, "ranks_per_host": {}, )"
                     R"("bytes": {}, )"
                     R"("time_us_best": {:.3f}, "time_us_mean": {:.3f}, "time_us_p50": {:.3f}, "time_us_p99": {:.3f}, )"
                     R"("algbw_gbs": {:.3f}, "busbw_gbs": {:.3f}, "limit_us_best": {:.3f}, "limit_us_p50": {:.3f}, )"
                     R"("limit_share_best": {:.3f}, "limit_share_p50": {:.3f}, "wrong": {}}})"
                     "\n",
                     name(c.op), result.backend, name(c.dtype), c.ranks, c.hosts, c.ranks_per_host, c.bytes, times.best,
                     times.mean, times.p50, times.p99, gbs(c, result), gbs(c, result) * bus_factor(c), limit.best,
                     limit.p50, limit.best / times.best, limit.p50 / times.p50, result.wrong);
}

std::string table_head(const Case& c) {
  return fmt::format(
      "{}, {}, {} rank(s); times of the slowest rank; GB/s of the median; limit: the memory's share of it\n\n"
      "{:>8}  {:<10}{:>12}{:>12}{:>12}{:>9}{:>9}{:>8}{:>8}\n",
      name(c.op), name(c.dtype), c.ranks, "size", "backend", "best us", "median us", "p99 us", "algbw", "busbw",
      "limit", "wrong");
}

std::string table_line(const Case& c, const Result& result) {
  return fmt::format("{:>8}  {:<10}{:>12.2f}{:>12.2f}{:>12.2f}{:>9.2f}{:>9.2f}{:>6.1f} %{:>8}\n", size_text(c.bytes),
                     result.backend, result.times.best, result.times.p50, result.times.p99, gbs(c, result),
                     gbs(c, result) * bus_factor(c), 100 * result.limit.p50 / result.times.p50, result.wrong);
}

}  // namespace lockstep::bench
