#!/usr/bin/env python3
"""How much longer does clang take over device code with the plugin than without?

Compiles every bitcode file of a folder to PTX at -O3 with plain clang and with the plugin, by turns, and takes the least
processor time (user and system) of a few runs of each: whatever disturbs a run makes it longer. `scripts/bench compile`
is the way in.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

SECOND = 1.0  # a module that clang alone takes longer over is a large one


def processor_seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        return None, said.decode(errors="replace").strip()
    return usage.ru_utime + usage.ru_stime, ""


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def row(name, times):
    ratios = [with_it / plain for plain, with_it in times]
    plain, with_it = (sum(column) for column in zip(*times))
    return (
        f"| {name} | {len(times)} | {plain:.1f} | {with_it:.1f} | {with_it / plain:.3f} "
        f"| {median(ratios):.3f} | {quantile(ratios, 0.9):.3f} | {max(ratios):.2f} |"
    )


def least_seconds(plain, plugin, file, runs):
    """Seconds without and with the plugin; None if the file does not compile."""
    best = [None, None]
    for _ in range(runs):
        for which, command in enumerate((plain, plugin)):
            took, said = processor_seconds([*command, str(file)])
            if took is None and which == 0:
                return None
            if took is None:
                show_progress(None)
                sys.exit(f"error: {file} does not compile with the plugin: {said}")
            best[which] = took if best[which] is None else min(best[which], took)
    return best


def show_progress(text):
    """One line on a terminal, which the next one replaces; None removes it."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + (text or ""))
        sys.stderr.flush()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path, help="*.bc files for nvptx64, before optimisation")
    options.add_argument("--clang", required=True)
    options.add_argument("--plugin", required=True)
    options.add_argument("--runs", type=int, default=3, help="of each module, the least counts")
    options.add_argument("--json", type=Path, help="writes the seconds of every module")
    args = options.parse_args()
    files = sorted(args.folder.glob("*.bc"))
    if not files:
        sys.exit(f"error: no *.bc in {args.folder}; make some with clang -O3 -Xclang -disable-llvm-passes -emit-llvm")
    plain = [args.clang, "-O3", "-S", "--target=nvptx64-nvidia-cuda", "-Wno-everything", "-o", "/dev/null", "-x", "ir"]
    plugin = [*plain[:-2], f"-fpass-plugin={args.plugin}", *plain[-2:]]
    seconds, skipped = {}, 0
    try:
        for number, file in enumerate(files, 1):
            show_progress(f"{number} of {len(files)}: {file.name}")
            best = least_seconds(plain, plugin, file, args.runs)
            if best is None:
                skipped += 1
            else:
                seconds[file.name] = best
    except KeyboardInterrupt:
        show_progress(None)
        print(f"stopped: {len(seconds)} of {len(files)} files were measured", file=sys.stderr)
    show_progress(None)
    if args.json:
        args.json.write_text(json.dumps(seconds))
    print("| clang alone takes | modules | clang, s | with the plugin, s | total | median | 90th percentile | worst |")
    print("|---|---|---|---|---|---|---|---|")
    classes = (("below 0.1 s", 0, 0.1), ("0.1 to 1 s", 0.1, SECOND), ("1 s and more", SECOND, 1e9), ("all", 0, 1e9))
    for name, least, most in classes:
        times = [pair for pair in seconds.values() if least <= pair[0] < most]
        if times:
            print(row(name, times))
    if skipped:
        print(f"{skipped} files do not compile without the plugin and are left out", file=sys.stderr)


main()
