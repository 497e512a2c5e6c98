"""`python -m warpwise …` and the scripts `warpwise` and `warpwise-nvcc`: the command of this installation."""

import os
import sys

from warpwise import path


def _become(name):
    # the command is the driver if it is called by the driver's name
    os.execv(path("bin", "warpwise"), [name, *sys.argv[1:]])


def main():
    _become("warpwise")


def nvcc():
    _become("warpwise-nvcc")


if __name__ == "__main__":
    main()
