// Measures the collective operations of each backend against plain MPI and the bandwidth of memory.
//
//   mpirun -np 2 build/bench/collective --op=allreduce --backends=shm,mpi,mpi_plain [--bytes=65536,1048576] [--json]
//
// Backends take turns at every size, so that all see the same machine. --choose prints the table for train
// --collective_table, the best choice for train --collective=auto on these ranks.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../program.h"
#include "base/split.h"
#include "base/whole_number.h"
#include "choose.h"
#include "launch/flags/command_line.h"
#include "measurement.h"
#include "report.h"

namespace lockstep::bench {
namespace {

constexpr std::int64_t kLargest = std::int64_t{256} << 20;

constexpr std::array<Flag, 8> kFlags{{
    {.group = "Collective",
     .name = "op",
     .placeholder = "NAME",
     .default_text = "allreduce",
     .help = "allreduce, reduce_scatter, all_gather or broadcast"},
    {.group = "Collective",
     .name = "backends",
     .placeholder = "NAME,...",
     .default_text = "",
     .help = "Lockstep's own shm, mpi, ring, hierarchical, auto or self, as --collective of train; mpi_plain, one MPI "
             "call on "
             "memory of the heap, the peer (default: shm,mpi,mpi_plain; self without mpirun)"},
    {.group = "Collective",
     .name = "bytes",
     .placeholder = "N,...",
     .default_text = "",
     .help = "sizes of the whole tensor; 4, 16, 64, ... up to 256 MB unless given"},
    {.group = "Collective",
     .name = "dtype",
     .placeholder = "NAME",
     .default_text = "float32",
     .help = "float32, float64, bfloat16, float16 or uint8"},
    {.group = "Collective",
     .name = "seconds",
     .placeholder = "S",
     .default_text = "0.5",
     .help = "about how long each backend runs at each size"},
    {.group = "Collective",
     .name = "choose",
     .placeholder = "",
     .default_text = "",
     .help = "print the table of what is fastest on these ranks, for --collective_table of train, and nothing else"},
    {.group = "Collective",
     .name = "json",
     .placeholder = "",
     .default_text = "",
     .help = "print one JSON object for each size and backend"},
    {.group = "Collective", .name = "help", .placeholder = "", .default_text = "", .help = "print this text"},
}};

struct Options {
  Case shape;                         // all but bytes, ranks and hosts
  std::vector<std::string> backends;  // empty: not given
  std::vector<std::int64_t> sizes;
  double seconds;
  bool choose;
  bool json;
};

std::vector<std::int64_t> sizes_of(const CommandLine& line, DType dtype) {
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  std::vector<std::int64_t> sizes;
  if (!line.given("bytes")) {
    for (std::int64_t bytes = 4; bytes <= kLargest; bytes *= 4) {
      if (bytes % element == 0) sizes.push_back(bytes);
    }
    return sizes;
  }
  for (const std::string& text : split_at(line.text("bytes"), ',')) {
    const std::optional<std::int64_t> bytes = parse_digits<std::int64_t>(text);
    if (!bytes || *bytes < 1 || *bytes % element != 0) {
      line.refuse("bytes", fmt::format("'{}' is not a number of bytes that {} elements fill, like 65536 or 4,1024",
                                       text, name(dtype)));
    }
    sizes.push_back(*bytes);
  }
  return sizes;
}

Options parse(std::span<const std::string> args) {
  const CommandLine line("bench/collective", kFlags, args);
  constexpr std::array kTypes{DType::float32, DType::float64, DType::bfloat16, DType::float16, DType::uint8};
  std::vector<std::string> types;
  types.reserve(kTypes.size());
  for (const DType dtype : kTypes) types.emplace_back(name(dtype));
  for (const char* other : {"op", "backends", "dtype", "json"}) {
    if (line.on("choose") && line.given(other)) {
      line.refuse(other, "--choose compares all-reduces of float32 and prints a table; leave one of the two out");
    }
  }
  const DType dtype = kTypes.at(line.choice("dtype", types));
  return {.shape = {.op = static_cast<Collective>(line.choice("op", collective_names())), .dtype = dtype},
          .backends = line.given("backends") ? split_at(line.text("backends"), ',') : std::vector<std::string>{},
          .sizes = sizes_of(line, dtype),
          .seconds = line.number_above_zero("seconds", 60),
          .choose = line.on("choose"),
          .json = line.on("json")};
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // shows progress of a long run
}

std::vector<std::string> backends_of(const Options& options, const HostLayout& hosts, bool with_mpi) {
  if (options.choose) return {"mpi", std::string(alternative_to_mpi(hosts.hosts(), hosts.most_ranks()))};
  return options.backends.empty() ? split_at(default_implementations(with_mpi), ',') : options.backends;
}

void run(const Options& options, Job& job) {
  job.start({.quiet = true});
  const auto backend = make_backend({});
  const auto world = make_world(job.session(), job.trace());
  const CommunicatorParts parts{.group = *world,
                                .session = job.session(),
                                .trace = job.trace(),
                                .backend = *backend,
                                .overlap = Overlap::inline_calls};
  const HostLayout hosts = find_hosts(*world, job.host());
  const std::vector<std::string> names = backends_of(options, hosts, job.session() != nullptr);
  Implementations implementations;
  implementations.reserve(names.size());
  for (const std::string& name : names) implementations.emplace_back(name, connect(name, parts));

  const bool chief = job.rank() == 0;
  Case c = options.shape;
  c.rank = world->rank();
  c.ranks = world->size();
  c.hosts = hosts.hosts();
  c.ranks_per_host = hosts.most_ranks();
  if (chief && !options.json && !options.choose) print(table_head(c));
  std::vector<CollectiveTiming> timings;
  std::int64_t wrong = 0;
  for (const std::int64_t bytes : options.sizes) {
    c.bytes = bytes;
    const std::vector<Result> results = measure(*world, *backend, implementations, c, options.seconds);
    append_timings(timings, hosts, c, results);
    for (const Result& result : results) {
      if (chief && !options.choose) print(options.json ? result_json(c, result) : table_line(c, result));
      wrong += result.wrong;
    }
  }
  if (chief && options.choose) print(to_json(fastest_collectives(timings)));
  for (const auto& [name, implementation] : implementations) implementation->close();
  world->close();
  if (wrong != 0) {
    throw Error(ExitCode::internal, fmt::format("{} values were wrong; without --choose, the lines say whose", wrong),
                Scope::every_rank);
  }
}

}  // namespace
}  // namespace lockstep::bench

int main(int argc, char** argv) {
  using namespace lockstep::bench;
  return run_program(argc, argv, kFlags,
                     [](std::span<const std::string> args, lockstep::Job& job) { run(parse(args), job); });
}
