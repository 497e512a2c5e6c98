"""How do the tests under llvm-tests/ find the plugin and the tools, and by which names do they call them?

`scripts/test lit [filter]` is the usual way in; a bare `lit llvm-tests` works too once scripts/setup and
`cargo build --release` have run.

  %opt         opt with the plugin loaded, before any other option, so that -warpwise-… options are known
  %llc         llc with the plugin loaded
  %clang_cuda  clang on the device side of a CUDA source with the plugin loaded: sm_90, -O3, -g1; later flags win, except
               that another architecture is `--no-cuda-gpu-arch=all --cuda-gpu-arch=sm_80`
  %clang       clang++ without the plugin         %cuda      the CUDA tree, for --cuda-path=
  %plugin      libwarpwise.so                     %warpwise  the command
  %FileCheck, %not, %ptxas, %nvdisasm, %cuobjdump
"""

import atexit
import hashlib
import os
import platform
import re
import shlex
import tempfile

import lit.formats
import lit.TestRunner

config.name = "warpwise"
config.suffixes = [".ll", ".cu", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

root = real_root = os.path.dirname(config.test_source_root)
if re.search(r"[^\w./+-]", root):
    # lit does not quote the paths of %s, %S and %t: a link without odd characters stands for such a folder
    name = "lit-" + hashlib.sha256(f"{root} {os.getpid()}".encode()).hexdigest()[:12]
    root = os.path.join(tempfile.gettempdir(), name)
    os.symlink(real_root, root)
    atexit.register(lambda: os.path.lexists(root) and os.unlink(root))
    substitutions_of = lit.TestRunner.getDefaultSubstitutions

    def through_link(*arguments, **named):
        found = substitutions_of(*arguments, **named)
        return [(key, text.replace(real_root, root) if isinstance(text, str) else text) for key, text in found]

    lit.TestRunner.getDefaultSubstitutions = through_link

config.test_format = lit.formats.ShTest(execute_external=False)
target = os.path.join(root, os.environ.get("CARGO_TARGET_DIR", "target"))
config.test_exec_root = os.path.join(target, "llvm-tests")

# scripts/test exports these three from `scripts/setup --print-env`; the defaults are where setup puts them.
llvm = os.environ.get("LLVM_SYS_221_PREFIX", "/usr/lib/llvm-22")
cache = os.environ.get("WARPWISE_CACHE", os.path.join(root, ".cache"))
cuda = os.environ.get("WARPWISE_CUDA", os.path.join(cache, "cuda", "nvidia", "cu13"))

plugin = os.path.join(target, "release", "libwarpwise.so")
warpwise = os.path.join(target, "release", "warpwise")
for built in (plugin, warpwise):
    if not os.path.exists(built):
        lit_config.warning(f"{built} is not built: run `cargo build --release`, or scripts/test lit which does")


def command(*words):
    return " ".join(shlex.quote(word) for word in words)


def llvm_tool(name, *flags):
    return command(os.path.join(llvm, "bin", name), *flags)


clang_cuda = llvm_tool(
    "clang++",
    "-x",
    "cuda",
    "-Wno-unknown-cuda-version",
    f"--cuda-path={cuda}",
    "--cuda-device-only",
    "--cuda-gpu-arch=sm_90",
    "-O3",
    "-g1",
    f"-fpass-plugin={plugin}",
)

# Whole words only, so that no name shadows a longer one.
config.substitutions += [
    (r"%opt\b", llvm_tool("opt", f"-load-pass-plugin={plugin}")),
    (r"%llc\b", llvm_tool("llc", f"--load-pass-plugin={plugin}")),
    (r"%clang_cuda\b", clang_cuda),
    (r"%clang\b", llvm_tool("clang++")),
    (r"%cuda\b", command(cuda)),
    (r"%plugin\b", command(plugin)),
    (r"%warpwise\b", command(warpwise)),
    (r"%FileCheck\b", llvm_tool("FileCheck")),
    (r"%not\b", llvm_tool("not")),
    (r"%ptxas\b", command(os.path.join(cuda, "bin", "ptxas"))),
    (r"%nvdisasm\b", command(os.path.join(cuda, "bin", "nvdisasm"))),
    (r"%cuobjdump\b", command(os.path.join(cuda, "bin", "cuobjdump"))),
]

# The kind of machine for which IR of host code in the tests is made.
if (platform.system(), platform.machine()) == ("Linux", "x86_64"):
    config.available_features.add("host-is-x86-64-linux")

# The tools by their plain names as well: cuobjdump looks for nvdisasm on PATH, the command looks for clang.
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(llvm, "bin"), os.path.join(cuda, "bin"), os.environ.get("PATH", "")]
)
config.environment["LLVM_SYS_221_PREFIX"] = llvm
config.environment["WARPWISE_CUDA"] = cuda
if "LD_LIBRARY_PATH" in os.environ:  # an LLVM outside the linker's usual folders
    config.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
