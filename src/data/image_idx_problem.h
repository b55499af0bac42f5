#pragma once

#include <string>

#include "data/idx.h"
#include "data/problem.h"

namespace lockstep {

// A data set of labelled grey images in MNIST's four idx files, plain or packed (.gz), under their usual names in
// --data_dir:
//
//   train-images-idx3-ubyte  train-labels-idx1-ubyte  t10k-images-idx3-ubyte  t10k-labels-idx1-ubyte
//
// The train files are Split::train, the t10k files Split::test; there is no dev split. Images stay in memory as bytes
// and are given as pixel / 255, shape (rows, columns, 1); ten classes. Making one reads all requested files
// (ProblemOptions). Throws Error(usage) without --data_dir; Error(missing_input) that names the missing files and where
// to get them; Error(bad_data) for damaged files (data/idx.h), files that do not belong together, and labels outside
// the classes.
class ImageIdxProblem final : public Problem {
 public:
  struct Source {
    std::string problem;       // the name it is registered under
    std::string where_to_get;  // completes "... get them from"
  };

  ImageIdxProblem(const Source& source, const ProblemOptions& options);

  ProblemShape shape() const override { return shape_; }
  std::int64_t count(Split split) const override;
  void read(Split split, std::int64_t sample, const SampleSlot& slot) const override;

 private:
  struct Samples {
    IdxArray images;  // (N, rows, columns)
    IdxArray labels;  // (N)
  };
  // Reads the files; an array without a path stays empty.
  static Samples read_samples(const std::string& images_path, const std::string& labels_path);
  const Samples& of(Split split) const { return split == Split::test ? test_ : train_; }

  ProblemShape shape_;
  Samples train_;
  Samples test_;
};

}  // namespace lockstep
