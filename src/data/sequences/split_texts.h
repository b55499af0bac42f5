#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/sequences/per_split.h"
#include "data/sequences/text_files.h"
#include "data/sequences/text_unit.h"

namespace lockstep {

// The text of files, one after the other as it is, with a line end between two of them where the first has none, and
// without the byte order mark at the beginning of one, unless bytes are read.
// Throws Error(bad_data) that names the file, and the line, for one that has not a single unit, and, unless bytes are
// read, for one that is not UTF-8; and what UnpackedFile throws. while_reading: as in ProblemOptions.
std::string read_text(const std::vector<std::string>& paths, TextUnit unit,
                      const std::function<void()>& while_reading = {});

// Where the last tenth of a text begins, by its characters (of bytes: by its bytes), rounded down: at the first
// line that begins in it, else after the first blank in it, else where it is. REQUIRES: as take_unit(). Pure.
std::size_t last_tenth(std::string_view text, TextUnit unit);

// The text of each split, "" if there is none of it. only: nothing else is kept, nor read if it need not be.
PerSplit<std::string> read_split_texts(const TextFiles& files, TextUnit unit, std::optional<Split> only,
                                       const std::function<void()>& while_reading = {});

}  // namespace lockstep
