#pragma once

#include <span>
#include <string>

namespace lockstep {

// The place where a rank of a group computes, as far as NCCL is concerned.
struct GpuPlace {
  std::string host;
  std::string gpu;  // PCI bus id, or whatever names the GPU on its host; "": the rank computes on the CPU
  int nccl = 0;     // version that the rank has, 22809 for 2.28.9; 0: its build has none
};

// Why NCCL cannot sum for ranks at these places, as text that continues a sentence: "ranks 0 and 1 share the GPU
// 0000:1b:00.0 of node07". "" if it can: every rank has a GPU of its own, and the same NCCL. Pure.
std::string why_not_nccl(std::span<const GpuPlace> places);

}  // namespace lockstep
