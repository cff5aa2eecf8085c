"""Makes stores of so many tests with 200 runs each, one directory each."""

import pathlib
import sys

from histories import histories
from store import Store

RUNS = 200

root = pathlib.Path(sys.argv[1])
for tests in map(int, sys.argv[2:]):
    Store(root / str(tests), "no tool is asked", histories(tests, RUNS, samples=9))
