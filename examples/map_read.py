#!/usr/bin/env python3
"""Which branches of a kernel split, for a program that loads its own device code?

Programs that load PTX or cubins themselves (the driver API, PyCUDA, CuPy, Numba) read the counters of a module compiled with
`-mllvm -warpwise-profile-generate` by one symbol. This example uses the driver through ctypes and nothing else:

    clang++ -x cuda --cuda-device-only -S --cuda-gpu-arch=sm_90 -O3 -g1 -fpass-plugin=libwarpwise.so \
        -mllvm -warpwise-profile-generate examples/sum_triangle.cu -o sum_triangle.ptx
    python3 examples/map_read.py sum_triangle.ptx

`read_map(read_global, read_memory)` is all that another program needs. With PyCUDA:

    read_map(lambda name: module.get_global(name), lambda address, size: bytes(drv.from_device(address, size, 'u1')))
"""

import ctypes
import struct
import sys

INDEX = "__warpwise_map"
# how many numbers belong to a term of a limit, by its kind; none to the others
TERMS = {0: 2, 1: 2, 2: 3, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1}


def read_map(read_global, read_memory):
    """Branches of a loaded module, as dictionaries.

    `read_global(name)` gives a global's (address, bytes); `read_memory(address, bytes)` gives its contents.
    """
    address, size = read_global(INDEX)
    counters, table, counter_bytes, table_bytes = struct.unpack("<4Q", read_memory(address, size))
    return decode(read_memory(table, table_bytes), read_memory(counters, counter_bytes))


def decode(table, counters):
    """The layout: see src/analysis/counts/table.rs."""
    magic, _hash, replicas, words, length, _ = struct.unpack_from("<8sQ4I", table)
    if magic != b"WARPTBL3":
        raise ValueError("this is no table of warpwise, or one of another version")
    raw = struct.unpack(f"<{replicas * words}Q", counters)
    counts = [sum(raw[word::words]) for word in range(words)]
    found = []
    for kernel, slot, (file, line) in branches(table[32 : 32 + length]):
        visits, splits, lanes = counts[slot : slot + 3]
        found.append(
            {"kernel": kernel, "file": file, "line": line, "visits": visits, "splits": splits, "lanes": lanes}
        )
    return sorted(found, key=lambda branch: -branch["splits"])


def branches(data):
    """Symbol, first word and innermost place of each branch that a description says is counted."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def skip(numbers):
        for _ in range(numbers):
            number()

    def text():
        nonlocal at
        length = number()
        at += length
        return data[at - length : at].decode()

    def optional(read):
        return read() if number() else None

    def each(read):
        return [read() for _ in range(number())]

    def condition():
        text()
        kind = number()
        if kind == 2:  # multiples: arguments, and is blockDim.x one
            each(number)
            number()
        elif kind == 3:  # bounds: dimension, of the grid, extent, what is added, limit
            each(lambda: (skip(2), optional(number), number(), each(lambda: skip(TERMS.get(number(), 0)))))
        optional(number)  # the word that counts launches in which it held

    text()  # who wrote it
    text()  # the source file
    files = each(text)
    places = each(lambda: (files[number()], number(), number(), optional(number))[:2])
    for _ in range(number()):
        symbol = text()
        number()  # is it a kernel
        optional(number)  # the word that counts launches
        optional(lambda: skip(2))  # file and line
        optional(text)  # the shape of the block
        skip(3)  # values by class
        each(lambda: (skip(2), text(), each(text)))  # lines with notes
        each(condition)
        each(lambda: (text(), skip(3), each(number)))  # blocks: name, lines, instructions, successors
        for _ in range(number()):
            number()  # the block it ends
            place = optional(number)
            skip(2)  # is it divergent, loops around it
            each(number)  # targets
            slot = optional(number)
            optional(text)  # reasons
            each(number)  # conditions
            if slot is not None:
                yield symbol, slot, ("?", 0) if place is None else places[place]


def main(path):
    """Launches avg_square's or sum_triangle's kernel once on zeros and prints what split."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def check(what, status):
        if status:
            raise RuntimeError(f"{what}: CUDA error {status}")

    check("cuInit", cuda.cuInit(0))
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    check("cuDeviceGet", cuda.cuDeviceGet(ctypes.byref(device), 0))
    check("cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check("cuCtxSetCurrent", cuda.cuCtxSetCurrent(context))
    with open(path, "rb") as file:
        image = file.read() + b"\0"
    check("cuModuleLoadData", cuda.cuModuleLoadData(ctypes.byref(module), image))

    def read_global(name):
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        found = cuda.cuModuleGetGlobal_v2(ctypes.byref(address), ctypes.byref(size), module, name.encode())
        check(f"cuModuleGetGlobal({name})", found)
        return address.value, size.value

    def read_memory(address, size):
        buffer = ctypes.create_string_buffer(size)
        check("cuMemcpyDtoH", cuda.cuMemcpyDtoH_v2(buffer, ctypes.c_uint64(address), ctypes.c_size_t(size)))
        return buffer.raw

    kernel = ctypes.c_void_p()
    name = b"_Z11sumTrianglePKfPfi" if b"sumTriangle" in image else b"_Z9avgSquarePKfPfi"
    check("cuModuleGetFunction", cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name))
    n = 100
    matrix, result = ctypes.c_uint64(), ctypes.c_uint64()
    check("cuMemAlloc", cuda.cuMemAlloc_v2(ctypes.byref(matrix), ctypes.c_size_t(4 * n * n)))
    check("cuMemAlloc", cuda.cuMemAlloc_v2(ctypes.byref(result), ctypes.c_size_t(4 * n)))
    check("cuMemsetD8", cuda.cuMemsetD8_v2(matrix, 0, ctypes.c_size_t(4 * n * n)))
    values = [matrix, result, ctypes.c_int(n)]
    arguments = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values))
    check("cuLaunchKernel", cuda.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, None, arguments, None))
    check("cuCtxSynchronize", cuda.cuCtxSynchronize())

    for branch in read_map(read_global, read_memory):
        rate = 100 * branch["splits"] / max(branch["visits"], 1)
        where = f"{branch['file']}:{branch['line']}"
        print(f"{where:40} visits {branch['visits']:8}  splits {branch['splits']:8}  {rate:5.1f} %")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
