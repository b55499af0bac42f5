#pragma once

#include <string>
#include <vector>

namespace lockstep {

// The addresses of a cluster as tensor2tensor's t2t-make-tf-configs takes them.
struct T2tAddresses {
  std::vector<std::string> masters;
  std::vector<std::string> ps;
};

// The output of t2t-make-tf-configs, byte for byte as under Python 3.7 and later: the kind of training, and a line for
// each job, its TF_CONFIG in quotes, a tab, and its flags of t2t-trainer. One master: the parameter servers' tasks
// compute, in step; more: each master trains by itself. Pure. Throws std::invalid_argument for an address that is not
// UTF-8. REQUIRES: at least one master and one parameter server.
std::string t2t_jobs_text(const T2tAddresses& addresses);

}  // namespace lockstep
