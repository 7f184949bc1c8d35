"""What `gondwana top` shows: `top_test.py GONDWANA PROBLEMS [--picture FILE]`.

--picture writes the screen of one of the tests, as SVG: docs/top.svg is made by it.
"""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import unittest
import urllib.error
import urllib.request
from ctypes.util import find_library
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import job_case
from job_case import WATCHDOG, run_tests
from launcher_case import LauncherCase
from processes import children_of
from system_python import go_on_with

PROBLEMS = ""
PICTURE = ""
SHELL = shutil.which("dash")  # it leaves the modes of the terminal alone
COLUMNS_OF_SCREEN, LINES_OF_SCREEN = 128, 30
DASHBOARD = Path(__file__).parent.parent.parent / "tools/gondwana/report/top/dashboard.json"
TWO_NODES = {"GONDWANA_NODE_RANKS": "2", "GONDWANA_NETWORK": "127.0.0.0/8"}
COLUMNS = [
    "rank",
    "operations",
    "put_bytes",
    "get_bytes",
    "messages",
    "sleeps",
    "waited",
    "computed",
    "under_way",
    "does",
]


def read_metrics(page):
    """The samples of a page for Prometheus: names, labels and values."""
    samples = []
    for line in page.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line).groups()
        samples.append((name, dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)), float(value)))
    return samples


def find(samples, name, **labels):
    (value,) = [
        value for each, has, value in samples if each == name and has.items() >= labels.items()
    ]
    return value


def top(*words):
    return subprocess.run(
        [job_case.GONDWANA, "top", *words],
        capture_output=True,
        text=True,
        timeout=WATCHDOG,
        check=False,
    )


class TopTest(LauncherCase):
    def begin_problem(self, problem, ranks=4, env=None):
        words = ("-n", str(ranks), PROBLEMS, problem)
        return super(LauncherCase, self).start_ready(*words, ranks=ranks, program=(), env=env)

    def end(self, job):
        job.terminate()
        job.wait(WATCHDOG)
        self.assertTrue(self.nobody_left())

    def seen(self, job):
        said = top("--json", "--interval", "0.5", str(job.pid))
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return json.loads(said.stdout)["ranks"]

    def test_rates_are_those_of_the_job(self):
        job = self.begin_problem("nothing")  # a barrier every 20 ms
        ranks = self.seen(job)
        self.end(job)
        for number, rank in enumerate(ranks):
            self.assertEqual((list(rank), rank["rank"]), (COLUMNS, number))
            self.assertGreater(rank["operations"], 2)
            self.assertLess(rank["operations"], 55)
            self.assertEqual((rank["put_bytes"], rank["under_way"]), (0, 0))

    def test_a_rank_that_makes_the_others_wait_is_last_by_waits(self):
        job = self.begin_problem("slow")
        lines = top("--once", "--sort", "waited", str(job.pid)).stdout.splitlines()
        self.end(job)
        self.assertRegex(lines[0], rf"^job \w+, 4 ranks on 1 node, {re.escape(PROBLEMS)} slow$")
        self.assertEqual(lines[2].split()[:2], ["RANK", "OPS/S"])
        self.assertEqual([line.split()[0] for line in (lines[3], lines[-1])], ["all", "3"])

    @unittest.skipIf(find_library("fabric") is None, "no libfabric here")
    def test_agents_of_nodes_have_rows(self):
        job = self.begin_problem("nothing", env={**TWO_NODES, "GONDWANA_ROUTE": "agent"})
        said = json.loads(top("--json", "--interval", "1", str(job.pid)).stdout)
        rows = top("--once", "--interval", "0.3", str(job.pid)).stdout.splitlines()
        programs = [
            Path(f"/proc/{agent['process']}/exe").readlink().name for agent in said["agents"]
        ]
        self.end(job)
        self.assertEqual([agent["node"] for agent in said["agents"]], [0, 1])
        self.assertEqual(programs, ["gondwana-agent"] * 2)
        for agent in said["agents"]:
            self.assertEqual(
                list(agent),
                ["node", "host", "process", "batches", "computed", "waiting", "leaving"],
            )
            self.assertGreater(agent["computed"], 0)  # a barrier every 20 ms, which it carries
        self.assertRegex(rows[-2], r"^ +A0 .* agent of node 0 on \S+, \d+ bytes in flight$")
        self.assertRegex(rows[-1], r"^ +A1 .* agent of node 1 on ")

    def begin_server(self, job, *words):
        server = subprocess.Popen(
            [
                job_case.GONDWANA,
                "top",
                "--interval",
                "0.1",
                "--serve",
                "127.0.0.1:0",
                *words,
                str(job.pid),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.close, server)
        return server, server.stdout.readline().rstrip("\n")

    def test_numbers_for_prometheus(self):
        job = self.begin_problem("loop")
        server, url = self.begin_server(job)
        culprits = []
        for _ in range(20):  # a rank may come to its barrier after the first look
            with urllib.request.urlopen(url, timeout=WATCHDOG) as answer:
                kind, page = answer.headers["Content-Type"], answer.read().decode()
            samples = read_metrics(page)
            culprits = [find(samples, "gondwana_rank_keeps_others_waiting", rank=str(rank), node="0")
                        for rank in range(4)]
            if culprits == [0, 0, 0, 1]:
                break
            time.sleep(0.1)
        with self.assertRaisesRegex(urllib.error.HTTPError, "404"):
            urllib.request.urlopen(url + "/more", timeout=WATCHDOG)
        self.end(job)
        _, err = server.communicate(timeout=WATCHDOG)  # ends with the job
        self.assertEqual((server.returncode, err), (0, ""))
        self.assertEqual(kind, "text/plain; version=0.0.4; charset=utf-8")
        self.assertEqual(culprits, [0, 0, 0, 1])
        for rank in range(4):
            at = {"rank": str(rank), "node": "0"}
            self.assertGreater(
                find(samples, "gondwana_rank_operations_total", operation="sync", **at), 0
            )
            self.assertGreaterEqual(find(samples, "gondwana_rank_cpu_seconds_total", **at), 0)
        self.assertEqual(find(samples, "gondwana_job_ranks"), 4)
        self.assertGreater(find(samples, "gondwana_rank_wait_seconds", rank="0"), 0)

    def test_clients_that_ask_nothing_do_not_stop_the_others(self):
        job = self.begin_problem("nothing")
        server, url = self.begin_server(job)
        address = url.removeprefix("http://").removesuffix("/metrics").split(":")
        with contextlib.ExitStack() as idle:
            # More than the server holds; half of them begin a request and do not end it.
            silent = []
            for number in range(600):
                silent.append(idle.enter_context(socket.create_connection(address)))
                if number % 2 == 0:
                    silent[-1].sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
            with urllib.request.urlopen(url, timeout=WATCHDOG) as answer:
                page = answer.read()
            young = select.poll()  # the server would close them in time
            for one in silent[-200:]:
                young.register(one, select.POLLIN)
            closed = young.poll(0)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(WATCHDOG), 0)
        self.end(job)
        self.assertIn(b"gondwana_job_ranks", page)
        self.assertEqual(closed, [])

    def test_a_request_for_a_foreign_site_is_refused(self):
        job = self.begin_problem("nothing")
        server, url = self.begin_server(job)
        port = url.removesuffix("/metrics").rpartition(":")[2]
        statuses = {}
        for host in ("evil.example", f"evil.example:{port}", "localhost", f"127.0.0.1:{port}"):
            request = urllib.request.Request(url, headers={"Host": host})
            try:
                with urllib.request.urlopen(request, timeout=WATCHDOG) as answer:
                    statuses[host] = answer.status
            except urllib.error.HTTPError as refusal:
                statuses[host] = refusal.code
                refusal.close()
        with socket.create_connection(("127.0.0.1", int(port))) as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nhost: evil.example\r\n\r\n")
            two_hosts = client.recv(100)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(WATCHDOG), 0)
        self.end(job)
        self.assertEqual(list(statuses.values()), [403, 403, 200, 200])
        self.assertTrue(two_hosts.startswith(b"HTTP/1.1 400 "), two_hosts)

    def test_the_dashboard_asks_for_what_is_there(self):
        job = self.begin_problem("nothing", env=TWO_NODES if find_library("fabric") else None)
        server, url = self.begin_server(job)
        with urllib.request.urlopen(url, timeout=WATCHDOG) as answer:
            names = {name for name, _, _ in read_metrics(answer.read().decode())}
        self.end(job)
        server.wait(WATCHDOG)
        panels = json.loads(DASHBOARD.read_text())["panels"]
        asked = {
            name
            for panel in panels
            for target in panel["targets"]
            for name in re.findall(r"gondwana_\w+", target["expr"])
        }
        if not find_library("fabric"):
            asked = {name for name in asked if "agent" not in name}
        self.assertGreater(len(asked), 5)
        self.assertEqual(asked - names, set())

    def test_the_page_has_what_prometheus_wants(self):
        job = self.begin_problem("nothing")
        server, url = self.begin_server(job)
        with urllib.request.urlopen(url, timeout=WATCHDOG) as answer:
            page = answer.read().decode()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(WATCHDOG), 0)
        self.end(job)
        self.assertTrue(page.endswith("\n"))
        try:
            from prometheus_client.parser import text_string_to_metric_families
        except ImportError:
            self.skipTest("no prometheus_client here")
        families = {family.name: family for family in text_string_to_metric_families(page)}
        self.assertEqual(families["gondwana_rank_bytes"].type, "counter")
        self.assertEqual(families["gondwana_rank_wait_ratio"].type, "gauge")
        for family in families.values():
            self.assertNotEqual((family.documentation, family.samples), ("", []), family.name)

    def test_sixty_four_ranks_in_rows_of_nodes(self):
        job = self.begin_problem("nothing", ranks=64)
        ranks = self.seen(job)
        by_node = top("--once", "--nodes", "--interval", "0.2", str(job.pid)).stdout.splitlines()
        self.end(job)
        self.assertEqual(len(ranks), 64)
        self.assertRegex(by_node[-1], r"^ +0 .* 64 ranks from 0 on ")
        self.assertEqual(len(by_node), 5)

    def test_the_screen_answers_keys_until_q(self):
        job = self.begin_problem("nothing")
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "xterm"
            os.execv(job_case.GONDWANA, ["gondwana", "top", "--interval", "0.1", str(job.pid)])
        self.read_until(terminal, b"works")
        os.write(terminal, b"n")
        self.read_until(terminal, b"NODE")  # all letters of RANK change
        os.write(terminal, b"q")
        self.read_until(terminal, b"\x1b[?1049l")  # the screen before it comes back
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        os.close(terminal)
        self.end(job)

    def begin_in_shell(self, job):
        """`gondwana top` in a shell with job control: the process of the shell, and its terminal."""
        shell, terminal = pty.fork()
        if shell == 0:
            os.environ.update(TERM="xterm", PS1="ready> ", ENV="")
            os.execv(SHELL, [SHELL, "-i"])
        self.addCleanup(self.end_shell, shell, terminal)
        self.read_until(terminal, b"ready> ")
        command = f"ulimit -c 0; {job_case.GONDWANA} top --interval 0.1 {job.pid}\n"
        os.write(terminal, command.encode())
        self.read_until(terminal, b"OPS/S")
        return shell, terminal

    @staticmethod
    def end_shell(shell, terminal):
        os.kill(shell, signal.SIGKILL)
        os.waitpid(shell, 0)
        os.close(terminal)

    def assert_line_by_line(self, terminal):
        modes = termios.tcgetattr(terminal)[3]
        self.assertEqual(modes & termios.ICANON, termios.ICANON)
        self.assertEqual(modes & termios.ECHO, termios.ECHO)

    @unittest.skipIf(SHELL is None, "no dash here")
    def test_the_terminal_is_as_it_was_after_a_signal_that_ends(self):
        job = self.begin_problem("nothing")
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            with self.subTest(signal=number):
                shell, terminal = self.begin_in_shell(job)
                (process,) = children_of(shell)
                os.kill(process, number)
                self.assertIn(b"\x1b[?1049l", self.read_until(terminal, b"ready> "))
                self.assert_line_by_line(terminal)
                os.write(terminal, b"echo status $?\n")
                self.read_until(terminal, b"status %d\r\n" % (128 + number))
        self.end(job)

    @unittest.skipIf(SHELL is None, "no dash here")
    def test_the_terminal_is_the_shell_s_while_the_screen_is_stopped(self):
        job = self.begin_problem("nothing")
        shell, terminal = self.begin_in_shell(job)
        os.write(terminal, b"\x1a")  # Ctrl-Z
        self.assertIn(b"\x1b[?1049l", self.read_until(terminal, b"ready> "))
        self.assert_line_by_line(terminal)
        os.write(terminal, b"fg\n")
        self.assertIn(b"\x1b[?1049h", self.read_until(terminal, b"OPS/S"))
        (process,) = children_of(shell)
        os.kill(process, signal.SIGSTOP)
        self.read_until(terminal, b"ready> ")
        os.write(terminal, b"fg\n")
        self.assertIn(b"\x1b[?1049h", self.read_until(terminal, b"OPS/S"))
        os.write(terminal, b"q")
        self.read_until(terminal, b"ready> ")
        self.assert_line_by_line(terminal)
        self.end(job)

    def begin_screen(self, job, columns, lines):
        try:
            from terminal_picture import Terminal
        except ImportError:
            self.end(job)
            self.skipTest("no pyte here")
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "linux"  # pyte lacks a sequence of xterm: repeat
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execv(job_case.GONDWANA, ["gondwana", "top", "--sort", "waited", str(job.pid)])
        return Terminal(columns, lines), process, terminal

    def look_until(self, screen, terminal, holds):
        end = time.monotonic() + WATCHDOG
        while not holds(lines := screen.lines()):
            self.assertLess(time.monotonic(), end, lines)
            screen.feed(self.read_for(terminal, 0.2))
        return lines

    def end_screen(self, process, terminal):
        os.write(terminal, b"q")
        self.read_until(terminal, b"\x1b[?25h")  # the cursor is seen again
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        os.close(terminal)

    def test_the_screen_shows_a_row_for_each_rank(self):
        job = self.begin_problem("slow", ranks=64)
        screen, process, terminal = self.begin_screen(job, COLUMNS_OF_SCREEN, LINES_OF_SCREEN)
        # The picture is of a moment when the machine had time for all ranks.
        sentence = "rank 63 is slower than the others: " if PICTURE else ""
        lines = self.look_until(screen, terminal, lambda lines: lines[1].startswith(sentence) and lines[-2])
        self.end_screen(process, terminal)
        self.end(job)
        self.assertRegex(lines[0], r"^job \w+, 64 ranks on 1 node, ")
        self.assertNotEqual(lines[1], "")
        (title,) = [number for number, line in enumerate(lines) if line.split()[:2] == ["RANK", "OPS/S"]]
        rows = [line.split() for line in lines[title + 1:-1]]
        self.assertEqual(rows[0][0], "all")
        waited = [int(row[6]) for row in rows[1:]]
        self.assertEqual((len(rows), waited), (LINES_OF_SCREEN - title - 2, sorted(waited, reverse=True)))
        if PICTURE:
            Path(PICTURE).write_text(screen.svg(PROBLEMS, "./program"))

    def test_all_is_readable_on_80_columns(self):
        job = self.begin_problem("loop")
        screen, process, terminal = self.begin_screen(job, 80, 24)
        lines = self.look_until(screen, terminal, lambda lines: any("RANK" in line for line in lines))
        os.write(terminal, b"?")
        of_help = self.look_until(screen, terminal, lambda lines: lines[0] == "KEYS")
        os.write(terminal, b"n")
        self.look_until(screen, terminal, lambda lines: any("NODE" in line for line in lines))
        self.end_screen(process, terminal)
        self.end(job)
        text = "\n".join(lines)
        self.assertRegex(" ".join(text.split()), r"waiting: it [\w ]+ in the program, without a call of the library ")
        self.assertRegex(text, r"(?m)^ +0 .* waits in shmem_barrier_all$")
        self.assertIn("  q quit", lines[-1])
        self.assertIn("w  by the share of time in waits", of_help)

    def read_for(self, terminal, seconds):
        shown = b""
        while select.select([terminal], [], [], seconds)[0]:
            shown += os.read(terminal, 65536)
        return shown

    def read_until(self, terminal, wanted):
        shown = b""
        end = time.monotonic() + WATCHDOG
        while wanted not in shown:
            self.assertLess(time.monotonic(), end, shown[-500:])
            if select.select([terminal], [], [], 1)[0]:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:  # the other end is closed
                    self.fail(shown[-500:])
        return shown

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            ("--sort", "speed"): '--sort "speed": expected rank, operations, ',
            ("--serve", "127.0.0.1:http"): "expected an address and a port, such as 127.0.0.1:9750",
            ("--serve", "127.0.0.1"): '--serve "127.0.0.1": expected an address and a port',
            ("--serve", "[::1]"): '--serve "[::1]": expected an address and a port',
            ("--serve", "::1"): "or [::1]:9750",
            ("--serve", "--once"): "--serve answers until the job ends: omit --once",
            ("--json", "--serve"): "--serve answers until the job ends: omit --json",
            ("--interval", "0"): '--interval "0": expected seconds, from 0.05 to 3600',
            ("--interval",): "--interval needs a value: SECONDS",
            ("--fast",): "--fast is not an option; see gondwana top --help",
            ("1", "2"): "one job at a time, not 1 and 2",
            ("nonsense",): "has the id, process or program nonsense",
        }.items():
            with self.subTest(words=words):
                said = top(*words)
                self.assertEqual(
                    (said.returncode, said.stdout, said.stderr.count("\n")), (1, "", 1)
                )
                self.assertIn(sentence, said.stderr)
        self.assertTrue(top("--help").stdout.startswith("Usage: gondwana top "))


if __name__ == "__main__":
    go_on_with("prometheus_client", "pyte")
    PROBLEMS = os.path.abspath(sys.argv.pop(2))
    if "--picture" in sys.argv:
        place = sys.argv.index("--picture")
        PICTURE = sys.argv[place + 1]
        del sys.argv[place : place + 2]
    run_tests()
