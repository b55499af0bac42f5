#pragma once

#include <string>

#include "data/problem.h"

namespace lockstep {

// Paths of the four files of an idx data set; "" if not requested.
struct ImageIdxFiles {
  std::string train_images;
  std::string train_labels;
  std::string test_images;
  std::string test_labels;
};

// Finds the files in options.data_dir under their usual names, plain or with .gz; if both exist, the plain one. The
// splits are train and test, or options.only of them; labels are left out if no targets are needed. `problem` and
// `where_to_get` are for messages. Throws Error(usage) if data_dir is empty; Error(missing_input) if it is no folder,
// if the dev split is asked for, or for missing files (names them all, and the split that exists).
ImageIdxFiles find_image_idx_files(const ProblemOptions& options, const std::string& problem,
                                   const std::string& where_to_get);

}  // namespace lockstep
