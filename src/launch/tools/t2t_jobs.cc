#include "launch/tools/t2t_jobs.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/json.h"

namespace lockstep {
namespace {

Json::Array addresses_json(const std::vector<std::string>& addresses) { return {addresses.begin(), addresses.end()}; }

Json cluster_json(const T2tAddresses& addresses) {
  Json::Array ps = addresses_json(addresses.ps);
  Json::Array masters = addresses_json(addresses.masters);
  if (masters.size() == 1) return Json::Object{{"ps", std::move(ps)}, {"master", std::move(masters)}};
  Json::Array chief = {masters.front()};
  masters.erase(masters.begin());
  return Json::Object{{"ps", std::move(ps)}, {"chief", std::move(chief)}, {"worker", std::move(masters)}};
}

// As Python's json.dumps writes it: every character beyond ASCII as one or two \uXXXX. text: JSON, so that such
// characters stand in its texts only, and are UTF-8.
std::string in_ascii(const std::string& text) {
  std::string ascii;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(text[at])}; };
    if (byte(i) < 0x7f) {
      ascii += text[i++];
      continue;
    }
    const std::size_t bytes = byte(i) < 0x80 ? 1 : byte(i) < 0xe0 ? 2 : byte(i) < 0xf0 ? 3 : 4;
    std::uint32_t character = bytes == 1 ? byte(i) : byte(i) & (0x7fU >> bytes);
    for (std::size_t at = i + 1; at < i + bytes; ++at) character = character << 6 | (byte(at) & 0x3fU);
    if (character < 0x10000) {
      ascii += fmt::format("\\u{:04x}", character);
    } else {
      ascii += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (character >> 10), 0xdc00 + (character & 0x3ffU));
    }
    i += bytes;
  }
  return ascii;
}

std::string job_line(const Json& cluster, const std::string& type, std::size_t index, const std::string& flags) {
  const Json tf_config =
      Json::Object{{"cluster", cluster},
                   {"task", Json::Object{{"type", type}, {"index", static_cast<std::int64_t>(index)}}},
                   {"environment", "cloud"}};
  return fmt::format("'{}'\t{}\n", in_ascii(tf_config.text(Json::Form::readable)), flags);
}

// The flags of the master of that number. If there are several, --sync is left out, and the blank before it stays.
std::string trainer_flags(const T2tAddresses& addresses, std::size_t master, const std::string& type) {
  const bool sync = addresses.masters.size() == 1;
  return fmt::format(
      "--master=grpc://{} --ps_replicas={} --worker_replicas={} --worker_gpu={} --worker_id={} --ps_gpu={} {} "
      "--schedule=train --worker_job='/job:{}'",
      addresses.masters[master], addresses.ps.size(), addresses.masters.size(), sync ? 0 : 1, master, sync ? 1 : 0,
      sync ? "--sync" : "", type);
}

}  // namespace

std::string t2t_jobs_text(const T2tAddresses& addresses) {
  const std::size_t masters = addresses.masters.size();
  const std::size_t servers = addresses.ps.size();
  std::string text =
      masters == 1 ? fmt::format("Assuming SYNC distributed training with a single master and {} workers\n", servers)
                   : fmt::format("Assuming ASYNC distributed training with {} workers and {} parameter servers\n",
                                 masters, servers);
  const Json cluster = cluster_json(addresses);
  for (std::size_t i = 0; i < masters; ++i) {
    const std::string type = masters == 1 ? "master" : i == 0 ? "chief" : "worker";
    text += job_line(cluster, type, i == 0 ? 0 : i - 1, trainer_flags(addresses, i, type));
  }
  for (std::size_t i = 0; i < servers; ++i) text += job_line(cluster, "ps", i, "--schedule=run_std_server");
  return text;
}

}  // namespace lockstep
