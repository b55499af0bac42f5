"""What was measured, as tables in Markdown."""
from gpu_measure.cards import data_sheet_peak, is_slice

MOST_ROWS = 12  # operations of a network; the others share one row


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else ""


def of_data_sheet(tflops, line):
    if is_slice(line["device_name"]):
        return "none of a MIG slice"
    return percent(tflops, data_sheet_peak(line["device_name"], line["precision"]))


def measured_peak(results, precision):
    """The fastest of the products, in TFLOP/s."""
    speeds = [line["tflops_best"] for line in results if line["what"] == "product" and line["precision"] == precision]
    return max(speeds, default=None)


def device_name(results):
    return next((line["device_name"] for line in results if "device_name" in line), "")


def correctness_text(results):
    return "\n".join(f"Every operation against the CPU's: {line['program']}: {line['summary']}" for line in results
                     if line["what"] == "correctness")


def products_table(results):
    lines = [line for line in results if line["what"] == "product"]
    rows = []
    for line in lines:
        peak = measured_peak(lines, line["precision"])
        rows.append([line["of"], f"{line['m']} x {line['n']} x {line['k']} {line['form']}", line["precision"],
                     f"{line['us_best']:.1f}", f"{line['tflops_best']:.4g}", percent(line["tflops_best"], peak),
                     of_data_sheet(line["tflops_best"], line)])
    if not rows:
        return ""
    copies = [f"A copy within the card's memory: {line['gbs_best']:.0f} GB/s read and written." for line in results
              if line["what"] == "copy"][:1]
    return "\n".join(["Products, best:\n", markdown(["of", "m x n x k", "factors", "us", "TFLOP/s", "of the fastest",
                                                    "of the data sheet"], rows), ""] + copies)


def speed(line):
    return line.get("tokens_per_second_median", line.get("samples_per_second_median"))


def peers_of(results, line):
    """PyTorch's forms of the same network, fastest first."""
    same = [peer for peer in results if peer["what"] == "torch" and peer["name"] == line["name"]
            and peer["precision"] == line["precision"] and peer["batch"] == line["batch"]]
    return sorted(same, key=speed, reverse=True)


def steps_table(results):
    rows = []
    for line in results:
        if line["what"] != "step":
            continue
        peers = peers_of(results, line)
        ratios = ", ".join(f"{peer['form']} {speed(line) / speed(peer):.2f}" for peer in peers)
        unit = "tokens/s" if "tokens_per_second_median" in line else "samples/s"
        gap, outside = "", ""
        if "launch_gap_us" in line:  # on a GPU
            step = line["step_us_best"]
            gap, outside = percent(line["launch_gap_us"], step), percent(step - line["products_us"], step)
        held = f"{line['memory_bytes'] / 1e6:.0f}"
        if peers and peers[0]["memory_bytes"]:  # 0: PyTorch does not count it
            held += f" ({peers[0]['memory_bytes'] / 1e6:.0f})"
        rows.append([f"{line['name']}, batch {line['batch']}" + (f" x {line['length']}" if "length" in line else "")
                     + (", CUDA graph" if line.get("cuda_graph") else ""),
                     line["precision"], f"{speed(line):.0f} {unit}", f"{line['step_us_median']:.0f}", ratios,
                     f"{line['tflops_median']:.3g}",
                     percent(line["tflops_median"], measured_peak(results, line["precision"])),
                     of_data_sheet(line["tflops_median"], line), gap, outside, held])
    if not rows:
        return ""
    versions = sorted({f"PyTorch {peer['peer_version']}" for peer in results if peer["what"] == "torch"})
    return "\n".join([f"Steps, medians; ratios are to {', '.join(versions) or 'PyTorch, which was not measured'}:\n",
                      markdown(["network", "factors", "speed", "step, us", "times as fast as", "TFLOP/s",
                                "of the fastest product", "of the data sheet", "launch gaps",
                                "outside products", "MB held (PyTorch's fastest)"], rows)])


def operations_table(line):
    """Where a step's time goes: operations by themselves, of a GPU."""
    columns = ["forward_us", "backward_us", "update_us"]
    total = line["operations_us"]
    rows = sorted(line["layers"], key=lambda row: -sum(row[column] for column in columns))
    shown = [[row["name"]] + [f"{row[column]:.1f}" for column in columns]
             + [percent(sum(row[column] for column in columns), total)] for row in rows[:MOST_ROWS]]
    if rest := rows[MOST_ROWS:]:
        sums = [sum(row[column] for row in rest) for column in columns]
        shown.append([f"{len(rest)} others"] + [f"{us:.1f}" for us in sums] + [percent(sum(sums), total)])
    return "\n".join([f"{line['name']} in {line['precision']}: operations {total:.0f} us by themselves, the step "
                      f"{line['step_us_best']:.0f} us, best:\n",
                      markdown(["operations", "forward, us", "backward, us", "update, us", "of all"], shown)])


def exchange_table(results):
    rows = [[f"{line['name']}, {line['ranks']} rank(s)", line["collective"], f"{line['exchange_us_median']:.0f}",
             f"{line['step_us_median']:.0f}", percent(line["exchange_us_median"], line["step_us_median"])]
            for line in results if line["what"] == "exchange"]
    return "Sums of the gradients over the ranks, by themselves and beside the step:\n\n" + markdown(
        ["network", "over", "sums, us", "step, us", "share"], rows) if rows else ""


def all_tables(results):
    split = [operations_table(line) for line in results
             if line["what"] == "step" and "operations_us" in line and not line.get("cuda_graph")]
    parts = [device_name(results), correctness_text(results), products_table(results), steps_table(results), *split,
             exchange_table(results)]
    return "\n\n".join(part for part in parts if part)
