#pragma once

#include <span>

#include "cost.h"

namespace lockstep::bench {

// The time of a round and of a byte: alpha and beta of R. Hockney's model of a message ("The communication challenge
// for MPP", Parallel Computing 20, 1994), in which n bytes take alpha + beta n; a sum takes the alpha of each round and
// the beta of each byte (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
// MPICH", IJHPCA 19, 2005).
//
// Why not more: LogP (Culler et al., PPoPP 1993) tells a processor's work with a message from its latency, and a fixed
// cost of a call could be added, but an algorithm has as many rounds on two hosts at every size, so that timings of two
// hosts cannot tell these from alpha. All of it grows with the rounds here, and so a forecast errs on the slow side; as
// it does where segments of a ring hide latencies behind bytes, which at most halves the time.
struct Link {
  double round_us = 0;
  double byte_us = 0;

  double gbit() const { return byte_us > 0 ? 8e-3 / byte_us : 0; }  // Gbit/s; 0: a byte takes no time
};

inline double time_us(const Link& link, const Cost& cost) {
  return link.round_us * cost.rounds + link.byte_us * cost.bytes;
}

// One sum that was measured. known_us: the part of its time that is not the link's.
struct Sample {
  Cost cost{};
  double known_us = 0;
  double measured_us = 0;
};

// The link, with nothing below zero, for which the squares of the relative errors add up to the least: small sums count
// as much as large ones. Where the samples tell only one of the two, or none (all of one size), rounds take no time.
// REQUIRES: a sample at least; times above zero.
Link fit_link(std::span<const Sample> samples);

}  // namespace lockstep::bench
