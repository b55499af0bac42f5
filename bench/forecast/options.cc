#include "options.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/python_number.h"
#include "base/split.h"
#include "base/whole_number.h"

namespace lockstep::bench {
namespace {

constexpr int kMostRanks = 1 << 20;

constexpr std::array<Flag, 16> kFlags{{
    {.group = "Links",
     .name = "timings",
     .placeholder = "FILE,...",
     .default_text = "",
     .help =
         "what bench/collective --json printed on two hosts, and on more for comparison; on one host, what shm takes"},
    {.group = "Links",
     .name = "link_gbit",
     .placeholder = "GBIT,...",
     .default_text = "",
     .help = "in place of --timings: bandwidths of a host's link, in Gbit/s; all is extrapolated then"},
    {.group = "Links",
     .name = "latency_us",
     .placeholder = "US",
     .default_text = "30",
     .help = "with --link_gbit: what a message takes beside its bytes, in microseconds"},
    {.group = "Links",
     .name = "host_gbs",
     .placeholder = "GB",
     .default_text = "10",
     .help =
         "GB/s at which the ranks of a host sum values in shared memory (algbw of bench/collective), where --timings "
         "has none of one host"},
    {.group = "Step",
     .name = "parameters",
     .placeholder = "N",
     .default_text = "",
     .help = "parameters of the model; without it the links are printed alone"},
    {.group = "Step",
     .name = "compute_ms",
     .placeholder = "MS",
     .default_text = "",
     .help = "what a step takes on one rank, as bench/step measures it"},
    {.group = "Step",
     .name = "batch",
     .placeholder = "N",
     .default_text = "",
     .help = "samples or tokens of a rank and a step, for samples/s"},
    {.group = "Step",
     .name = "overlap",
     .placeholder = "SHARE",
     .default_text = "",
     .help =
         "share of the backward pass that hides the exchange, from 0 to 1 (default: all but the first bucket's part)"},
    {.group = "Step",
     .name = "fusion_mb",
     .placeholder = "MB",
     .default_text = "4",
     .help = "size of the buckets, as of train"},
    {.group = "Step",
     .name = "wire",
     .placeholder = "TYPE",
     .default_text = "float32",
     .help = "type in which gradients travel: float32, bfloat16 or int8 (which train does not have)"},
    {.group = "Step",
     .name = "delay",
     .placeholder = "",
     .default_text = "",
     .help = "gradients are summed behind all of the next step (which train does not have)"},
    {.group = "Step",
     .name = "sync_every",
     .placeholder = "STEPS",
     .default_text = "",
     .help = "model averaging: parameters are averaged every so many steps, in place of gradients"},
    {.group = "Ranks",
     .name = "ranks",
     .placeholder = "N,...",
     .default_text = "8,16,32,64,128,256,512,1024,2048,4096",
     .help = "numbers of ranks"},
    {.group = "Ranks", .name = "ranks_per_host", .placeholder = "N", .default_text = "1", .help = "ranks of a host"},
    {.group = "Output", .name = "json", .placeholder = "", .default_text = "", .help = "print one JSON object a line"},
    {.group = "Output", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

std::vector<double> gbits_of(const CommandLine& line) {
  std::vector<double> gbits;
  if (!line.given("link_gbit")) return gbits;
  for (const std::string& text : split_at(line.text("link_gbit"), ',')) {
    const std::optional<double> gbit = parse_python_float(text);
    if (!gbit || !(*gbit > 0 && *gbit <= 1e6)) {
      line.refuse("link_gbit", fmt::format("'{}' is not a bandwidth in Gbit/s, like 25 or 10,100", text));
    }
    gbits.push_back(*gbit);
  }
  return gbits;
}

std::vector<HostGrid> grids_of(const CommandLine& line) {
  const auto ranks_per_host = static_cast<int>(line.integer("ranks_per_host", 1, kMostRanks));
  std::vector<HostGrid> grids;
  for (const std::string& text : split_at(line.text("ranks"), ',')) {
    const std::optional<int> ranks = parse_digits<int>(text);
    if (!ranks || *ranks < 2 || *ranks > kMostRanks || *ranks % ranks_per_host != 0) {
      line.refuse("ranks", fmt::format("'{}' is not a number of ranks from 2 to {} that hosts of {} fill", text,
                                       kMostRanks, ranks_per_host));
    }
    grids.push_back({.hosts = *ranks / ranks_per_host, .ranks_per_host = ranks_per_host});
  }
  return grids;
}

std::optional<double> overlap_of(const CommandLine& line) {
  if (!line.given("overlap")) return {};
  const std::optional<double> share = parse_python_float(line.text("overlap"));
  if (!share || !(*share >= 0 && *share <= 1)) line.refuse("overlap", "expected a share from 0 to 1");
  return share;
}

TrainingStep::Exchange exchange_of(const CommandLine& line) {
  if (!line.given("sync_every")) {
    return line.on("delay") ? TrainingStep::Exchange::delayed : TrainingStep::Exchange::every_step;
  }
  for (const char* other : {"delay", "wire", "overlap", "fusion_mb"}) {
    if (line.given(other))
      line.refuse(other, "--sync_every sums parameters, whole and in float32; leave one of the two out");
  }
  return TrainingStep::Exchange::averaging;
}

std::optional<TrainingStep> step_of(const CommandLine& line) {
  for (const char* other : {"compute_ms", "batch", "overlap", "fusion_mb", "wire", "delay", "sync_every"}) {
    if (line.given(other) && !line.given("parameters")) line.refuse(other, "a step needs --parameters, too");
  }
  if (!line.given("parameters")) return {};
  if (!line.given("compute_ms")) line.refuse("parameters", "a step needs --compute_ms, too");
  return TrainingStep{.parameters = static_cast<double>(line.integer("parameters", 1, std::int64_t{1} << 50)),
                      .compute_ms = line.number_above_zero("compute_ms", 1e9),
                      .overlap = overlap_of(line),
                      .fusion_mb = line.number_above_zero("fusion_mb", 65536),
                      .wire = static_cast<WireType>(line.choice("wire", wire_type_names())),
                      .exchange = exchange_of(line),
                      .sync_every = line.given("sync_every") ? line.integer("sync_every", 1, 1'000'000'000) : 1,
                      .batch = line.given("batch") ? line.number_above_zero("batch", 1e9) : 0};
}

}  // namespace

std::span<const Flag> forecast_flags() { return kFlags; }

ForecastOptions parse_forecast_options(std::span<const std::string> args) {
  const CommandLine line("bench/forecast", kFlags, args);
  if (line.given("timings") == line.given("link_gbit")) {
    throw Error(ExitCode::usage,
                "give --timings=FILE with what bench/collective --json printed on two hosts, or --link_gbit=10",
                Scope::every_rank);
  }
  if (line.given("timings") && line.given("latency_us")) line.refuse("latency_us", "it is fitted to --timings");
  return {.timings = line.given("timings") ? split_at(line.text("timings"), ',') : std::vector<std::string>{},
          .link_gbit = gbits_of(line),
          .latency_us = line.number_above_zero("latency_us", 1e6),
          .host_gbs = line.number_above_zero("host_gbs", 1e6),
          .step = step_of(line),
          .grids = grids_of(line),
          .json = line.on("json")};
}

}  // namespace lockstep::bench
