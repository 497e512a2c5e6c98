"""Prints basic blocks b1 to bN, each of which leads to the next, and the last to `end`."""

import sys

count = int(sys.argv[1])
for number in range(1, count + 1):
    following = f"b{number + 1}" if number < count else "end"
    print(f"b{number}:\n  br label %{following}")
