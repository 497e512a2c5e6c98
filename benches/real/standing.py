"""Where do public programs stand against both compilers?

Reads survey.tsv, one row for each kernel of each program, and causes.tsv. A ratio above 1 says that the second build is
faster. A program's time is the sum of its kernels that both builds have. `scripts/bench real` is the way in.
"""

import csv
import math
import pathlib
import statistics
from collections import defaultdict

HERE = pathlib.Path(__file__).parent
PROGRAM_MS = 0.3  # shorter programs and kernels are mostly launches
KERNEL_US = 20
BEHIND, AHEAD = 0.95, 1.05
WORST = 20


def read_survey(path):
    """What the first line says of the measurement, and the rows, whose times are numbers or None."""
    with open(path, newline="", encoding="utf-8") as file:
        measured = next(file).removeprefix("# ").strip()
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        row["launches"] = int(row["launches"])
        for build in ("nvcc", "clang", "ours"):
            row[build] = float(row[f"{build}_ms"]) if row[f"{build}_ms"] else None
    return measured, rows


def timed(rows, first, second):
    """The rows that both builds have."""
    return [row for row in rows if row[first] and row[second]]


def programs(rows, first, second):
    """The milliseconds of each program in both builds, of those that take long enough."""
    sums = defaultdict(lambda: [0.0, 0.0])
    for row in timed(rows, first, second):
        sums[row["program"]][0] += row[first]
        sums[row["program"]][1] += row[second]
    return {program: both for program, both in sums.items() if max(both) >= PROGRAM_MS}


def kernels(rows, first, second):
    """The rows whose launches take long enough."""
    return [r for r in timed(rows, first, second) if max(r[first], r[second]) * 1e3 >= KERNEL_US * r["launches"]]


def line(what, ratios):
    if not ratios:
        return
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    behind, ahead = (sum(map(test, ratios)) for test in (lambda r: r < BEHIND, lambda r: r > AHEAD))
    print(
        f"  {what:31} {len(ratios):4}  geometric mean {mean:.3f}, median {statistics.median(ratios):.3f}, "
        f"behind {behind} ({behind / len(ratios):.0%}), ahead {ahead} ({ahead / len(ratios):.0%})"
    )


def compare(rows, first, second):
    """The line of all programs and that of all kernels, and of those that the plugin changes."""
    print(f"{first} over {second}:")
    changes = {row["program"] for row in rows if row["changed"] == "yes"}
    both = programs(rows, first, second)
    line("programs", [a / b for a, b in both.values()])
    if first == "clang":
        line("programs that change", [a / b for program, (a, b) in both.items() if program in changes])
    long = kernels(rows, first, second)
    line("kernels", [row[first] / row[second] for row in long])
    if first == "clang":
        line("kernels of these programs", [r[first] / r[second] for r in long if r["program"] in changes])


def worst(rows, causes):
    """The programs furthest behind nvcc, each with the kernel that loses most."""
    print("\nFurthest behind nvcc: nvcc over ours, clang over ours, the kernel that loses most, its ratio, cause")
    clang = programs(rows, "clang", "ours")
    both = programs(rows, "nvcc", "ours")
    for program in sorted(both, key=lambda name: both[name][0] / both[name][1])[:WORST]:
        nvcc, ours = both[program]
        over_clang = f"{clang[program][0] / clang[program][1]:.2f}" if program in clang else ""
        own = [row for row in timed(rows, "nvcc", "ours") if row["program"] == program]
        row = max(own, key=lambda row: row["ours"] - row["nvcc"])
        print(
            f"  {program:24} {nvcc / ours:.2f}  {over_clang:4}  {row['kernel'][:32]:32} {row['nvcc'] / row['ours']:.2f}  "
            f"{causes.get(program, '?')}"
        )


def show():
    measured, rows = read_survey(HERE / "survey.tsv")
    with open(HERE / "causes.tsv", newline="", encoding="utf-8") as file:
        causes = {row["program"]: row["cause"] for row in csv.DictReader(file, delimiter="\t")}
    print(f"{measured}\nprograms of {PROGRAM_MS} ms and more, kernels of {KERNEL_US} µs a launch and more;")
    print(f"behind is below {BEHIND}, ahead above {AHEAD}")
    for first, second in (("nvcc", "ours"), ("clang", "ours"), ("nvcc", "clang")):
        compare(rows, first, second)
    worst(rows, causes)
