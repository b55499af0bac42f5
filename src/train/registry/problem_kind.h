#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "data/problem.h"

namespace lockstep {

// A problem of the table: its factory, and the model of a run unless the user names one. A plain factory function
// converts to one, with the model of TrainSettings.
class ProblemKind {
 public:
  template <class Make>
    requires(!std::same_as<Make, ProblemKind> && std::convertible_to<Make, ProblemFactory>)
  ProblemKind(Make make, std::string model = "")  // NOLINT(google-explicit-constructor): most problems are just that
      : make_(std::move(make)), model_(std::move(model)) {}

  // Makes the problem. Throws what its factory and check_counts() throw.
  std::unique_ptr<Problem> operator()(const ProblemOptions& options) const {
    auto problem = make_(options);
    check_counts(*problem);
    return problem;
  }
  const ProblemFactory& factory() const { return make_; }
  const std::string& model() const { return model_; }  // "": the model of TrainSettings

 private:
  ProblemFactory make_;
  std::string model_;
};

}  // namespace lockstep
