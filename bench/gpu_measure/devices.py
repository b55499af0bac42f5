"""The GPU that --device names, for a program that always takes the first one it sees."""
import re

DEVICE = re.compile("cpu|cuda(?::([0-9]+))?")
VISIBLE = "CUDA_VISIBLE_DEVICES"


def only_device(device, variables):
    """What to add to the environment for the device to be the only one that is visible. N counts what CUDA_VISIBLE_DEVICES
    lists, numbers or UUIDs, where it is set; of an N beyond that nothing is visible, and the program says so."""
    number = DEVICE.fullmatch(device)[1]
    if number is None:
        return {}
    if VISIBLE not in variables:
        return {VISIBLE: number}
    listed = variables[VISIBLE].split(",")
    return {VISIBLE: listed[int(number)].strip() if int(number) < len(listed) else ""}
