#include "collective/parse_nccl_log.h"

#include <doctest/doctest.h>

namespace lockstep {

// Lines as NCCL 2.28 writes them.
TEST_CASE("nccl's choices: the last all-reduce of its log, and each transport once") {
  CHECK(parse_nccl_log(
            "node01:17:17 [0] NCCL INFO cudaDriverVersion 13000\n"
            "node01:17:42 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
            "node01:17:42 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/CUMEM/read\n"
            "node01:17:42 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA\n"
            "node01:17:42 [0] NCCL INFO 24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels\n"
            "node01:17:17 [0] NCCL INFO AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}\n"
            "node01:17:17 [0] NCCL INFO AllReduce: 4194304 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..15}\n"
            "node01:17:17 [0] NCCL INFO AllGather: 64 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}\n") ==
        "an all-reduce of 4.2 MB by RING, LL128, on 16 channels, over P2P/CUMEM and NET/IB");
  CHECK(parse_nccl_log("node01:17:42 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via SHM/direct/direct\n") ==
        "over SHM/direct");
}

TEST_CASE("nccl's choices: what later versions add to the line is left out") {
  CHECK(
      parse_nccl_log("node01:17:17 [0] NCCL INFO AllReduce: 2000000 Bytes -> Algo TREE proto LL channel{Lo..Hi}={2..2} "
                     "cgaClusterSize 4\n") == "an all-reduce of 2.0 MB by TREE, LL, on 1 channel");
}

TEST_CASE("nccl's choices: a kernel of symmetric windows is called by its name") {
  CHECK(
      parse_nccl_log("node01:17:17 [0] NCCL INFO AllReduce [Symmetric]: 4194304 Bytes -> Kernel AllReduce_RSxLD_AGxST "
                     "nchannels 16 nthreads 512 nWorks 1\n") ==
      "an all-reduce of 4.2 MB by AllReduce_RSxLD_AGxST, on 16 channels");
}

TEST_CASE("nccl's choices: what has another form is left out") {
  CHECK(parse_nccl_log("").empty());
  CHECK(parse_nccl_log("NCCL INFO ").empty());
  CHECK(parse_nccl_log("NCCL INFO Channel").empty());
  CHECK(parse_nccl_log("NCCL INFO Channel 00/08 : 0 1").empty());
  CHECK(parse_nccl_log("NCCL INFO AllReduce: 4096 Bytes -> Algo 1 proto 2 time 12.5").empty());
  CHECK(parse_nccl_log("NCCL INFO AllReduce: Bytes").empty());
  CHECK(parse_nccl_log("NCCL INFO AllReduce: 4 Bytes -> Algo RING proto LL channel{Lo..Hi}={3..").empty());
  CHECK(parse_nccl_log("NCCL INFO AllReduce: 4 Bytes -> Algo RING proto LL channel{Lo..Hi}={3..1}").empty());
  CHECK(parse_nccl_log("NCCL INFO AllReduce: opCount 0 sendbuff 0x1").empty());
  CHECK(parse_nccl_log("NCCL INFO Channel 00/0 : 0[0] -> 1[1] via A\x1b[2J/B/C") == "over A\\x1b[2J/B");
}

}  // namespace lockstep
