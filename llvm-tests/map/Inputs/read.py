"""Does examples/map_read.py read counters as src/analysis/counts/table.rs lays them out? A map file stands in for the device's memory."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples"))
import map_read


def strings(data, at):
    (count,) = struct.unpack_from("<I", data, at)
    return data[at + 4 : at + 4 + count], at + 4 + count


data = open(sys.argv[1], "rb").read()
assert data[:8] == b"WARPMAP1"
(runs,) = struct.unpack_from("<I", data, 16)
at = 20
for _ in range(runs):
    _, at = strings(data, at)
table, at = strings(data, at + 4)
(words,) = struct.unpack_from("<I", data, at)
counts = data[at + 4 : at + 4 + 8 * words]
replicas, replica_words = struct.unpack_from("<2I", table, 16)
assert replica_words == words
# all that was counted stands in the last replica
counters = bytes(8 * words * (replicas - 1)) + counts
memory = {1: struct.pack("<4Q", 2, 3, len(counters), len(table)), 2: counters, 3: table}
found = map_read.read_map(lambda name: (1, 32), lambda address, size: memory[address][:size])
for branch in found:
    print("{kernel}: {visits} visits, {splits} splits, {lanes} lanes".format(**branch))
