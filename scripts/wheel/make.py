"""How is a wheel made from an installed tree? `make.py TREE VERSION FOLDER` writes FOLDER/warpwise-VERSION-….whl.

A wheel is a zip file with a list of its contents; nothing but Python's own library is needed. The tree (bin, lib,
include, share) lies in the package's folder, where the command finds the plugin as in every installation.
"""

import base64
import hashlib
import os
import platform
import sys
import zipfile

METADATA = """Metadata-Version: 2.1
Name: warpwise
Version: {version}
Summary: divergence analysis and divergence-aware transforms for CUDA kernels
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.8
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: warpwise\nRoot-Is-Purelib: false\nTag: {tag}\n"
SCRIPTS = "[console_scripts]\n" + "".join(
    f"{name} = warpwise.__main__:{function}\n"
    for name, function in [("warpwise", "main"), ("warpwise-nvcc", "nvcc"), ("warpwise-opt", "opt"), ("warpwise-llc", "llc")]
)


def main():
    tree, version, folder = sys.argv[1:]
    libc = "_".join(platform.libc_ver()[1].split(".")[:2])
    tag = f"py3-none-manylinux_{libc}_{platform.machine()}"
    about = f"warpwise-{version}.dist-info"
    own = os.path.dirname(os.path.abspath(__file__))
    files = {f"warpwise/{name}": os.path.join(own, name) for name in ("__init__.py", "__main__.py")}
    for parent, _, names in sorted(os.walk(tree)):
        for name in sorted(names):
            path = os.path.join(parent, name)
            if os.path.islink(path):  # a wheel has no links; __main__.py stands for them
                continue
            files["warpwise/" + os.path.relpath(path, tree)] = path
    texts = {
        f"{about}/METADATA": METADATA.format(version=version),
        f"{about}/WHEEL": WHEEL.format(tag=tag),
        f"{about}/entry_points.txt": SCRIPTS,
    }
    wheel = os.path.join(folder, f"warpwise-{version}-{tag}.whl")
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:

        def put(name, data, mode):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
            entry = zipfile.ZipInfo(name)  # with the date 1980, so that a wheel depends on its contents only
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)

        for name, path in sorted(files.items()):
            with open(path, "rb") as file:
                put(name, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)
        for name, text in texts.items():
            put(name, text.encode(), 0o644)
        listed = "".join(record) + f"{about}/RECORD,,\n"
        out.writestr(zipfile.ZipInfo(f"{about}/RECORD"), listed)
    print(wheel)


main()
