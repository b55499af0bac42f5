"""Tests python/lockstep_tf_config.py: the reference cases, the tables below, docs/from_tensorflow.md, and hostile texts.

    tf_config_readers_test.py LOCKSTEP

LOCKSTEP is the program, for its own view of TF_CONFIG. Messages are those of Python 3.11; of another version types count.
"""

import json
import os
import random
import re
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
FILE = os.path.join(TOP, "python/lockstep_tf_config.py")
sys.path.insert(0, os.path.dirname(FILE))
import lockstep_tf_config as readers  # pylint: disable=wrong-import-position

LOCKSTEP = sys.argv[1]
SAME_PYTHON = sys.version_info[:2] == (3, 11)
counts = {"passed": 0, "failed": 0}


def check(is_right, *what):
    counts["passed" if is_right else "failed"] += 1
    if not is_right:
        print("FAILED:", *what)


def same(expected, found):
    """Compares what JSON makes of them. Of an error only the type counts in another Python."""
    if isinstance(expected, dict) and "error" in expected:
        return isinstance(found, dict) and same_error(expected["error"], found.get("error"))
    return json.dumps(expected, sort_keys=True) == json.dumps(json.loads(json.dumps(found)), sort_keys=True)


def same_error(expected, found):
    """"..." in a message stands for any text."""
    if found is None or expected["type"] != found["type"]:
        return False
    pattern = ".*".join(map(re.escape, expected["message"].split("...")))
    return not SAME_PYTHON or re.fullmatch(pattern, found["message"], re.S) is not None


def outcome(read, *arguments, **named):
    """The fields and the error of one of the readers; None where it has no such thing."""
    try:
        fields = read(*arguments, **named)
    except Exception as error:  # pylint: disable=broad-except
        return None, {"type": type(error).__name__, "message": str(error)}
    is_chief = fields.get("is_chief")
    return fields, is_chief["error"] if isinstance(is_chief, dict) else None


def view_of_spec(cluster):
    spec = readers.ClusterSpec(cluster)
    return {"as_dict": spec.as_dict(), "truthy": bool(spec), "repr": repr(spec)}


# The reference cases, kept next to the checkout.

READERS = {"estimator.RunConfig": readers.read_as_estimator, "contrib.learn.RunConfig": readers.read_as_contrib,
           "TFConfigClusterResolver+multi_worker_util": readers.read_as_resolver, "ClusterSpec": view_of_spec}
ARGUMENTS = {"m_type": "master_task_type", "m_id": "master_task_id"}


def reference_cases():
    file = os.path.join(TOP, "../shared/cases/tf_config_cases.json")
    if not os.path.exists(file):
        print(f"REFERENCE CASES ABSENT: no {file}; only our own cases were tested")
        return []
    with open(file, encoding="utf-8") as stream:
        return json.load(stream)["cases"]


def check_reference_cases(cases):
    for case in cases:
        arguments = {ARGUMENTS.get(name, name): value for name, value in case.get("ctor", {}).items()}
        text = case["cluster"] if case["reader"] == "ClusterSpec" else case["tf_config"]
        fields, error = outcome(READERS[case["reader"]], text, **arguments)
        check(case["valid"] == (error is None), case["name"], error)
        expected = case if case["reader"] == "ClusterSpec" else case.get("expect")
        for name, value in (expected or {}).items():
            if expected is case and name not in ("as_dict", "truthy", "repr"):
                continue
            check(fields is not None and same(value, fields.get(name)), case["name"], name, fields)
        if not case["valid"]:
            check(same_error(case.get("error") or case["first_error"], error), case["name"], error)


# Our own cases: a text, and some of the resulting fields or the exception.

C_W2 = '"cluster": {"chief": ["c:1"], "worker": ["w0:1", "w1:1"]}'
SPARSE = '"cluster": {"chief": ["c:1"], "worker": {"0": "w0:1", "2": "w2:1"}}'
M_W2 = '"cluster": {"master": ["m:1"], "worker": ["w:1", "v:1"]}'
W2 = '"cluster": {"worker": ["a:1", "b:1"]}'
MANY = '"cluster": {"zeta": ["z:1"], "ps": ["p:1"], "worker": ["w:1", "v:1"], "Alpha": ["a:1"], "chief": ["c:1"]}'
NO_DICT = "TypeError: `cluster` must be a dictionary mapping one or more job names to lists..."
NO_INT = "TypeError: int() argument must be a string, a bytes-like object or a real number, not '%s'"
GAP = 'TypeError: can only concatenate str (not "NoneType") to str'
EMPTY_MAX = "ValueError: max() arg is an empty sequence"
OUT_OF_LIST = "IndexError: list assignment index out of range"


def of(cluster, task_type, index):
    return "{%s, \"task\": {\"type\": %s, \"index\": %s}}" % (cluster, task_type, index)


ESTIMATOR = [
    (None, {"role": "worker", "task_id": 0, "is_chief": True, "num_workers": 1, "num_ps": 0, "id_in_cluster": 0,
            "master": "", "evaluation_master": "", "cluster": {}, "model_dir": None, "service": None}),
    ('{"cluster": {}, "task": {"index": "0"}}', {"role": "worker", "task_id": 0, "is_chief": True}),
    (of(MANY, '"chief"', 0), {"id_in_cluster": 0}), (of(MANY, '"Alpha"', 0), {"id_in_cluster": 1}),
    (of(MANY, '"worker"', 1), {"id_in_cluster": 3}), (of(MANY, '"zeta"', 0), {"id_in_cluster": 4, "device_filters": None}),
    (of(MANY, '"ps"', 0), {"id_in_cluster": 5}),
    (of(SPARSE, '"worker"', 2), {"id_in_cluster": 3, "num_workers": 3, "master": "grpc://w2:1",
                                 "cluster": {"chief": ["c:1"], "worker": {"0": "w0:1", "2": "w2:1"}}}),
    (of(SPARSE, '"worker"', 1), GAP),
    (of('"cluster": {"chief": {"1": "c:1"}}', '"chief"', 1),
     'ValueError: The "cluster" in TF_CONFIG must have only one "chief" node.'),
    *((of(C_W2, '"worker"', index), {"task_id": 1}) for index in ('"1"', "1.9", "true", '" 1 "', '"0_1"', '"\\uff11"')),
    (of(C_W2, '"worker"', '"one"'), "ValueError: invalid literal for int() with base 10: 'one'"),
    (of(C_W2, '"worker"', "NaN"), "ValueError: cannot convert float NaN to integer"),
    (of(C_W2, '"worker"', "1e999"), "OverflowError: cannot convert float infinity to integer"),
    (of(C_W2, '"worker"', "null"), 'ValueError: If "cluster" is set in TF_CONFIG, task index must be set.'),
    (of(C_W2, '"worker"', "9" * 20),
     f"ValueError: {'9' * 20} is not a valid task_id for task_type worker in the cluster_spec:\n"
     "ClusterSpec({'chief': ['c:1'], 'worker': ['w0:1', 'w1:1']})\n\nNote that these values may be..."),
    (of(C_W2, "5", 0), "ValueError: 5 is not a valid task_type in the cluster_spec:..."),
    (of(C_W2, "0", 0), "ValueError: ... task type must be set."),
    ('{"cluster": {"chief": ["a:1", "b:1"]}}', 'ValueError: ...only one "chief" node...'),
    ('{"cluster": {"worker": ["a:1"]}, "task": null}', "ValueError: ...must have one..."),
    ('{"cluster": {"chief": ["a:1"]}, "task": null}', "AttributeError: 'NoneType' object has no attribute 'get'"),
    ('{"service": [], "cluster": 5}',
     'TypeError: If "service" is set in TF_CONFIG, it must be a dict. Given <class \'list\'>'),
    (of('"cluster": {"master": ["m:1"], "chief": []}', '"chief"', 0),
     "ValueError: ...`cluster`, job `chief` is not supported."),
    (of('"cluster": {"master": ["m:1"]}', '"evaluator"', 0),
     "ValueError: ...`cluster`, task_type `evaluator` is not supported."),
    ('{"task": {"type": "ps", "index": []}}', NO_INT % "list"),
    ("null", "AttributeError: 'NoneType' object has no attribute 'get'"),
    # A ps task after an empty job has no id.
    (of('"cluster": {"chief": ["c:1"], "worker": [], "ps": ["p:1"]}', '"ps"', 0), EMPTY_MAX),
    ('{"session_master": null, ' + of(C_W2, '"chief"', 0)[1:], {"master": None}),
    ('{"eval_session_master": "e", ' + of(C_W2, '"chief"', 0)[1:], {"evaluation_master": ""}),
    (of('"cluster": {"chief": ["c:1"]}', '"chief"', 0), {"master": ""}),
    (of('"cluster": {"chief": ["c:1"]}', '"evaluator"', 10**20), {"task_id": 10**20, "num_workers": 0, "cluster": {}}),
    (("{}", {"model_dir": ""}), "ValueError: model_dir should be non-empty."),
    ('{"model_dir": 0}', "ValueError: model_dir should be non-empty"),
    (('{"model_dir": 5}', {"model_dir": "/a"}), 'ValueError: ...TF_CONFIG["model_dir"]: 5.\n'),
    ('{"model_dir": 5}', {"model_dir": 5}), (('{"model_dir": null}', {"model_dir": "/a"}), {"model_dir": "/a"}),
    ('{"session_master": "a", "session_master": "b"}', {"master": "b"}),
    (of('"cluster": {"chief": ["\\ud800:1"]}', '"chief"', 0), "UnicodeEncodeError: ...surrogates not allowed"),
    ("[" + "9" * 5000 + "]", "ValueError: Exceeds the limit (4300 digits) for integer string conversion..."),
    ("[" * 100000, "RecursionError: maximum recursion depth exceeded..."),
    ("", "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    (" \n ", "JSONDecodeError: Expecting value: line 2 column 2 (char 3)"),
    ("{} {}", "JSONDecodeError: Extra data: line 1 column 4 (char 3)"),
]
CONTRIB = [
    *((text, {"role": None, "task_id": 0, "is_chief": True, "num_workers": 0, "num_ps": 0, "master": "",
              "environment": "local", "starts_server_on_train": False, "cluster": {}, "model_dir": None})
      for text in (None, "")),
    *((f'{{"environment": {environment}, ' + of(M_W2, task_type, index)[1:], {"is_chief": is_chief})
      for environment, task_type, index, is_chief in (
          ('"cloud"', '"master"', 0, True), ('"cloud"', '"worker"', 0, False), ('"local"', '"worker"', 0, True),
          ('"google"', '"master"', 0, False), ('"other"', '"worker"', 0, True), ("null", '"worker"', 1, False),
          ('"cloud"', "null", '"0"', True), ('"cloud"', "null", 1, False), ('"local"', '""', 0, False))),
    *((f'{{"environment": {environment}, ' + of(M_W2, task_type, 0)[1:], {"starts_server_on_train": starts})
      for environment, task_type, starts in (('"cloud"', '"worker"', True), ("null", '"worker"', True),
                                             ('"google"', '"worker"', False), ('"cloud"', "null", False))),
    (of(M_W2, '"worker"', 2), "ValueError: 2 is not a valid task_id for task_type worker in the cluster_spec:\nClusterSpec({"
     "'master': ['m:1'], 'worker': ['w:1', 'v:1']})\n\nNote that these value may be coming from the TF_CONFIG environment "
     "variable."),
    (of(M_W2, '"worker"', -1), "ValueError: -1 is not a valid task_id..."),
    (of(M_W2, '"ps"', 0), "ValueError: ps is not a valid task_type..."),
    (of(M_W2, '"worker"', '"x"'), "ValueError: invalid literal for int() with base 10: 'x'"),
    ((of(M_W2, '"worker"', 7), {"master": ""}), {"master": ""}),
    (of('"cluster": {"worker": ["w:1"]}', '"ps"', 9), {"task_id": 9}),
    ('{"cluster": {"worker": {"1": "w:1"}}, "task": {"type": "worker"}}', GAP),
    *((of(M_W2, '"worker"', index), {"task_id": 0}) for index in ("null", '""', "[]", "false", "0.0")),
    ((of(M_W2, '"worker"', 1), {"master": "grpc://x:1"}), {"master": "grpc://x:1"}),
    (('{"model_dir": "/b"}', {"model_dir": "/a"}), 'ValueError: ...model_dir: /a\nTF_CONFIG["model_dir"]: /b.\n'),
    ('{"model_dir": "/b"}', {"model_dir": "/b"}),
]


def raises(error):
    kind, message = error.split(": ", 1)
    return {"error": {"type": kind, "message": message}}


NONE_IN = "TypeError: argument of type 'NoneType' is not iterable"
CHIEF_W = '"cluster": {"chief": ["c:1"], "worker": ["a:1"]}'
AS_WORKER = W2 + ', "task": {"type": "worker", "index": 1}}'
RESOLVER = [
    *((text, {"role": None, "task_id": None, "is_chief": False, "num_ps": 0, "master": "", "cluster": {}, "leader": ""})
      for text in (None, "{}", "[]")),
    ("null", NONE_IN), ("", "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
    ("", {"leader": raises("JSONDecodeError: ...")}), (("", {"task_type": "worker"}), {"role": "worker"}),
    (of(W2, "null", 0), {"role": "None"}), (of(W2, "5", 0), {"role": "5"}), (of(W2, "true", 0), {"role": "True"}),
    (of(W2, '"worker"', '"1"'), {"task_id": 1}), (of(W2, '"worker"', "1.7"), {"task_id": 1}),
    (of(W2, '"worker"', "null"), {"task_id": raises(NO_INT % "NoneType"), "num_workers": 2}),
    (of(W2, "5", 0),
     "ValueError: Unrecognized task_type: 5, valid task types are: ('chief', 'worker', 'evaluator', 'ps', None)"),
    ('{"task": ["type"]}', "TypeError: list indices must be integers or slices, not str"),
    ('{"task": "a type"}', "TypeError: string indices must be integers, not 'str'"),
    (of('"cluster": {"chief": ["a:1", "b:1"]}', '"worker"', 0),
     "ValueError: `task_type` 'worker' not found in cluster_spec."),
    (of('"cluster": {"chief": ["a:1", "b:1"], "evaluator": ["c:1", "d:1"]}', '"chief"', 9),
     "ValueError: There must be at most one 'chief' job."),
    (of('"cluster": {"evaluator": ["c:1", "d:1"]}', '"evaluator"', 0),
     "ValueError: There must be at most one 'evaluator' job."),
    ('{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker"}}',
     "TypeError: '>=' not supported between instances of 'NoneType' and 'int'"),
    (of(W2, '"worker"', "9" * 20), f"ValueError: The `task_id` {'9' * 20} exceeds the maximum id of worker."),
    ('{"cluster": {"Worker": ["a:1"]}}', "ValueError: Disallowed task type found..."),
    ('{"cluster": null, "task": {"index": "x"}}', NO_DICT),
    (of(W2, '"worker"', 0), {"is_chief": True}), (of(CHIEF_W, '"worker"', 0), {"is_chief": False, "id_in_cluster": 1}),
    (of(CHIEF_W, '"worker"', -(10**20) + 1), {"id_in_cluster": -(10**20) + 2}),
    (of(W2, '"evaluator"', 5), {"id_in_cluster": 5}),
    (of('"cluster": {"ps": ["p:1"]}', '"ps"', 0), {"leader": raises("AssertionError: ")}),
    # A sparse job counts its tasks, not its indices.
    (of('"cluster": {"worker": {"0": "a:1", "5": "b:1"}}', '"worker"', 5),
     "ValueError: The `task_id` 5 exceeds the maximum id of worker."),
    (of('"cluster": {"worker": {"0": "a:1", "5": "b:1"}}', '"worker"', 5), {"master": "b:1", "num_workers": 2}),
    ('{"rpc_layer": "", ' + AS_WORKER, {"master": "b:1"}), ('{"rpc_layer": 5, ' + AS_WORKER, {"master": "5://b:1"}),
    ('{"session_master": null, ' + AS_WORKER, {"master": "b:1"}), ('{"session_master": "", ' + AS_WORKER, {"master": ""}),
    ('{"cluster": {"worker": []}}', {"master": raises(EMPTY_MAX)}),
    ("{" + W2 + "}", {"master": raises("ValueError: No such job in cluster: None")}),
    (("{" + AS_WORKER, {"master_task_id": 0, "master_rpc_layer": "x"}), {"master": "x://a:1"}),
]
NO_TASKS = "TypeError: The tasks for job 'w' must be a list or a dictionary from integers to strings."
SPEC = [
    ('{"worker": ["a:1", "b:1"], "ps": {"1": "d:1", "0": "c:1"}, "x": []}',
     {"as_dict": {"worker": ["a:1", "b:1"], "ps": ["c:1", "d:1"], "x": {}}, "truthy": True,
      "repr": "ClusterSpec({'ps': ['c:1', 'd:1'], 'worker': ['a:1', 'b:1'], 'x': {}})"}),
    ("{}", {"as_dict": {}, "truthy": False, "repr": "ClusterSpec({})"}),
    ('{"worker": {" 3 ": "d:1", "1": "b:1", "01": "e:1"}}',
     {"as_dict": {"worker": {"1": "e:1", "3": "d:1"}}, "repr": "ClusterSpec({'worker': {1: 'e:1', 3: 'd:1'}})"}),
    # An index below zero counts from the end, once the job is a list.
    ('{"w": {"-1": "a:1", "0": "b:1", "2": "c:1"}}', {"as_dict": {"w": ["b:1", None, "c:1"]}}),
    ('{"w": {"2": "c:1", "0": "b:1", "-1": "a:1"}}', {"as_dict": {"w": ["b:1", None, "a:1"]}}),
    ('{"w": {"-1": "a:1"}}', {"as_dict": {"w": {"-1": "a:1"}}}),
    ('{"w": {"-5": "a:1", "0": "b:1", "2": "c:1"}}', OUT_OF_LIST),
    *((text, NO_DICT) for text in ("null", "[]", '"a:1"', "1")),
    *((text, NO_TASKS) for text in ('{"w": "a:1"}', '{"w": null}', '{"w": 1}', '{"a": [null], "w": 1}')),
    ('{"w": {"a": "x"}}', "ValueError: invalid literal for int() with base 10: 'a'"),
    ('{"w": ["a:1", 5.0]}', "TypeError: Task address 5.0 must be bytes or unicode"),
    ('{"w": [null], "a": [["x"]]}', "TypeError: Task address ['x'] must be bytes or unicode"),
    ('{"w": {"2147483648": "a"}}', "ValueError: Value out of range: 2147483648"),
    ('{"w": {"%s": "a"}}' % ("9" * 20), "ValueError: Value out of range: " + "9" * 20),
]
TABLES = [(readers.read_as_estimator, ESTIMATOR), (readers.read_as_contrib, CONTRIB), (readers.read_as_resolver, RESOLVER),
          (lambda text: view_of_spec(json.loads(text)), SPEC)]


def check_table(read, table):
    for case, expected in table:
        text, arguments = case if isinstance(case, tuple) else (case, {})
        fields, error = outcome(read, text, **arguments)
        if isinstance(expected, str):
            check(same_error(raises(expected)["error"], error), str(case)[:200], error, "and not", expected)
            continue
        for name, value in expected.items():
            check(fields is not None and same(value, fields.get(name)), case, name, fields, error)


def check_lists_that_are_not_made():
    spec = readers.ClusterSpec({"w": {"2147483647": "a:1"}, "sparse": {"1": "b:1", "3": "d:1"}, "end": {"-1": "e:1"},
                                "no": []})
    check(spec.job_length("w") == 2**31 and spec.job_task("w", 5) is None)
    check([spec.job_task("sparse", i) for i in range(spec.job_length("sparse"))] == [None, "b:1", None, "d:1"])
    for call, expected in ((lambda: spec.job_length("end"), OUT_OF_LIST), (lambda: spec.job_length("no"), EMPTY_MAX),
                           (lambda: spec.job_length("x"), "ValueError: No such job in cluster: 'x'"),
                           (lambda: spec.task_address("it's", 0), "ValueError: No such job in cluster: \"it's\""),
                           (lambda: spec.task_address("sparse", 0), "ValueError: No task with index 0 in job 'sparse'")):
        check(same_error(raises(expected)["error"], outcome(call)[1]), expected)


def check_warnings():
    for text, paths in ((None, []), ('{"a": 1}', []), ('{"task": {"index": 1, "type": "ps", "index": 2}}', ["task.index"]),
                        ('{"a": {"x": 1, "x": 2}, "a": [0, {"é": 1, "é": {"b.c": 1, "b.c": 2}}], "a": 0}',
                         ["a.x", "a", 'a[1]["é"]', 'a[1]["é"]["b.c"]', "a"])):
        found = readers.repeated_names(text)
        check(found == [f"'{path}' stands in it twice; this reader takes the last value" for path in paths], text, found)


# The table of docs/from_tensorflow.md: its rows, and a TF_CONFIG for each.

ROWS = {
    "a cluster without a chief": of('"cluster": {"worker": ["a:1"]}', '"worker"', 0),
    "`master` in place of `chief`": of('"cluster": {"master": ["a:1"]}', '"master"', 0),
    "`master` and `chief`": of('"cluster": {"master": ["a:1"], "chief": ["b:1"]}', '"chief"', 0),
    "several chiefs": of('"cluster": {"chief": ["a:1", "b:1"]}', '"chief"', 0),
    "a chief at an index other than 0": of('"cluster": {"chief": {"1": "a:1"}, "worker": ["b:1"]}', '"worker"', 0),
    "several evaluators in the cluster": of('"cluster": {"chief": ["a:1"], "evaluator": ["b:1", "c:1"]}', '"chief"', 0),
    "an evaluator beside a master": of('"cluster": {"master": ["a:1"]}', '"evaluator"', 0),
    "an evaluator outside the cluster": of('"cluster": {"chief": ["a:1"]}', '"evaluator"', 0),
    "jobs of other names, with tasks": of('"cluster": {"chief": ["a:1"], "mine": ["b:1"]}', '"chief"', 0),
    "jobs of other names, without tasks": of('"cluster": {"chief": ["a:1"], "mine": []}', '"chief"', 0),
    "a cluster, and no task": '{"cluster": {"chief": ["a:1"]}}',
    "a task without an index": '{"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker"}}',
    "an index below 0": of(CHIEF_W, '"worker"', -1),
    "an index in a gap of a sparse map": of(SPARSE, '"worker"', 1),
    "an index of a sparse map that is not below the number of tasks":
        of('"cluster": {"chief": ["a:1"], "worker": {"2": "b:1"}}', '"worker"', 2),
    "a task of a job that the cluster lacks": of('"cluster": {"chief": ["a:1"]}', '"worker"', 0),
    "no cluster, and a task other than worker 0": '{"task": {"type": "ps", "index": 0}}',
    "no cluster, and an evaluator as task": '{"task": {"type": "evaluator", "index": 0}}',
    'an index as text, `"1"`': of(C_W2, '"worker"', '"1"'),
    "an address that is empty or occurs twice": of('"cluster": {"chief": ["a:1"], "worker": ["a:1", ""]}', '"chief"', 0),
    "an address with a scheme, `grpc://h1:2222`":
        of('"cluster": {"chief": ["a:1"], "worker": ["grpc://b:1"]}', '"chief"', 0),
    "a job `local`": of('"cluster": {"local": ["a:1"]}', '"local"', 0),
    "`sparseCluster` instead of `cluster`": of('"sparseCluster": {"chief": ["a:1"]}', '"chief"', 0),
    "a name that occurs twice in an object": of('"cluster": {"chief": ["a:1"], "chief": ["b:1"]}', '"chief"', 0),
}


def lockstep_says(text):
    """The word for it in the last column."""
    done = subprocess.run([LOCKSTEP, "cluster", "--reader=lockstep", "--tf_config", text], capture_output=True, timeout=60)
    if done.returncode != 0:
        check(done.returncode == 78, text, done)
        return "refused"
    return "warning" if json.loads(done.stdout)["warnings"] else "takes it"


def takes(read, text):
    fields, error = outcome(read, text)
    # A task cannot start without an address of its own.
    return error is None and not (isinstance(fields["master"], dict) and "error" in fields["master"])


def check_documented_table():
    with open(os.path.join(TOP, "docs/from_tensorflow.md"), encoding="utf-8") as page:
        table = page.read().split("| TF_CONFIG | estimator | tf.distribute | Lockstep |\n")[1].split("\n\n")[0]
    rows = [line[2:-2].split(" | ") for line in table.splitlines()[1:]]
    check([row[0] for row in rows] == list(ROWS), "the page has other rows")
    for what, estimator, resolver, lockstep in rows:
        text = ROWS[what]
        check(estimator.startswith("takes") == takes(readers.read_as_estimator, text), what, "estimator")
        check(resolver.startswith("takes") == takes(readers.read_as_resolver, text), what, "resolver")
        check(lockstep_says(text) in lockstep, what, "lockstep")


def check_what_both_say(cases):
    """What both of TensorFlow's readers take is taken by train, what both refuse is refused."""
    texts = sorted({case["tf_config"] for case in cases if case.get("tf_config") is not None})
    for text in texts:
        views = [outcome(read, text)[1] is None for read in (readers.read_as_estimator, readers.read_as_resolver)]
        if views[0] == views[1]:
            check((lockstep_says(text) != "refused") == views[0], text)


# Hostile texts: the program ends with an answer or a refusal for any input.


def check_program(reader, text):
    done = subprocess.run([sys.executable, "-I", "-S", FILE, reader, "-"], input=text, capture_output=True, timeout=60)
    what = f"{reader} of {text[:200]!r}: {done}"[:1000]
    check(done.returncode == (78 if done.stderr else 0), what)
    check(b"Traceback" not in done.stderr and done.stderr.decode() is not None, what)
    for line in done.stdout.decode().splitlines():
        check("is_chief" in json.loads(line, parse_constant=lambda name: check(False, name, what)), what)
    check(done.stdout or done.stderr, what)


def mutated(numbers, text):
    parts = (b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"[" * 2000, b'{"a":' * 995, b"\\ud800", b"\xff", b"\xef\xbb\xbf",
             b"null", b'"', b"}", b"\0", b"\x1b", b'"type": "ps", "type": ', b'"2147483647": ')
    for _ in range(numbers.randint(1, 3)):
        at = numbers.randrange(len(text) + 1)
        text = text[:at] + numbers.choice(parts) + text[at + numbers.randrange(4):]
    return text


def check_hostile_texts():
    deep = [b"[" * depth + b"]" * depth for depth in (100, 900, 960, 980, 990, 1000, 200000)]
    odd = [b"NaN", b"[1e999, -1e999]", b'"\\ud800\xff"', b"9" * 4301]
    whole = [b'{"session_master": ' + text + b"}" for text in deep + odd]
    many = b'{"cluster": {"worker": [' + b",".join([b'"a:1"'] * 20000) + b"]}}"
    seeds = [text.encode() for text in ROWS.values()]
    numbers = random.Random(1)
    texts = [*deep, *whole, many, b"", b"\0", *(mutated(numbers, numbers.choice(seeds)) for _ in range(10))]
    for text in texts:
        for reader in ("estimator", "contrib", "resolver"):
            check_program(reader, text)


def main():
    cases = reference_cases()
    check_reference_cases(cases)
    for read, table in TABLES:
        check_table(read, table)
    check_lists_that_are_not_made()
    check_warnings()
    check_documented_table()
    check_what_both_say(cases)
    check_hostile_texts()
    print(f"{len(cases)} reference cases, {sum(len(table) for _, table in TABLES)} of our own: "
          f"{counts['passed']} checks passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
