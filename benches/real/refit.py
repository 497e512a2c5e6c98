#!/usr/bin/env python3
"""Which thresholds would real programs choose, and how well do they decide about programs that had no say?

Reads changed.tsv: one row for each kernel whose machine code a transform changed, with its speed-up and the number by
which the model decides. For each model it finds the threshold that gives the highest geometric mean, and then once more
for each program with the rows of that program left out; the threshold so found decides about the program. A kernel that
is left alone counts as 1 when thresholds are compared, and not at all in the summaries. Where the programs stand against
nvcc and clang is printed first.
"""

import argparse
import csv
import math
import pathlib
import re
import statistics
import sys

import standing

HERE = pathlib.Path(__file__).parent
WARP = 32


def risk(row):
    """What a warp that does not split loses, in percent of what one that splits saves; negative, since less is better."""
    return -100 * float(row["risk"]) / float(row["saved"])


def gain(row):
    """The gain foreseen, or none if the cache would have no room for a warp's copies of the objects that stay."""
    displaces = int(row["others"]) * WARP > int(row["left"])
    return 0.0 if displaces else float(row["gain"])


def dear(row):
    """What a converted tree costs in percent of its branches; negative, since less is better."""
    return -100 * float(row["added"]) / float(row["saved"])


def once(row):
    """What a tree outside of loops costs; negative, since less is better."""
    return -float(row["added"])


# transform of the table, number that decides, the threshold among the prices, and its sign
MODELS = [
    ("fuse", risk, "MELD_MAX_WASTE", -1),
    ("object", gain, "STACK_MIN_GAIN", 1),
    ("convert", dear, "TREE_MAX_COST", -1),
    ("once", once, "TREE_MAX_COST_ONCE", -1),
]
PRICES = HERE.parents[1] / "src/analysis/gpu/prices.rs"
LEAST = 0.98  # below this a kernel has lost
GOOD = 1.02  # above this it has gained


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    if not rows:
        sys.exit(f"error: {path} has no rows")
    for number, row in enumerate(rows, 2):
        try:
            row["ratio"] = float(row["ratio"])
        except (KeyError, TypeError, ValueError):
            sys.exit(f"error: {path}:{number}: the column 'ratio' must be a number")
    return rows


def price(name):
    """The value of a constant in the sources."""
    found = re.search(rf"const {name}: \w+ = ([\d.]+);", PRICES.read_text(encoding="utf-8"))
    if not found:
        sys.exit(f"error: {PRICES} has no constant {name}")
    return float(found[1])


def mean(ratios):
    return math.exp(statistics.fmean(math.log(ratio or 1.0) for ratio in ratios)) if ratios else 1.0


def decided(rows, number, threshold):
    """The ratios if kernels below the threshold are left alone, which have none."""
    return [row["ratio"] if number(row) >= threshold else None for row in rows]


def of_today(rows):
    """Without those to which an earlier transform leaves nothing."""
    return [row for row in rows if row["now"] != "earlier"]


def fitted(rows, number):
    """The threshold with the highest geometric mean, among the numbers of the table; of several the strictest."""
    return max(sorted({number(row) for row in rows}, reverse=True), key=lambda least: mean(decided(rows, number, least)))


def out_of_sample(rows, number):
    """The ratios of each program under the threshold that the others choose."""
    ratios = []
    for program in sorted({row["program"] for row in rows}):
        others = [row for row in rows if row["program"] != program]
        threshold = fitted(others, number) if others else -math.inf
        ratios += decided([row for row in of_today(rows) if row["program"] == program], number, threshold)
    return ratios


def summary(ratios):
    changed = sorted(ratio for ratio in ratios if ratio is not None)
    if not changed:
        return "none changed"
    below, above = sum(r < LEAST for r in changed), sum(r > GOOD for r in changed)
    return (
        f"{len(changed)} changed, {below} below {LEAST}, {above} above {GOOD}, lowest {changed[0]:.3f}, "
        f"geometric mean {mean(changed):.3f}, without the best three {mean(changed[:-3]):.3f}"
    )


def main():
    options = argparse.ArgumentParser(prog="scripts/bench real", description=__doc__)
    options.add_argument("table", nargs="?", default=HERE / "changed.tsv", help="default: benches/real/changed.tsv")
    rows = read_rows(options.parse_args().table)
    standing.show()
    print()
    now, left_out = [], []
    for transform, number, name, sign in MODELS:
        # what a rule without a number refuses, no threshold decides about
        ours = [row for row in rows if row["transform"] == transform and row["now"] != "rule"]
        if not ours:
            continue
        threshold = sign * price(name)
        held = out_of_sample(ours, number)
        print(f"{transform}: {name} is {sign * threshold:g}, the table chooses {sign * fitted(ours, number):.3g}")
        print(f"  all of them:      {summary([row['ratio'] for row in ours])}")
        print(f"  as it is:         {summary(decided(of_today(ours), number, threshold))}")
        print(f"  program left out: {summary(held)}")
        now += decided(of_today(ours), number, threshold)
        left_out += held
    models = {model[0] for model in MODELS}
    rest = [row["ratio"] for row in rows if row["transform"] not in models and row["now"] == "yes"]
    print(f"all transforms:\n  as it is:         {summary(now + rest)}\n  program left out: {summary(left_out + rest)}")


if __name__ == "__main__":
    main()
