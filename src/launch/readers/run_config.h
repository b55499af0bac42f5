#pragma once

#include <cstdint>
#include <string>

#include "launch/readers/python_cluster_spec.h"
#include "launch/readers/python_error.h"

// What the two RunConfig classes of TensorFlow, the estimator's and contrib.learn's, do alike.
namespace lockstep {

// Whether the whole cluster is one task, which then needs no server. Throws PythonError.
bool is_single_task(const PythonClusterSpec& cluster);

// "grpc://a:1"; throws PythonError, TypeError, for a gap of a sparse job. REQUIRES: 0 <= index < list_length(job).
std::string grpc_address(const PythonClusterSpec& cluster, const std::string& job, std::int64_t index);

// task_type stands in no job; as str() writes it.
PythonError no_such_task_type(const std::string& task_type, const PythonClusterSpec& cluster);

// What one of them lacks a letter of.
enum class TaskIdMessage { these_values, these_value };
PythonError no_such_task_id(const std::string& task_id, const std::string& task_type, const PythonClusterSpec& cluster,
                            TaskIdMessage message);

// The constructor's model_dir and TF_CONFIG's are there and differ.
PythonError model_dirs_differ(const std::string& argument, const std::string& in_tf_config);

}  // namespace lockstep
