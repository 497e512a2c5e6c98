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
  %flushes     the attribute of functions that flush denormal single-precision numbers to zero

`--param llvm=PREFIX` names another LLVM, for a plugin that is built for it. Tests that run clang are not supported where
that LLVM has none. `--param opt=COMMAND` takes the place of opt.
"""

import atexit
import itertools
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile

import lit.formats
import lit.Test
import lit.TestRunner

config.name = "warpwise"
config.suffixes = [".ll", ".cu", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

root = os.path.dirname(config.test_source_root)
target = os.path.join(root, os.environ.get("CARGO_TARGET_DIR", "target"))

# scripts/test exports these three from `scripts/setup --print-env`; the defaults are where setup puts them.
llvm = lit_config.params.get("llvm", os.environ.get("LLVM_SYS_221_PREFIX", "/usr/lib/llvm-22"))
cache = os.environ.get("WARPWISE_CACHE", os.path.join(root, ".cache"))
cuda = os.environ.get("WARPWISE_CUDA", os.path.join(cache, "cuda", "nvidia", "cu13"))


def neutral_folder():
    """A new folder whose path says nothing about this checkout: digits, and words that no pattern consists of."""
    parent = "/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir()
    for count in itertools.count():
        folder = os.path.join(parent, f"lit-{os.getpid()}-{count}")
        try:
            os.mkdir(folder, 0o700)
            return folder
        except FileExistsError:
            pass  # left behind by a run that was killed


# LLVM prints the path of its input, and a path can match any pattern: a clone is called warpwise, or has a space in its
# name, which lit does not quote. So tests see the checkout, the build and the CUDA tree through links only.
links = neutral_folder()
linked = {}
for name, folder in (("build", target), ("cuda", cuda), ("checkout", root)):
    real = os.path.realpath(folder)
    linked[real] = os.path.join(links, name)
    os.symlink(real, linked[real])
atexit.register(shutil.rmtree, links, ignore_errors=True)
config.test_exec_root = os.path.join(target, "llvm-tests")
target, cuda = os.path.join(links, "build"), os.path.join(links, "cuda")
substitutions_of = lit.TestRunner.getDefaultSubstitutions


def through_links(*arguments, **named):
    """lit's %s, %S, %t and the like, which lit resolves to real paths."""

    def mend(text):
        for real in sorted(linked, key=len, reverse=True):  # the build is usually inside the checkout
            text = text.replace(real + os.sep, linked[real] + os.sep)
        return text

    return [(key, mend(text) if isinstance(text, str) else text) for key, text in substitutions_of(*arguments, **named)]


lit.TestRunner.getDefaultSubstitutions = through_links

run_shell_test = lit.formats.ShTest.execute


def where_supported(self, test, lit_config):
    """Runs a test, unless it needs clang and there is none."""
    with open(test.getSourcePath(), encoding="utf-8") as file:
        needs_clang = test.getSourcePath().endswith(".cu") or "%clang" in file.read()
        if needs_clang and not os.path.exists(os.path.join(llvm, "bin", "clang++")):
            return lit.Test.Result(lit.Test.UNSUPPORTED, "this LLVM has no clang")
    return run_shell_test(self, test, lit_config)


lit.formats.ShTest.execute = where_supported
config.test_format = lit.formats.ShTest(execute_external=False)

plugin = os.path.join(target, "release", "libwarpwise.so")
warpwise = os.path.join(target, "release", "warpwise")
for built in (plugin, warpwise):
    if not os.path.exists(built):
        lit_config.warning(f"{os.path.realpath(built)} is not built: run `cargo build --release`, or scripts/test lit which does")


def command(*words):
    return " ".join(shlex.quote(word) for word in words)


def llvm_tool(name, *flags):
    return command(os.path.join(llvm, "bin", name), *flags)


opt = lit_config.params.get("opt", "").split() or [os.path.join(llvm, "bin", "opt")]
clang_cuda = llvm_tool(
    "clang++",
    "-x",
    "cuda",
    "-Wno-unknown-cuda-version",
    f"--cuda-path={cuda}",
    "--cuda-device-only",
    "-fverify-intermediate-code",
    "--cuda-gpu-arch=sm_90",
    "-O3",
    "-g1",
    f"-fpass-plugin={plugin}",
)

# Whole words only, so that no name shadows a longer one.
config.substitutions += [
    (r"%opt\b", command(*opt, f"-load-pass-plugin={plugin}")),
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

# Which LLVM, and how its IR says that a function flushes denormal single-precision numbers to zero.
version = subprocess.run([os.path.join(llvm, "bin", "opt"), "--version"], capture_output=True, text=True, check=True)
major = int(re.search(r"LLVM version (\d+)", version.stdout)[1])
config.available_features.add(f"llvm-{major}")
flushes = '"denormal-fp-math-f32"="preserve-sign,preserve-sign"' if major < 23 else "denormal_fpenv(float: preservesign)"
config.substitutions.append((r"%flushes\b", flushes))

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
