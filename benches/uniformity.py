#!/usr/bin/env python3
"""How many branches and values of device modules are called divergent, by LLVM's uniformity analysis and by warpwise?

Counts the conditional branches and switches, and the results of instructions, of the kernels in optimised device modules
(clang -O3 -emit-llvm -c --cuda-device-only). Kernels whose instructions are the same count once; those of thrust, cub and
cooperative groups are told apart. Affine values do not count as divergent. `scripts/bench divergent` is the way in.
"""
import argparse
import hashlib
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

NAME = r'%(?:"(?:[^"\\]|\\.)*"|[-\w$.]+)'
LIBRARIES = re.compile(r"3cub|6thrust|4cuda3std|cooperative_groups")
KINDS = [
    ("no thread fails a bounds check, or all do", re.compile("<=")),
    ("blockDim.x is a multiple of 32", re.compile(r"^blockDim\.x is a multiple of 32$")),
    ("the block has one dimension", re.compile("the block has one dimension")),
    ("blockDim.x and arguments are multiples of 32", re.compile("multiples? of 32")),
]


@dataclass
class Found:
    """What an analysis says of one function."""

    branches: int = 0
    branches_divergent: int = 0
    values_divergent: int = 0
    conditions: list = field(default_factory=list)


def opt(args, file, *options):
    run = subprocess.run([args.opt, *options, file], capture_output=True, text=True, errors="replace", check=False)
    if run.returncode:
        said = next((line for line in run.stderr.splitlines() if "error: " in line), run.stderr.strip())
        sys.exit(f"error: {file} is no device module that opt can read: {said.split('error: ')[-1]}")
    return run


def kernels_of(ir):
    """The body of each kernel, without the numbers of metadata and attributes."""
    kernels, name, body = {}, None, []
    for line in ir.splitlines():
        if line.startswith("define ") and " ptx_kernel " in line:
            name, body = re.search(r'@("[^"]+"|[-\w$.]+)\(', line).group(1).strip('"'), []
        elif line == "}" and name is not None:
            kernels[name] = hashlib.sha256("\n".join(body).encode()).hexdigest()
            name = None
        elif name is not None:
            body.append(re.sub(r"[#!]\w+", "", line))
    return kernels


def of_llvm(text):
    """Reads `print<uniformity>`, which marks what is divergent, stores included."""
    found, now, part = {}, None, None
    for line in text.splitlines():
        if line.startswith("UniformityInfo for function "):
            now = found.setdefault(line.split("'")[1], Found())
        elif line in ("DEFINITIONS", "TERMINATORS"):
            part = line
        elif line.startswith("END BLOCK"):
            part = None
        elif now is not None and "DIVERGENT:" in line:
            if part == "TERMINATORS":
                now.branches_divergent += bool(re.search(r"\b(br i1|switch)\b", line))
            elif part == "DEFINITIONS":
                now.values_divergent += bool(re.search(rf": +{NAME} = ", line))
    return found


def of_warpwise(text):
    """Reads `print<affine-divergence>`."""
    found, now = {}, None
    for line in text.splitlines():
        if head := re.match(r"affine divergence for '(.*)' \(block", line):
            now = found.setdefault(head.group(1), Found())
        elif now is None:
            continue
        elif re.match(r"  (br|switch) .*: (divergent|uniform)", line):
            now.branches += 1
            now.branches_divergent += ": divergent" in line
        elif line.startswith("    uniform if "):
            now.conditions.append(line.strip().removeprefix("uniform if "))
        elif value := re.match(rf"  {NAME} = (\w+)", line):
            now.values_divergent += value.group(1) == "divergent" and "after the loop" not in line
    return found


def analyse(args, file):
    """The kernels of a module, and what is said of them: by LLVM, by warpwise, and by warpwise told the block."""
    # LLVM counts all values of a function again for each unnamed one that it prints
    llvm = opt(args, file, "-S", "-o", "-", "-passes=instnamer,print<uniformity>")
    load = [f"-load-pass-plugin={args.plugin}", "-disable-output"]
    ours = opt(args, file, *load, "-passes=print<affine-divergence>")
    told = opt(args, file, *load, f"-passes=print<affine-divergence<block={args.block}>>")
    return kernels_of(llvm.stdout), of_llvm(llvm.stderr), of_warpwise(ours.stderr), of_warpwise(told.stderr)


def cells(group, count):
    theirs, ours, told = (sum(count(kernel[which]) for kernel in group) for which in range(3))
    ratio = lambda number: f"{number:,} ({number / theirs:.3f})" if theirs else f"{number:,}"
    return f"{theirs:,} | {ratio(ours)} | {ratio(told)}"


def say_conditions(group, block):
    for which, launches in ((1, "any block"), (2, f"block={block}")):
        divergent = sum(kernel[which].branches_divergent for kernel in group)
        conditions = [condition for kernel in group for condition in kernel[which].conditions]
        kinds = Counter()
        for condition in conditions:
            for part in condition.split(", or if "):
                kinds[next((name for name, pattern in KINDS if pattern.search(part)), "others")] += 1
        listed = "; ".join(f"{name}: {count:,}" for name, count in kinds.most_common())
        share = len(conditions) / divergent if divergent else 0
        print(f"{launches}: {len(conditions):,} of {divergent:,} divergent branches ({share:.0%}) have a condition. {listed}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("files", nargs="+", help="device modules for nvptx64 after optimisation, *.bc or *.ll")
    options.add_argument("--opt", required=True)
    options.add_argument("--plugin", required=True)
    options.add_argument("--block", default="256", help="the block that warpwise is told in the last columns")
    options.add_argument("--jobs", type=int, default=2)
    args = options.parse_args()
    if not re.fullmatch(r"\d+(x\d+){0,2}", args.block):
        sys.exit(f"error: '{args.block}' is no block; give its extents, as in --block 256 or --block 16x16")
    own, libraries, seen = [], [], set()
    with ThreadPoolExecutor(args.jobs) as pool:
        for kernels, *said in pool.map(lambda file: analyse(args, file), args.files):
            for name, body in kernels.items():
                if body not in seen and all(name in analysis for analysis in said):
                    seen.add(body)
                    (libraries if LIBRARIES.search(name) else own).append([analysis[name] for analysis in said])
    if not seen:
        sys.exit(f"error: no kernels in {', '.join(args.files[:3])}: device modules have functions with ptx_kernel")
    told = f"warpwise, block={args.block}"
    print(f"| kernels | distinct | branches | LLVM | warpwise | {told} | values: LLVM | warpwise | {told} |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, group in (("of programs", own), ("of thrust, cub and cooperative groups", libraries)):
        if group:
            branches = sum(kernel[1].branches for kernel in group)
            divergent = cells(group, lambda found: found.branches_divergent)
            values = cells(group, lambda found: found.values_divergent)
            print(f"| {name} | {len(group):,} | {branches:,} | {divergent} | {values} |")
    print()
    say_conditions(own + libraries, args.block)


if __name__ == "__main__":
    main()
