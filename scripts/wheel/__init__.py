"""warpwise for Python: divergence reports on LLVM IR of NVIDIA GPUs, as Triton, Numba and others make it.

    import warpwise
    warpwise.report(compiled)            # a kernel compiled by Triton, or the text of LLVM IR
    warpwise.optimize(bitcode, "-O3", "-mcpu=sm_90", "--ptx").output
    warpwise.command("flags").stdout     # the command, as installed
"""

import collections
import ctypes
import functools
import html
import json
import os
import shlex
import subprocess
import tempfile

__all__ = ["Optimized", "Report", "command", "optimize", "report"]

_ROOT = os.path.dirname(os.path.abspath(__file__))
_TRIPLE = 'target triple = "nvptx64-nvidia-cuda"\n'


def path(*parts):
    """A file of this installation, such as path("lib", "libwarpwise.so")."""
    return os.path.join(_ROOT, *parts)


def command(*arguments, **options):
    """Runs the command and returns what subprocess.run returns, with text output."""
    options = {"capture_output": True, "text": True, **options}
    return subprocess.run([path("bin", "warpwise"), *arguments], **options)


def _text_of(ir):
    """The IR of what Triton compiled, or the text itself."""
    asm = getattr(ir, "asm", None)
    if isinstance(asm, dict):
        if "llir" not in asm:
            raise ValueError("the compiled kernel has no LLVM IR: its stages are " + ", ".join(asm))
        ir = asm["llir"]
    if not isinstance(ir, str):
        raise TypeError(f"expected LLVM IR as text, or a kernel compiled by Triton, not {type(ir).__name__}")
    # Triton's IR names no target
    return ir if "target triple" in ir else _TRIPLE + ir


Optimized = collections.namedtuple("Optimized", "output remarks")
Optimized.__doc__ = """What `optimize` returns: bitcode as bytes, or text; and a list of what was done, refused and found."""


@functools.lru_cache(maxsize=None)
def _library():
    """The functions of include/warpwise_opt.h."""
    library = ctypes.CDLL(path("lib", "libwarpwise_opt.so"))
    for name, gives, *takes in (
        ("optimize", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p),
        ("error", ctypes.c_char_p, ctypes.c_void_p),
        ("output", ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)),
        ("remarks", ctypes.c_char_p, ctypes.c_void_p),
        ("free", None, ctypes.c_void_p),
    ):
        function = getattr(library, "warpwise_" + name)
        function.restype, function.argtypes = gives, takes
    return library


def optimize(ir, *options):
    """Optimizes LLVM IR for NVPTX: bitcode, text, or a kernel compiled by Triton.

    `options` are words of opt's command line, such as "-O3", "-mcpu=sm_90", "--ptx" or "-warpwise-block=256". Threads may
    call this at the same time.
    """
    bitcode = bytes(ir) if isinstance(ir, (bytes, bytearray, memoryview)) else _text_of(ir).encode()
    library, size = _library(), ctypes.c_size_t()
    result = library.warpwise_optimize(bitcode, len(bitcode), shlex.join(options).encode())
    try:
        error = library.warpwise_error(result)
        if error is not None:
            raise RuntimeError(error.decode())
        output = ctypes.string_at(library.warpwise_output(result, ctypes.byref(size)), size.value)
        remarks = json.loads(library.warpwise_remarks(result))
    finally:
        library.warpwise_free(result)
    return Optimized(output if output.startswith(b"BC\xc0\xde") else output.decode(), remarks)


class Report(dict):
    """The JSON of `warpwise report`; notebooks show what to do first, and the kernels."""

    def _repr_html_(self):
        say = lambda value: html.escape(str(value))
        actions = "".join(
            f"<li><b>{say(one['place'])}</b> ({100 * one['share']:.0f} % of {say(', '.join(one['kernels']))}): "
            f"{say(one['what'])}<br>→ {say(one['action'])}</li>"
            for one in self["todo"]
        )
        first = f"<ol>{actions}</ol>" if actions else "<p>Nothing that is worth a per cent of any kernel was found.</p>"
        rows = "".join(
            f"<tr><td><code>{say(one['name'])}</code></td><td>{len(one['branches']['divergent'])} of "
            f"{one['branches']['total']}</td><td>{sum(a['is_costly'] for a in one['accesses'])} of "
            f"{len(one['accesses'])}</td><td>{sum(local['bytes'] for local in one['locals'])}</td></tr>"
            for one in self["functions"]
        )
        head = "".join(f"<th>{one}</th>" for one in ("function", "divergent branches", "costly accesses", "local bytes"))
        return f"{first}<table><tr>{head}</tr>{rows}</table>"


def report(ir, block=None):
    """Reports on LLVM IR. `block`: the shape of every block, such as 256 or "16x16"."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "kernel.ll")
        with open(file, "w", encoding="utf-8") as out:
            out.write(_text_of(ir))
        more = [] if block is None else ["--block", str(block)]
        done = command("report", file, "--json", *more)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return Report(json.loads(done.stdout))
