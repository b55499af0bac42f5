#pragma once

#include <cstdint>
#include <string>

#include "delays.h"
#include "options.h"
#include "saves.h"
#include "transfers.h"
#include "updates.h"

namespace lockstep::bench {

// The ranks of all results.
struct PsRanks {
  int clients = 1;
  int servers = 1;
};

// Results as lines of JSON, or as lines of tables for people with their heads.
std::string transfer_json(const PsRanks& ranks, PsTransport transport, std::int64_t bytes, const TransferTimes& times);
std::string transfer_head(const PsRanks& ranks);
std::string transfer_lines(PsTransport transport, std::int64_t bytes, const TransferTimes& times);

std::string update_json(const PsRanks& ranks, const PsOptions& options, const UpdateCase& c, const UpdateTimes& times);
std::string update_head(const PsRanks& ranks, const PsOptions& options);
std::string update_line(const UpdateCase& c, const UpdateTimes& times);

std::string delay_json(const PsRanks& ranks, PsTransport transport, std::int64_t bytes, const PushDelays& delays);
std::string delay_head(const PsRanks& ranks);
std::string delay_line(PsTransport transport, std::int64_t bytes, const PushDelays& delays);

std::string save_json(const PsRanks& ranks, const PsOptions& options, PsTransport transport, std::int64_t bytes,
                      const SaveTimes& times);
std::string save_head(const PsRanks& ranks, const PsOptions& options);
std::string save_line(PsTransport transport, std::int64_t bytes, const SaveTimes& times);

}  // namespace lockstep::bench
