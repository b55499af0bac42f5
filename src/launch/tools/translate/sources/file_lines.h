#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "launch/tools/translate/rank_list.h"

// Common parts of the files of hosts: one host per line, with its number of processes. Pure.
namespace lockstep {

struct FileLine {
  int number = 0;  // number of the line, from 1
  std::vector<std::string_view> words;
};

// The lines that have words, split at blanks; # begins a comment.
std::vector<FileLine> lines_of(std::string_view text);

// More than any cluster has: a number beyond is a mistake.
inline constexpr int kMaxSlots = 1 << 18;

// Throws Error of every rank, bad_data: "PATH:LINE: why".
[[noreturn]] void refuse_line(const std::string& path, int line, const std::string& why);

// A number of slots, from `least` to kMaxSlots. Throws as refuse_line().
int slots_in(std::string_view digits, int least, const std::string& path, int line);

// Hosts in the order of their first line, with the sum of their slots.
class SlotsByHost {
 public:
  explicit SlotsByHost(const std::string& path) : path_(path) {}
  void add(std::string_view host, int slots, int line);
  const std::vector<HostRun>& hosts() const { return hosts_; }

 private:
  const std::string& path_;
  std::vector<HostRun> hosts_;
  std::unordered_map<std::string, std::size_t> numbers_;
  int total_ = 0;
};

}  // namespace lockstep
