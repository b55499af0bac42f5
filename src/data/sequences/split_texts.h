#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/sequences/per_split.h"
#include "data/sequences/text_files.h"
#include "data/sequences/tokenizer.h"

namespace lockstep {

// The text of files for a kind of tokenizer, one after the other, with a line end added after each but the last that
// has none at its end, and, if it is UTF-8, without the byte order mark at the beginning of a file. Throws
// Error(bad_data) that names the file and the line if a file has not a single symbol or is not UTF-8 as it has to be;
// and what UnpackedFile throws. while_reading: as in ProblemOptions.
std::string read_text(const std::vector<std::string>& paths, const TokenizerKind& kind,
                      const std::function<void()>& while_reading = {});

// The begin of the last tenth of a text, counted in characters (in bytes unless it is UTF-8) and rounded down, then
// moved to the first line that begins in it, else after the first blank in it, else not moved. Pure.
std::size_t last_tenth(std::string_view text, const TokenizerKind& kind);

// The text of each split, "" if there is none. only: no other split is kept, or read unless it is needed.
PerSplit<std::string> read_split_texts(const TextFiles& files, const TokenizerKind& kind, std::optional<Split> only,
                                       const std::function<void()>& while_reading = {});

}  // namespace lockstep
