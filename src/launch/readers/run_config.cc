#include "launch/readers/run_config.h"

#include <fmt/format.h>

namespace lockstep {

bool is_single_task(const PythonClusterSpec& cluster) {
  const std::vector<std::string> jobs = cluster.jobs();
  return jobs.size() == 1 && cluster.list_length(jobs.front()) == 1;
}

std::string grpc_address(const PythonClusterSpec& cluster, const std::string& job, std::int64_t index) {
  const std::string* const address = cluster.listed(job, index);
  if (address == nullptr) throw PythonError("TypeError", "can only concatenate str (not \"NoneType\") to str");
  return "grpc://" + *address;
}

PythonError no_such_task_type(const std::string& task_type, const PythonClusterSpec& cluster) {
  return {"ValueError", fmt::format("{} is not a valid task_type in the cluster_spec:\n{}\n\nNote that these values "
                                    "may be coming from the TF_CONFIG environment variable.",
                                    task_type, cluster.repr())};
}

PythonError no_such_task_id(const std::string& task_id, const std::string& task_type, const PythonClusterSpec& cluster,
                            TaskIdMessage message) {
  return {"ValueError",
          fmt::format("{} is not a valid task_id for task_type {} in the cluster_spec:\n{}\n\nNote that "
                      "these {} may be coming from the TF_CONFIG environment variable.",
                      task_id, task_type, cluster.repr(), message == TaskIdMessage::these_values ? "values" : "value")};
}

PythonError model_dirs_differ(const std::string& argument, const std::string& in_tf_config) {
  return {"ValueError", fmt::format("`model_dir` provided in RunConfig construct, if set, must have the same value as "
                                    "the model_dir in TF_CONFIG. model_dir: {}\nTF_CONFIG[\"model_dir\"]: {}.\n",
                                    argument, in_tf_config)};
}

}  // namespace lockstep
