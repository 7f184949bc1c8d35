#!/usr/bin/env python3
"""Draws docs/dashboard.png: the answers of Prometheus to the panels of the dashboard for Grafana.

    dashboard.py GONDWANA PROBLEMS

Needs prometheus and matplotlib. PROBLEMS is why_problems of tests/why: its ranks call
barriers, and the last one is slower. For some seconds in the middle rank 1 is stopped. Matplotlib
draws each panel at its place: this is not a picture of Grafana.
"""

import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent.parent
DASHBOARD = ROOT / "tools/gondwana/report/top/dashboard.json"
PICTURE = ROOT / "docs/dashboard.png"
SERVER = "127.0.0.1:9752"
PROMETHEUS = "127.0.0.1:9753"
BEFORE, STOPPED, AFTER = 25, 10, 15  # seconds
RATE_INTERVAL = "5s"
CONFIGURATION = f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: gondwana
    static_configs: [{{targets: ["{SERVER}"]}}]
"""


def main(gondwana: str, problems: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        started = []
        try:
            job = start(
                started,
                gondwana,
                "run",
                "-x",
                "GONDWANA_NODE_RANKS=2",
                "-x",
                "GONDWANA_NETWORK=127.0.0.0/8",
                "-n",
                "4",
                problems,
                "slow",
            )
            for _ in range(4):
                job.stdout.readline()
            seen = json.loads(subprocess.check_output([gondwana, "why", "--json", str(job.pid)]))
            start(
                started, gondwana, "top", "--interval", "0.5", "--serve", SERVER, str(job.pid)
            ).stdout.readline()
            (Path(folder) / "prometheus.yml").write_text(CONFIGURATION)
            start(
                started,
                "prometheus",
                f"--config.file={folder}/prometheus.yml",
                f"--storage.tsdb.path={folder}/data",
                f"--web.listen-address={PROMETHEUS}",
            )
            begin = time.time()
            time.sleep(BEFORE)
            os.kill(seen["seen"][1]["process"], signal.SIGSTOP)
            time.sleep(STOPPED)
            os.kill(seen["seen"][1]["process"], signal.SIGCONT)
            time.sleep(AFTER)
            draw(seen["job"], int(begin) + 5, int(time.time()))
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


def start(started: list, *words: str) -> subprocess.Popen:
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    started.append(process)
    return process


def draw(job: str, begin: int, end: int) -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    rows = max(panel["gridPos"]["y"] for panel in panels) // 8 + 1
    figure, axes = plt.subplots(
        rows, 2, figsize=(11, 2.3 * rows), sharex=True, layout="constrained"
    )
    for panel in panels:
        place = panel["gridPos"]
        draw_panel(axes[place["y"] // 8][place["x"] // 12], panel, job, begin, end)
    for axis in axes[-1]:
        axis.set_xlabel("seconds")
    figure.savefig(PICTURE, dpi=80)


def draw_panel(axis, panel: dict, job: str, begin: int, end: int) -> None:
    axis.set_title(panel["title"], fontsize=9, loc="left")
    axis.tick_params(labelsize=7)
    for target in panel["targets"]:
        for series in ask(target["expr"], job, begin, end):
            values = {int(at): float(value) for at, value in series["values"]}
            seconds = range(end - begin + 1)
            axis.plot(
                seconds,
                [values.get(begin + second, math.nan) for second in seconds],
                ".-",
                markersize=2,
                linewidth=1,
                label=legend(target["legendFormat"], series["metric"]),
            )
    axis.set_xlim(0, end - begin)
    axis.set_ylim(bottom=0)
    if axis.lines:
        axis.legend(fontsize=6, loc="upper right")


def ask(expression: str, job: str, begin: int, end: int) -> list:
    expression = expression.replace("$job_id", job).replace("$__rate_interval", RATE_INTERVAL)
    query = urllib.parse.urlencode({"query": expression, "start": begin, "end": end, "step": "1s"})
    with urllib.request.urlopen(f"http://{PROMETHEUS}/api/v1/query_range?{query}") as answer:
        return json.load(answer)["data"]["result"]


def legend(pattern: str, labels: dict) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda name: labels.get(name[1], ""), pattern)


if __name__ == "__main__":
    main(*map(os.path.abspath, sys.argv[1:3]))
