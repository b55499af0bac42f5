#pragma once

#include <string>
#include <vector>

#include "data/problem.h"
#include "data/sequences/per_split.h"

namespace lockstep {

// The files of text in a folder, .txt or .txt.gz; their paths in the order of their names.
struct TextFiles {
  PerSplit<std::vector<std::string>> paths;
  // True if no name belongs to a split: all files are training text, and the end of it is the dev split.
  bool dev_is_end_of_train = false;
  // Names of the files that belong to no split although others do, for a remark.
  std::vector<std::string> left_out;
};

// Finds the files in options.data_dir. A name says which split a file belongs to if it begins with train, dev or test
// and no letter follows: train.txt, train-00.txt.gz. If none does, all files are training text. If a file exists both
// plain and packed, the plain one is used; names that begin with a dot, and files in subfolders, are ignored.
//
// Uses data_dir of the options; only and known, which say what is required. `problem` is for messages. Throws
// Error(usage) if data_dir is empty; Error(missing_input) if it is not a folder or cannot be read, or if the required
// split is missing.
TextFiles find_text_files(const ProblemOptions& options, const std::string& problem);

}  // namespace lockstep
