#pragma once

#include <memory>
#include <string_view>

#include "data/problem.h"

// The built-in problems; what they read and refuse is described with each: data/image_shapes_problem.h,
// image_idx_problem.h, arrays_problem.h.
namespace lockstep {

// Ten kinds of drawn shapes, (28, 28, 1), generated. Throws Error(usage) if there is a data_dir.
std::unique_ptr<Problem> make_image_shapes(const ProblemOptions& options);

// One of tensor2tensor's generated problems of sequences (data/sequences/algorithmic_source.h): needs no files. The
// name is one of kAlgorithmicProblems, with or without the endings of data/sequences/sequence_sides.h.
std::unique_ptr<Problem> make_algorithmic(std::string_view name, const ProblemOptions& options);

// Sequences of a text's characters, words or bytes: .txt files, plain or packed, in options.data_dir
// (data/sequences/text_files.h), cut as data/sequences/text_source.h says. The vocabulary is made from the training
// text, or is the one of the model that is known. Throws what finding and reading the files does; Error(usage) for
// max_length below 1 or a vocab_size that cannot be; Error(configuration) for a known model of something else;
// Error(bad_data) for a training split of nothing or a model's damaged vocabulary.
std::unique_ptr<Problem> make_languagemodel_text(const ProblemOptions& options);

// The user's own sequences in options.data_dir, single ones or pairs: train.h5, or train_targets.npy and
// train_targets_lengths.npy (data/sequences/sequence_files.h). All of them are read into memory. The vocabulary is the
// known model's, else options.vocab_size, else as large as the training split asks for. The name is "sequences", with
// or without the endings of data/sequences/sequence_sides.h. Throws what opening and reading them does, and
// Error(bad_data) for splits that do not fit each other, have only padding, or ask for more symbols than they have.
std::unique_ptr<Problem> make_sequences(std::string_view name, const ProblemOptions& options);

// Fashion-MNIST and MNIST: (28, 28, 1) and ten classes, from four idx files in options.data_dir, plain or packed.
std::unique_ptr<Problem> make_image_fashion_mnist(const ProblemOptions& options);
std::unique_ptr<Problem> make_image_mnist(const ProblemOptions& options);

// The user's own arrays in options.data_dir: train.h5, or train_inputs.npy and train_targets.npy (docs/training.md). In
// memory if they are small enough, else read in blocks.
std::unique_ptr<Problem> make_arrays(const ProblemOptions& options);

}  // namespace lockstep
