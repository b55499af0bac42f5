#pragma once

#include <string>

#include "data/problem.h"

namespace lockstep {

// Where the four files of an idx data set lie; "": not asked for.
struct ImageIdxFiles {
  std::string train_images;
  std::string train_labels;
  std::string test_images;
  std::string test_labels;
};

// Finds them in options.data_dir under their usual names, plain or with .gz; of both, the plain one. Of options.only
// there are the train and the test split; labels are left out if no targets are needed. `problem` and `where_to_get`
// are for the messages. Throws Error(usage) if data_dir is empty, else Error(missing_input) that lists every file that
// is not there, and the split that is.
ImageIdxFiles find_image_idx_files(const ProblemOptions& options, const std::string& problem,
                                   const std::string& where_to_get);

}  // namespace lockstep
