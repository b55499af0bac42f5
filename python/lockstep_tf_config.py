"""Shows what TensorFlow's readers make of TF_CONFIG. `lockstep cluster --reader=NAME` runs it.

    TF_CONFIG='{"cluster": {"worker": ["a:1", "b:1"]}}' python3 lockstep_tf_config.py resolver
    python3 lockstep_tf_config.py estimator - <FILE

The readers are estimator, contrib and resolver. What one of them finds is a line of JSON on the standard output. Where it
refuses TF_CONFIG, the message of its exception goes to the standard error, and the exit code is 78; resolver still prints
what can be known. Needs Python 3.9 or newer and its standard library.

The rules are those of the published readers, check by check in their order. What Python says of a text that is no JSON or
no number is what this Python says.
"""

import json
import math
import os
import re
import sys

EXIT_REFUSED = 78
# Every line has these fields first, null where the reader knows no such thing. What only some of them know follows.
FIELDS = ("role", "task_id", "is_chief", "num_workers", "num_ps", "id_in_cluster", "master", "cluster", "device_filters",
          "rank", "world_size", "warnings")
TASK_TYPES = ("chief", "worker", "evaluator", "ps", None)  # that tf.distribute knows


class ClusterSpec:
    """What tf.train.ClusterSpec makes of the member "cluster" of TF_CONFIG."""

    def __init__(self, cluster):
        if not isinstance(cluster, dict):
            raise TypeError("`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
                            "or a `ClusterDef` protocol buffer")
        self._jobs = {}  # addresses by index, by job
        for job, tasks in cluster.items():
            if not isinstance(tasks, (list, dict)):
                raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
            numbered = enumerate(tasks) if isinstance(tasks, list) else tasks.items()
            self._jobs[job] = {int(index): address for index, address in numbered}
        self.jobs = list(self._jobs)
        self._copy()

    def _copy(self):
        """Raises what copying the jobs to the protocol buffer raises."""
        for job, tasks in sorted(self._jobs.items()):
            job.encode()
            for index in sorted(tasks):
                if not isinstance(tasks[index], str):
                    raise TypeError(f"Task address {tasks[index]!r} must be bytes or unicode")
                tasks[index].encode()
                if not -2**31 <= index < 2**31:
                    raise ValueError(f"Value out of range: {index}")

    def __bool__(self):
        return bool(self._jobs)

    def __repr__(self):
        return "ClusterSpec({" + ", ".join(f"{job!r}: {tasks!r}" for job, tasks in sorted(self.as_dict().items())) + "})"

    def as_dict(self):
        """A job whose indices have no gaps is a list, another one is a dictionary."""
        return {job: self._job_tasks(tasks) if tasks and max(tasks) + 1 == len(tasks) else dict(sorted(tasks.items()))
                for job, tasks in self._jobs.items()}

    @staticmethod
    def _job_tasks(tasks):
        """A list up to the greatest index, with None in the gaps. An index below 0 counts from its end."""
        addresses = [None] * (max(tasks) + 1)
        for index, address in tasks.items():
            addresses[index] = address
        return addresses

    def num_tasks(self, job):
        return len(self._jobs.get(job, ()))

    # job_length() and job_task() do without the list of a job, as an index may be 2147483647.

    def job_length(self, job):
        """len(job_tasks(job))"""
        tasks = self._tasks(job)
        length = max(max(tasks) + 1, 0)
        if min(tasks) < -length:
            raise IndexError("list assignment index out of range")
        return length

    def job_task(self, job, index):
        """job_tasks(job)[index]"""
        places = (index, index - self.job_length(job))
        return [None, *(address for at, address in self._tasks(job).items() if at in places)][-1]

    def task_address(self, job, index):
        tasks = self._tasks(job)
        if index not in tasks:
            raise ValueError(f"No task with index {index!r} in job {job!r}")
        return tasks[index]

    def _tasks(self, job):
        if job not in self._jobs:
            raise ValueError(f"No such job in cluster: {job!r}")
        return self._jobs[job]

    def is_single_task(self):
        """Whether the whole cluster is one task, which needs no server."""
        return len(self.jobs) == 1 and self.job_length(self.jobs[0]) == 1


def _grpc_address(cluster, job, index):
    return "grpc://" + cluster.job_task(job, index)


def _check_task(cluster, role, task_id, noun):
    note = "Note that these %s may be coming from the TF_CONFIG environment variable."
    if role not in cluster.jobs:
        raise ValueError(f"{role} is not a valid task_type in the cluster_spec:\n{cluster}\n\n{note % 'values'}")
    if task_id >= cluster.job_length(role) or task_id < 0:
        raise ValueError(f"{task_id} is not a valid task_id for task_type {role} in the cluster_spec:\n{cluster}\n\n"
                         f"{note % noun}")


def _check_same_model_dir(argument, written):
    if argument != written:
        raise ValueError("`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir "
                         f'in TF_CONFIG. model_dir: {argument}\nTF_CONFIG["model_dir"]: {written}.\n')


def read_as_estimator(text, model_dir=None):
    """The properties of tf.estimator.RunConfig, the strict reader, by name. text: TF_CONFIG, or None if it is not set.

    model_dir is the constructor's. Raises what that raises.
    """
    config = json.loads("{}" if text is None else text)
    model_dir = _estimator_model_dir(config, model_dir)
    service = config.get("service")
    if service is not None and not isinstance(service, dict):
        raise TypeError(f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(service)}')
    cluster = ClusterSpec(config.get("cluster", {}))
    task = config.get("task", {})
    fields = _estimator_in_cluster(config, cluster, task) if cluster else _estimator_alone(config, task)
    return {**fields, "model_dir": model_dir, "service": service}


def _estimator_model_dir(config, argument):
    if argument == "":
        raise ValueError("model_dir should be non-empty.")
    written = config.get("model_dir")
    if written == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if argument and written:
        _check_same_model_dir(argument, written)
    if argument is None and written is not None and not written:
        raise ValueError("model_dir should be non-empty")
    return written if argument is None else argument


def _estimator_alone(config, task):
    role, task_id = task.get("type", "worker"), int(task.get("index", 0))
    if role != "worker":
        raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
    if task_id != 0:
        raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
    return {"role": role, "task_id": task_id, "is_chief": True, "num_workers": 1, "num_ps": 0, "id_in_cluster": 0,
            "master": config.get("session_master", ""), "evaluation_master": config.get("eval_session_master", ""),
            "cluster": {}}


def _estimator_in_cluster(config, cluster, task):
    chief = "master" if "master" in cluster.jobs else "chief"
    if chief == "master" and "chief" in cluster.jobs:
        raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
    if chief not in cluster.jobs:
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if cluster.job_length(chief) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    role, task_id = _estimator_task(cluster, task)
    if role == "evaluator":
        if chief == "master":
            raise ValueError("If `master` node exists in `cluster`, task_type `evaluator` is not supported.")
        return {"role": role, "task_id": task_id, "is_chief": False, "num_workers": 0, "num_ps": 0, "master": "",
                "evaluation_master": config.get("eval_session_master", ""), "cluster": {}}
    # With a master the id comes first, else last: the order decides which of several exceptions is raised.
    global_id = _estimator_id(cluster, role, task_id, chief) if chief == "master" else None
    if "session_master" in config:
        master = config["session_master"]
    else:
        master = "" if cluster.is_single_task() else _grpc_address(cluster, role, task_id)
    jobs = cluster.as_dict()
    if chief == "chief":
        global_id = _estimator_id(cluster, role, task_id, chief)
    filters = {"master": ["/job:ps", "/job:master"], "chief": ["/job:ps", "/job:chief"],
               "worker": ["/job:ps", f"/job:worker/task:{task_id}"],
               "ps": ["/job:ps", "/job:worker", "/job:chief", "/job:master"]}
    return {"role": role, "task_id": task_id, "is_chief": role == chief,
            "num_workers": cluster.num_tasks("worker") + cluster.num_tasks(chief), "num_ps": cluster.num_tasks("ps"),
            "id_in_cluster": global_id, "master": master, "evaluation_master": "", "cluster": jobs,
            "device_filters": filters.get(role)}


def _estimator_task(cluster, task):
    role, index = task.get("type"), task.get("index")
    if not role:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if index is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    task_id = int(index)
    if task_id < 0:
        raise ValueError("Task index must be non-negative number.")
    if role != "evaluator":
        _check_task(cluster, role, task_id, "values")
    return role, task_id


def _estimator_id(cluster, role, task_id, chief):
    """A task's number: the chief is the first, the parameter servers are the last, the other jobs are sorted by name."""
    order = sorted(cluster.jobs, key=lambda job: (job != chief, job == "ps", job))
    return sum(cluster.job_length(job) for job in order[:order.index(role)]) + task_id


def read_as_contrib(text, master=None, model_dir=None):
    """The properties of contrib.learn's RunConfig, which tensor2tensor takes for clusters without a chief, by name.

    text: TF_CONFIG, or None if it is not set. master and model_dir are the constructor's. Raises what that raises.
    """
    config = json.loads(text or "{}")
    task = config.get("task", {})
    role, index = task.get("type"), task.get("index")
    task_id = int(index) if index else 0
    cluster = ClusterSpec(config.get("cluster", {}))
    if master is None and (not cluster or cluster.is_single_task() or not role):
        master = ""
    elif master is None:
        _check_task(cluster, role, task_id, "value")
        master = _grpc_address(cluster, role, task_id)
    jobs = cluster.as_dict()
    environment, written = config.get("environment", "local"), config.get("model_dir")
    if model_dir is not None and written is not None:
        _check_same_model_dir(model_dir, written)
    leader = "master" if environment == "cloud" else "worker"
    return {"role": role, "task_id": task_id, "is_chief": task_id == 0 and (role is None or role == leader),
            "num_workers": cluster.num_tasks("worker"), "num_ps": cluster.num_tasks("ps"), "master": master,
            "environment": environment,
            # Experiment.train() starts one if there is something to serve, and nobody else does it.
            "starts_server_on_train": environment not in ("local", "google") and bool(cluster) and bool(master),
            "cluster": jobs, "model_dir": model_dir or written}


def read_as_resolver(text, **arguments):
    """What TFConfigClusterResolver of tf.distribute and its multi_worker_util answer, by name; the error of what raises.

    text: TF_CONFIG, or None if it is not set. The arguments are those of the constructor, and those of master() with
    "master_" before them. Where is_chief raises nothing is trained.
    """
    resolver = _Resolver(text, arguments)
    answers = {"role": resolver.task_type, "task_id": resolver.task_id, "is_chief": resolver.is_chief,
               "num_workers": resolver.worker_count, "num_ps": lambda: resolver.cluster_spec().num_tasks("ps"),
               "id_in_cluster": resolver.id_in_cluster, "master": resolver.master,
               "cluster": lambda: resolver.cluster_spec().as_dict(), "rpc_layer": resolver.rpc_layer,
               "leader": resolver.leader}
    return {name: _answer_or_error(answer) for name, answer in answers.items()}


def _answer_or_error(answer):
    try:
        return answer()
    except Exception as error:  # pylint: disable=broad-except
        return {"error": _described(error)}


def _described(error):
    return {"type": type(error).__name__, "message": str(error)}


class _Resolver:
    """TFConfigClusterResolver. Each of its answers reads the text anew."""

    def __init__(self, text, arguments):
        self._text, self._arguments = "{}" if text is None else text, arguments

    def _value(self, name, otherwise=None):
        config = json.loads(self._text)
        return config[name] if name in config else otherwise

    def _or_else(self, argument, answer):
        given = self._arguments.get(argument)
        return answer() if given is None else given

    def _of_task(self, name, convert):
        task = self._value("task", {})
        return convert(task[name]) if name in task else None

    def task_type(self):
        return self._or_else("task_type", lambda: self._of_task("type", str))

    def task_id(self):
        return self._or_else("task_id", lambda: self._of_task("index", int))

    def rpc_layer(self):
        return self._or_else("rpc_layer", lambda: self._value("rpc_layer"))

    def cluster_spec(self):
        return ClusterSpec(self._value("cluster", {}))

    def master(self):
        session_master = self._value("session_master")
        if session_master is not None:
            return session_master
        cluster = self.cluster_spec()
        if not cluster or cluster.is_single_task():
            return ""
        task_type = self._or_else("master_task_type", self.task_type)
        task_id = self._or_else("master_task_id", self.task_id)
        rpc_layer = self._or_else("master_rpc_layer", self.rpc_layer)
        address = cluster.task_address(task_type, task_id)
        return f"{rpc_layer}://{address}" if rpc_layer else address

    # The functions of multi_worker_util, in the newer text. They call as_dict() where it raises for them.

    def _task(self):
        return self.cluster_spec(), self.task_type(), self.task_id()

    def is_chief(self):
        cluster, task_type, task_id = self._task()
        _validate(cluster, task_type, task_id)
        cluster.as_dict()
        if task_type in ("chief", "evaluator"):
            return True
        return "chief" not in cluster.jobs and task_type == "worker" and task_id == 0

    def leader(self):
        cluster, task_type, task_id = self._task()
        cluster.as_dict()
        if not cluster:
            return ""
        _validate(cluster, task_type, task_id)
        if task_type == "evaluator":
            return ""
        if "chief" in cluster.jobs:
            return "/job:chief/replica:0/task:0"
        assert "worker" in cluster.jobs
        return "/job:worker/replica:0/task:0"

    def worker_count(self):
        cluster, task_type = self.cluster_spec(), self.task_type()
        _validate(cluster, task_type, 0)
        jobs = cluster.as_dict()
        if task_type not in ("chief", "worker", "evaluator"):
            raise ValueError(f"Unexpected `task_type` {task_type!r}")
        if task_type == "evaluator":
            return len(jobs["evaluator"])
        return cluster.num_tasks("chief") + cluster.num_tasks("worker")

    def id_in_cluster(self):
        cluster, task_type, task_id = self._task()
        _validate(cluster, task_type, task_id)
        cluster.as_dict()
        if task_type not in ("chief", "worker", "evaluator"):
            raise ValueError(f"There is no id for task_type {task_type!r}")
        if task_type == "chief":
            return 0
        return task_id + cluster.num_tasks("chief") if task_type == "worker" else task_id


def _validate(cluster, task_type, task_id):
    if any(job not in TASK_TYPES for job in cluster.jobs):
        raise ValueError(f"Disallowed task type found in cluster spec. Allowed types are {TASK_TYPES} and the cluster spec "
                         f"is {cluster}.")
    if task_type not in TASK_TYPES:
        raise ValueError(f"Unrecognized task_type: {task_type}, valid task types are: {TASK_TYPES}")
    if task_type not in cluster.jobs and task_type not in (None, "evaluator"):
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    for job in ("chief", "evaluator"):
        if cluster.num_tasks(job) > 1:
            raise ValueError(f"There must be at most one '{job}' job.")
    if task_type in cluster.jobs and task_id >= cluster.num_tasks(task_type):
        raise ValueError(f"The `task_id` {task_id} exceeds the maximum id of {task_type}.")


class _Members(list):
    """The members of an object as they stand in the text."""


def repeated_names(text):
    """Warnings of names that stand in an object once more, of which the readers say nothing, in the order of the text."""
    try:
        document = json.loads(text or "{}", object_pairs_hook=_Members)
    except (RecursionError, ValueError):  # the reader says so
        return []
    warnings, left = [], [("", document, False)]
    while left:
        path, value, is_again = left.pop()
        if is_again:
            warnings.append(f"'{path}' stands in it twice; this reader takes the last value")
        inside, names = [], set()
        if isinstance(value, _Members):
            for name, member in value:
                shown = f".{name}" if re.fullmatch("[A-Za-z0-9_/-]{1,60}", name) else f"[{_json_line(name)}]"
                inside.append(((path + shown).lstrip("."), member, name in names))
                names.add(name)
        elif isinstance(value, list):
            inside = [(f"{path}[{i}]", element, False) for i, element in enumerate(value) if isinstance(element, list)]
        left.extend(reversed(inside))
    return warnings


def _json_line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _writable(value):
    """JSON has no word for numbers that are not finite."""
    if isinstance(value, dict):
        return {name: _writable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_writable(element) for element in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _print(stream, text):
    stream.buffer.write((text + "\n").encode("utf-8", "backslashreplace"))  # half a surrogate pair is \ud800 in JSON, too
    stream.flush()


def main(reader, source=None):
    read = {"estimator": read_as_estimator, "contrib": read_as_contrib, "resolver": read_as_resolver}[reader]
    written = sys.stdin.buffer.read() if source == "-" else os.environb.get(b"TF_CONFIG")
    text = None if written is None else written.decode("utf-8", "surrogateescape")
    line = None
    try:
        fields = {**dict.fromkeys(FIELDS), **read(text), "warnings": repeated_names(text)}
        line = _json_line(_writable(fields))
        refusal = fields["is_chief"].get("error") if isinstance(fields["is_chief"], dict) else None
    except Exception as error:  # pylint: disable=broad-except
        refusal = _described(error)
    if line is not None:
        _print(sys.stdout, line)
    if refusal is None:
        return 0
    _print(sys.stderr, f"{refusal['type']}: {refusal['message']}")
    return EXIT_REFUSED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
