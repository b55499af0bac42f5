"""What the makers of cards say of them: dense products, no sparsity, in TFLOP/s."""

# Part of the name that the driver gives a card; the first match counts. float32 is the rate without tensor cores, since
# neither Lockstep nor PyTorch uses TF32 unless told to.
# Sources: "NVIDIA H100 Tensor Core GPU" and "NVIDIA H200 Tensor Core GPU", data sheets, whose figures for bfloat16 are
# with sparsity and twice these.
DATA_SHEETS = [
    ("H200 NVL", {"float32": 60.0, "bfloat16": 835.5}),
    ("H200", {"float32": 67.0, "bfloat16": 989.5}),
    ("H100 NVL", {"float32": 60.0, "bfloat16": 835.5}),
    ("H100 PCIe", {"float32": 51.0, "bfloat16": 756.5}),
    ("H100", {"float32": 67.0, "bfloat16": 989.5}),
]


def is_slice(device_name):
    """Of a card: "NVIDIA H100 80GB HBM3 MIG 1g.10gb"."""
    return " MIG " in device_name


def data_sheet_peak(device_name, precision):
    """None: a card that is not in the list, or a slice of one, of which no data sheet speaks."""
    if is_slice(device_name):
        return None
    for part, peaks in DATA_SHEETS:
        if part in device_name:
            return peaks[precision]
    return None
