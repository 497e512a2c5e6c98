"""Does libwarpwise_opt.so do what its header says? library.py WHEEL FOLDER [LLVM]

WHEEL has the Python module, FOLDER the library and the command, LLVM is a library of another LLVM to load first.
"""

import ctypes
import importlib.util
import os
import subprocess
import sys
import threading

KERNEL = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = and i32 %t, 1
  %c = icmp eq i32 %b, 0
  br i1 %c, label %then, label %else
then:
  %x = udiv i32 %t, %n
  %y = add i32 %x, 3
  br label %exit
else:
  %m = xor i32 %n, 77
  %v = udiv i32 %m, %t
  %w = add i32 %v, 5
  br label %exit
exit:
  %r = phi i32 [ %y, %then ], [ %w, %else ]
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 %r, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
CLUSTER = """target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k() {
  call void @llvm.nvvm.barrier.cluster.arrive()
  ret void
}
declare void @llvm.nvvm.barrier.cluster.arrive()
"""

wheel, folder = sys.argv[1:3]
library = os.path.join(folder, "libwarpwise_opt.so")
other = ctypes.CDLL(sys.argv[3], ctypes.RTLD_GLOBAL) if len(sys.argv) > 3 else None

spec = importlib.util.spec_from_file_location("warpwise", os.path.join(wheel, "__init__.py"))
warpwise = importlib.util.module_from_spec(spec)
spec.loader.exec_module(warpwise)
warpwise.path = lambda *parts: os.path.join(folder, parts[-1])


def command(module, *options):
    done = subprocess.run(
        [os.path.join(folder, "warpwise"), "opt", *options], input=module, capture_output=True, check=True
    )
    return done.stdout


def of_other_llvm(module):
    """The module as bitcode of the other LLVM, which both have in this process."""
    for name in ("LLVMContextCreate", "LLVMCreateMemoryBufferWithMemoryRangeCopy", "LLVMWriteBitcodeToMemoryBuffer"):
        getattr(other, name).restype = ctypes.c_void_p
    other.LLVMGetBufferStart.restype, other.LLVMGetBufferSize.restype = ctypes.c_void_p, ctypes.c_size_t
    context = ctypes.c_void_p(other.LLVMContextCreate())
    text = ctypes.c_void_p(other.LLVMCreateMemoryBufferWithMemoryRangeCopy(module, len(module), b"k"))
    parsed, message = ctypes.c_void_p(), ctypes.c_char_p()
    assert not other.LLVMParseIRInContext(context, text, ctypes.byref(parsed), ctypes.byref(message)), message.value
    written = ctypes.c_void_p(other.LLVMWriteBitcodeToMemoryBuffer(parsed))
    return ctypes.string_at(other.LLVMGetBufferStart(written), other.LLVMGetBufferSize(written))


bitcode = command(KERNEL.encode(), "-f")
if other:
    bitcode = of_other_llvm(KERNEL.encode())

for options in (["-O3", "-mcpu=sm_90", "--ptx"], ["-O3", "-mcpu=sm_90"], ["-passes=fuse-branches", "-S"], ["-O1", "--ptx"]):
    expected = command(bitcode, *options)
    output = warpwise.optimize(bitcode, *options).output
    got = output if isinstance(output, bytes) else output.encode()
    # the name of the module is where it came from
    differs = [line for line in zip(got.splitlines(), expected.splitlines()) if line[0] != line[1]]
    assert len(got.splitlines()) == len(expected.splitlines()), options
    assert isinstance(output, bytes) or all(b"ModuleID" in line[0] for line in differs), (options, differs)

# options of the passes belong to one call, and threads do not meet
remarks = warpwise.optimize(KERNEL, "-O3").remarks
assert any(remark["kind"] == "passed" and remark["function"] == "k" for remark in remarks), remarks
wrong = []


def work(number):
    options = ["-O3", "-warpwise-off"] if number % 2 else ["-O3"]
    expected = warpwise.optimize(KERNEL, *options, "--ptx")
    for _ in range(5):
        if warpwise.optimize(bitcode, *options, "--ptx").output != expected.output:
            wrong.append(number)
    if any(remark["kind"] == "passed" for remark in expected.remarks) == (number % 2 == 1):
        wrong.append((number, expected.remarks))


threading.excepthook = lambda raised: wrong.append(raised.exc_value)
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong, wrong

for module, options, part in (
    (KERNEL, ["-frob"], "-frob"),
    (KERNEL, ["-passes=frob"], "frob"),
    (KERNEL, ["-passes=fuse-branches<frob>"], "frob"),
    (KERNEL, ["-passes"], "no value"),
    (KERNEL, ["kernel.ll"], "kernel.ll"),
    (KERNEL, ["-O9"], "-O9"),
    (KERNEL, ["-O2", "-passes=dce"], "exclude"),
    (KERNEL, ["-warpwise-frob"], "-warpwise-frob"),
    (KERNEL, ["-warpwise-block=round"], "round"),
    ("define void @f( {", [], "LLVM IR"),
    (b"", [], "not for nvptx64"),
    (b"BC\xc0\xde broken", [], "LLVM IR"),
    (KERNEL, ["-mtriple=x86_64-linux-gnu"], "x86_64"),
    (KERNEL.replace("declare i32", "declare i64"), [], "sreg.tid.x"),
    (KERNEL.replace("ret void", "%z = atomicrmw add ptr %q, i128 1 seq_cst\n  ret void"), ["--ptx"], "unsupported"),
    # LLVM's code generator would end the process
    (CLUSTER, ["--ptx", "-mcpu=sm_50"], "Cannot select"),
    (CLUSTER, ["--ptx", "-mcpu=sm_50"], "Cannot select"),
):
    try:
        warpwise.optimize(module, *options)
    except RuntimeError as error:
        assert part in str(error), (options, str(error))
    else:
        raise SystemExit(f"{options} with {module[:30]!r} was taken")
assert warpwise.optimize(KERNEL, "-O3", "--ptx").output.startswith("//"), "after errors"

shown = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
shown = sorted(line.split()[-1] for line in shown.splitlines())
assert shown == ["warpwise_error", "warpwise_free", "warpwise_optimize", "warpwise_output", "warpwise_remarks"], shown
needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
if other:
    assert "LLVM" not in needed and "stdc++" not in needed, needed
