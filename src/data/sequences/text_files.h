#pragma once

#include <string>
#include <vector>

#include "data/problem.h"
#include "data/sequences/per_split.h"

namespace lockstep {

// The files of text in a folder, .txt or .txt.gz; their paths in the order of their names.
struct TextFiles {
  PerSplit<std::vector<std::string>> paths;
  // No name says that there are splits: all of the files are training text, and the end of it is the dev split.
  bool dev_is_end_of_train = false;
  // Names of others of them, which belong to no split: for a remark.
  std::vector<std::string> left_out;
};

// Finds them in options.data_dir. A name says which split a file belongs to if it begins with train, dev or test and no
// letter follows: train.txt, train-00.txt.gz. If none does, all files are training text. Of a file that is there plain
// and packed, the plain one counts; names that begin with a dot, and what lies in folders in it, do not.
//
// Of options count: data_dir; only and known, which say what has to be there. `problem` is for the messages. Throws
// Error(usage) if data_dir is empty; Error(missing_input) if it is no folder or cannot be read, or if the split that is
// needed is not there.
TextFiles find_text_files(const ProblemOptions& options, const std::string& problem);

}  // namespace lockstep
