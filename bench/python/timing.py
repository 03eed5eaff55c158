"""Times the cases of one framework and prints the seconds as JSON. Run by compare.py."""

import argparse
import json
import re
import sys
import time


def best_seconds(run, budget):
    """The fastest of the calls that fit into `budget` seconds, at least three.

    The first call warms up, unless it alone takes several times the budget: then it counts.
    """
    start = time.perf_counter()
    run()
    first = time.perf_counter() - start
    if first > 4 * budget:
        return first
    best, calls, stop = float("inf"), 0, time.perf_counter() + budget
    while calls < 3 or time.perf_counter() < stop:
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        calls += 1
    return best


def main(suite, version):
    """Times `suite`: name of a case -> function that prepares it and returns the call to time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", default="", help="regular expression that names must contain")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for each case")
    options = parser.parse_args()
    seconds, errors = {}, {}
    for name, prepare in suite.items():
        if not re.search(options.cases, name):
            continue
        try:
            seconds[name] = best_seconds(prepare(), options.seconds)
        except Exception as error:  # a case that a framework lacks must not end the others
            errors[name] = f"{type(error).__name__}: {error}"
    json.dump({"version": version, "seconds": seconds, "errors": errors}, sys.stdout)
    print()
