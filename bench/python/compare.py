"""Runs the limits program, our suite and the peers' in alternating rounds and prints the ratios.

Speed of a shared machine drifts, so no framework is timed in one go: each round
runs every program once, and the best of all rounds counts. Ratios within 5 % are
a tie. `make bench` calls this; peers are the environments below .peers.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from cases import CASES

HERE = Path(__file__).parent
TOP = HERE.parent.parent
PEERS = {"upstream": "suite_mlx.py", "torch": "suite_torch.py", "jax": "suite_jax.py"}
TIE = 1.05


def run_json(command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)


def programs(peers_dir, wanted):
    """Framework name -> command; peers that are not installed are named and left out."""
    found = {"ours": [sys.executable, "-P", str(HERE / "run_suite.py"), "suite_mlx.py"]}
    for name, suite in PEERS.items():
        python = peers_dir / name / "bin" / "python"
        if wanted and name not in wanted:
            continue
        if not python.exists():
            print(f"peer {name} is not installed (make bench-peers), skipped")
            continue
        found[name] = [str(python), "-P", str(HERE / "run_suite.py"), suite]
    return found


def keep_best(best, new):
    for case, seconds in new.items():
        best[case] = min(seconds, best.get(case, float("inf")))


def limit_of(case, limits, flops):
    if case.goal:
        return case.goal
    if case.flops:
        peak = flops.get(case.unit) or flops.get("fma_f32")
        return case.flops / peak if peak else None
    known = [limits[name] for name in case.bounds if name in limits]
    return max(known) if known else None


def human(seconds):
    if seconds is None:
        return "-"
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def ratio(ours, other):
    """How many times faster we are; `=` within 5 %, `!` where we are slower."""
    if ours is None or other is None:
        return "-"
    times = other / ours
    mark = "=" if 1 / TIE <= times <= TIE else "" if times > 1 else "!"
    return f"{times:.2f}x{mark}"


def report(best, limits, flops):
    peers = [name for name in best if name != "ours"]
    print(
        f"{'case':22}{'ours':>10}{'limit':>10}{'of limit':>10}" + "".join(f"{p:>12}" for p in peers)
    )
    slower, over = [], []
    for case in CASES:
        if not any(case.name in times for times in best.values()):
            continue
        ours = best["ours"].get(case.name)
        limit = limit_of(case, limits, flops)
        share = "-"
        if ours and limit:
            late = bool(case.budget) and ours > limit * case.budget
            share = f"{ours / limit:.2f}x" + ("!" if late else " ")
            if late:
                over.append(case.name)
        cells = [ratio(ours, best[p].get(case.name)) for p in peers]
        if any(cell.endswith("!") for cell in cells):
            slower.append(case.name)
        print(
            f"{case.name:22}{human(ours):>10}{human(limit):>10}{share:>10}"
            + "".join(f"{cell:>12}" for cell in cells)
        )
    print("\npeer columns: how many times faster we are; = is a tie (5 %), ! slower than the peer")
    print(f"slower than a peer: {', '.join(slower) or 'none'}")
    print(f"over the budget for its limit: {', '.join(over) or 'none'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", default="", help="regular expression that names must contain")
    parser.add_argument("--seconds", type=float, default=0.3, help="time for a case in a round")
    parser.add_argument("--peers", default="", help="comma-separated names; all by default")
    parser.add_argument("--peers-dir", type=Path, default=TOP / ".peers")
    parser.add_argument("--limits", type=Path, default=TOP / "build/release/bench/limits")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()

    commands = programs(options.peers_dir, [p for p in options.peers.split(",") if p])
    best = {name: {} for name in commands}
    versions, errors, limits, flops, machine = {}, {}, {}, {}, {}
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        measured = run_json([str(options.limits), "5"])
        machine = {key: measured[key] for key in ("cpu", "tier", "threads")}
        keep_best(limits, measured["seconds"])
        for unit, rate in measured["flops"].items():
            flops[unit] = max(rate, flops.get(unit, 0))
        for name, command in commands.items():
            result = run_json(
                [*command, "--cases", options.cases, "--seconds", str(options.seconds)]
            )
            versions[name] = result["version"]
            errors[name] = result["errors"]
            keep_best(best[name], result["seconds"])
    if "numpy_list_100k" in best["ours"]:
        limits["numpy_list_100k"] = best["ours"].pop("numpy_list_100k")

    print(f"{machine['cpu']}, tier {machine['tier']}, {machine['threads']} threads")
    print(", ".join(f"{name} {version}" for name, version in versions.items()))
    print(", ".join(f"{unit} {rate / 1e9:.0f} GFLOP/s" for unit, rate in flops.items()), end=", ")
    print(f"read {4 * 4096**2 / limits['read'] / 1e9:.1f} GB/s\n")
    report(best, limits, flops)
    for name, failed in errors.items():
        for case, error in failed.items():
            print(f"{name} cannot run {case}: {error}")
    if options.json:
        figures = {
            "machine": machine,
            "versions": versions,
            "limits": limits,
            "flops": flops,
            "seconds": best,
        }
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
