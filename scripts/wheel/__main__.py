"""`python -m warpwise …` and the scripts `warpwise`, `warpwise-nvcc`, `-opt` and `-llc`: this installation's command."""

import os
import sys

from warpwise import path


def _become(name):
    # the command is the driver, the optimizer or the code generator if it is called by that name
    os.execv(path("bin", "warpwise"), [name, *sys.argv[1:]])


def main():
    _become("warpwise")


def nvcc():
    _become("warpwise-nvcc")


def opt():
    _become("warpwise-opt")


def llc():
    _become("warpwise-llc")


if __name__ == "__main__":
    main()
