#pragma once

#include <string>

namespace lockstep {

// Where the four files of an idx data set lie.
struct ImageIdxFiles {
  std::string train_images;
  std::string train_labels;
  std::string test_images;
  std::string test_labels;
};

// Finds them in data_dir under their usual names, plain or with .gz; of both, the plain one. `problem` and
// `where_to_get` are for the messages. Throws Error(usage) if data_dir is empty, else Error(missing_input) that lists
// every file that is not there.
ImageIdxFiles find_image_idx_files(const std::string& data_dir, const std::string& problem,
                                   const std::string& where_to_get);

}  // namespace lockstep
