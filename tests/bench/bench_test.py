"""What `gondwana bench` prints, in few rounds: `bench_test.py GONDWANA`."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WATCHDOG = 120
GONDWANA = ""
OPEN_MPI = "/usr/bin"
SYSTEM_PATH = "/usr/bin:/bin"
FRAME = """<iframe id="page" width="{width}" height="800" style="border: 0" src="{page}"></iframe><pre></pre><script>
onload = () => {{
  const shown = document.getElementById("page").contentDocument;
  const body = shown.documentElement;
  const curves = [...shown.images].filter(image => image.naturalWidth > 0 && image.clientWidth > 200);
  const fits = body.scrollWidth <= body.clientWidth ? "fits" : "is " + body.scrollWidth + " wide";
  document.querySelector("pre").textContent = shown.defaultView.innerWidth + " " + fits + " " + curves.length;
}};
</script>"""
SUBJECTS = ["latency", "bandwidth", "rate", "atomics", "collectives", "strided", "am", "seeds", "apps", "startup", "memory"]
ATOMICS = ["fetch_add", "add", "swap", "compare_swap", "ping_pong"]


def bench(*words, env=None):
    return subprocess.run([GONDWANA, "bench", *words], capture_output=True, text=True, timeout=WATCHDOG,
                          check=False, env={**os.environ, **(env or {})})


def cannot_compile(compiler):
    """Whether the compiler is not of Open MPI, or lacks its headers."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:  # without a file it adds no folders of headers
        source.write("#include <shmem.h>\nint main(void) { return 0; }\n")
        source.flush()
        built = subprocess.run([compiler, "-fsyntax-only", source.name], check=False, capture_output=True)
    return built.returncode != 0


def look(browser, folder, page, width):
    """What a frame of this width shows of the page: whether it fits, and how many curves have loaded."""
    frame = os.path.join(folder, "frame.html")
    with open(frame, "w", encoding="utf-8") as file:
        file.write(FRAME.format(width=width, page=os.path.basename(page)))
    shown = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
                            "--user-data-dir=" + os.path.join(folder, "browser"), "--window-size=1400,900",
                            "--virtual-time-budget=10000", "--dump-dom", "file://" + frame],
                           capture_output=True, text=True, timeout=WATCHDOG, check=False)
    found = re.search(r"<pre>(.*?)</pre>", shown.stdout)
    return found.group(1) if found else shown.stderr


def wait_until(holds):
    end = time.monotonic() + WATCHDOG
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.01)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def copy_command(target):
    """It looks for its module and its programs beside itself."""
    shutil.copy(GONDWANA, target)
    module = "libgondwana_tools.so"
    shutil.copy(os.path.join(os.path.dirname(GONDWANA), module), os.path.join(os.path.dirname(target), module))


class BenchTest(unittest.TestCase):
    def figures(self, *words):
        said = bench(*words, "-r", "3")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def test_a_table_has_a_row_for_each_size_with_a_control(self):
        lines = self.figures("latency", "-m", "8:64").splitlines()
        self.assertEqual(lines[0].split(": ")[1], "put, 2 ranks, medians of 3 rounds")
        self.assertEqual(lines[1].split(), ["#", "Size", "Latency", "(us)", "25%", "75%", "Control", "Ratio"])
        self.assertEqual([line.split()[0] for line in lines[2:6]], ["8", "16", "32", "64"])
        self.assertIn(": get, ", lines[7])
        for line in (*lines[2:6], *lines[9:13]):
            _, median, lower, upper, control, ratio = map(float, line.split())
            self.assertLessEqual(lower, median)
            self.assertLessEqual(median, upper)
            self.assertGreaterEqual(control, 0)
            self.assertGreater(ratio, 0)

    def test_figures_are_those_that_the_program_has_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            command, program = os.path.join(folder, "gondwana"), os.path.join(folder, "bench", "transfers")
            copy_command(command)
            os.mkdir(os.path.dirname(program))
            with open(program, "w", encoding="utf-8") as script:
                script.write('#!/bin/sh\n[ "$GONDWANA_RANK" = 0 ] || exit 0\n'
                             "for i in $(seq $2); do echo put 4000 $((i * 1000)) 500; done\n")
            os.chmod(program, 0o700)
            for subject, figures in (("latency", "1.5000 1.0000 2.0000 0.5000 3.00"),
                                     ("bandwidth", "3000.0000 2000.0000 4000.0000 8000.0000 3.00"),
                                     ("rate", "0.7500 0.5000 1.0000 2.0000 3.00")):
                said = subprocess.run([command, "bench", subject, "-r", "10"], capture_output=True, text=True,
                                      timeout=WATCHDOG, check=False)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertEqual(said.stdout.splitlines()[2].split(), ["4000", *figures.split()])

    def test_json_has_the_values_of_every_round(self):
        result = json.loads(self.figures("atomics", "--json", "-n", "4"))
        self.assertEqual((result["subject"], result["job"], result["rounds"]), ("atomics", "4 ranks", 3))
        self.assertEqual([series["operation"] for series in result["series"]], ATOMICS)
        for series in result["series"]:
            self.assertEqual((len(series["ours_ns"]), len(series["control_ns"])), (3, 3))
            self.assertTrue(all(ns > 0 for ns in series["ours_ns"] + series["control_ns"]))

    def test_csv_has_a_row_for_each_size(self):
        for subject, unit in (("bandwidth", "MB/s"), ("rate", "M/s")):
            rows = list(csv.DictReader(self.figures(subject, "--csv", "-m", "1K:2K").splitlines()))
            self.assertEqual([row["bytes"] for row in rows], ["1024", "2048"])
            for row in rows:
                self.assertEqual((row["subject"], row["unit"], row["ranks"]), (subject, unit, ""))
                self.assertLessEqual(float(row["25%"]), float(row["median"]))
                self.assertGreater(float(row["ratio"]), 0)

    def test_collectives_have_a_control_on_all_ranks(self):
        result = json.loads(self.figures("collectives", "--json", "-n", "3", "-m", "8:16"))
        found = [(series["operation"], series["bytes"]) for series in result["series"]]
        sizes = [(name, size) for name in ("broadcast", "sum") for size in (8, 16)]
        self.assertEqual(found, [("barrier", 0), *sizes])
        for series in result["series"]:
            self.assertEqual((len(series["ours_ns"]), len(series["control_ns"])), (3, 3))
            self.assertTrue(all(ns > 0 for ns in series["ours_ns"] + series["control_ns"]))

    def test_other_doors_have_the_same_subjects(self):
        for door, name in (("gasnetex", "GASNet-EX"), ("armci", "ARMCI")):
            for subject, operation in (("latency", "get"), ("bandwidth", "put_nbi"), ("rate", "put_nbi"),
                                       ("atomics", "fetch_add"), ("collectives", "sum")):
                sizes = () if subject == "atomics" else ("-m", "8:8")
                with self.subTest(door=door, subject=subject):
                    result = json.loads(self.figures(subject, "--door", door, "--json", *sizes))
                    self.assertEqual((result["subject"], result["door"]), (subject, name))
                    self.assertIn(operation, [series["operation"] for series in result["series"]])
                    for series in result["series"]:
                        self.assertEqual((len(series["ours_ns"]), len(series["control_ns"])), (3, 3))
                        self.assertTrue(all(ns > 0 for ns in series["ours_ns"] + series["control_ns"]))

    def test_strided_transfers_have_blocks_from_four_words_on(self):
        result = json.loads(self.figures("strided", "--json", "-m", "16:64"))
        found = [(series["operation"], series["bytes"]) for series in result["series"]]
        words = [(name, size) for name in ("iput", "iget") for size in (16, 32, 64)]
        self.assertEqual(found, [*words, *[(name, size) for name in ("ibput", "ibget") for size in (32, 64)]])
        for series in result["series"]:
            self.assertTrue(all(ns > 0 for ns in series["ours_ns"] + series["control_ns"]))
        result = json.loads(self.figures("strided", "--json", "-m", "40:80"))
        self.assertEqual([series["bytes"] for series in result["series"]], [40, 80, 40, 80, 64, 64])

    def test_active_messages_that_do_not_divide_a_round_evenly(self):
        result = json.loads(self.figures("am", "--json", "-m", "24K:24K"))  # 341 of them make 8M
        self.assertEqual({series["bytes"] for series in result["series"]}, {0, 24 << 10})

    def test_active_messages_have_trips_and_floods(self):
        result = json.loads(self.figures("am", "--json", "-m", "8:16"))
        found = [(series["operation"], series["bytes"]) for series in result["series"]]
        sizes = [(name, size) for name in ("medium", "medium_flood", "long", "long_flood") for size in (8, 16)]
        self.assertEqual(found, [("short", 0), ("short_flood", 0), *sizes])
        self.assertEqual(result["door"], "GASNet-EX")

    def test_the_cost_of_a_job_is_shown_over_its_ranks(self):
        for subject, unit, operations in (("startup", "ns", ["init", "barrier", "end"]), ("memory", "bytes", ["pss", "data"])):
            with self.subTest(subject):
                result = json.loads(self.figures(subject, "--json", "-n", "3"))
                found = [(series["operation"], series["ranks"]) for series in result["series"]]
                expected = [(operation, ranks) for operation in operations for ranks in (2, 3)]
                self.assertEqual(found[:len(expected)], expected)
                self.assertIn(found[len(expected):], ([], [("per_peer", 3)]))
                for series in result["series"][:len(expected)]:
                    self.assertEqual((len(series["ours_" + unit]), len(series["control_" + unit])), (3, 3))
                    self.assertTrue(all(value > 0 for value in series["ours_" + unit] + series["control_" + unit]))

    def test_between_hosts_there_is_no_control(self):
        for subject, door in (("latency", "shmem"), ("collectives", "shmem"), ("latency", "armci"), ("latency", "gasnetex")):
            lines = self.figures(subject, "--door", door, "--hosts", "localhost:1,localhost:1", "-m", "8:8").splitlines()
            self.assertIn("hosts localhost:1,localhost:1", lines[0])
            self.assertEqual(lines[2].split()[-2:], ["-", "-"])

    def test_a_peer_runs_the_same_program_by_turns(self):
        commands = [shutil.which(name, path=OPEN_MPI) for name in ("oshcc", "oshrun")]
        if None in commands or cannot_compile(commands[0]):
            self.skipTest("no Open MPI with OpenSHMEM here")
        peer = "oshcc={},oshrun={}".format(*commands)
        for words in (("atomics",), ("collectives", "-m", "8:8"), ("startup", "-n", "2")):
            result = json.loads(self.figures(*words, "--json", "--peer", peer))
            for series in result["series"]:
                self.assertEqual([len(series[key]) for key in ("ours_ns", "control_ns", "peer_ns")], [3, 3, 3])
                self.assertTrue(all(ns > 0 for ns in series["peer_ns"]))
        self.assertIn("oshrun", result["peers"][0]["name"])

    def test_a_peer_gets_the_same_hosts_and_rounds(self):
        with tempfile.TemporaryDirectory() as folder:
            compiler, launcher = os.path.join(folder, "cc"), os.path.join(folder, "run")
            program = "#!/bin/sh\nfor i in $(seq $2); do echo put $3 2000 1000; done\n"
            for path, text in ((compiler, f"#!/bin/sh\ncat > $4 <<'end'\n{program}end\nchmod 700 $4\n"),
                               (launcher, f'#!/bin/sh\n[ "$1" = --version ] && echo Peer 1.0 && exit\necho "$*" >> {folder}/words\n'
                                          'shift 4\nexec "$@"\n')):
                with open(path, "w", encoding="utf-8") as script:
                    script.write(text)
                os.chmod(path, 0o700)
            result = json.loads(self.figures("latency", "--json", "-m", "8:8", "--hosts", "localhost:1,localhost:1",
                                             "--peer", f"oshcc={compiler},oshrun={launcher}"))
            with open(os.path.join(folder, "words"), encoding="utf-8") as file:
                words = file.read().splitlines()
        self.assertEqual(result["peers"], [{"key": "peer", "name": "Peer 1.0"}])
        self.assertEqual(result["series"][0]["peer_ns"], [2000] * 3)
        self.assertEqual(len(words), 3)
        for line in words:
            self.assertRegex(line, r"^-n 2 --host localhost:1,localhost:1 /\S+/transfers latency 1 8 8$")

    def test_peers_that_are_found_have_a_column_each(self):
        """The commands of an MPI, as scripts: its programs print the door that they were built for."""
        with tempfile.TemporaryDirectory() as folder:
            compiler = ("#!/bin/sh\nif [ \"$1\" = -x ]; then [ -z \"$6\" ]; exit; fi\n"  # it has no ARMCI
                        "while [ \"$1\" != -o ]; do shift; done\nprogram=$2\n"
                        "case \"$*\" in *DOOR_MPI*) ns=3000;; *) ns=2000;; esac\n"
                        "echo '#!/bin/sh' > $program\n"
                        "echo \"for i in \\$(seq \\$2); do echo put \\$3 $ns -; done\" >> $program\nchmod 700 $program\n")
            launcher = '#!/bin/sh\n[ "$1" = --version ] && echo Version 4.1.2 && exit\nshift 2\nexec "$@"\n'
            mark = "#!/bin/sh\n"
            for name, text in (("ompi_info", mark), ("mpichversion", mark), ("oshcc", compiler), ("mpicc", compiler),
                               ("mpiexec", launcher)):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as script:
                    script.write(text)
                os.chmod(path, 0o700)
            env = {"PATH": f"{folder}:/bin:/usr/bin"}
            words = ("latency", "-m", "8:8", "-r", "3", "--peers")
            said = bench(*words, "--json", env=env)
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            result = json.loads(said.stdout)
            table = bench(*words, env=env).stdout.splitlines()
            osu = bench(*words, "--osu", env=env).stdout
            rows = list(csv.DictReader(bench(*words, "--csv", env=env).stdout.splitlines()))
            refused = bench(*words, "--door", "gasnetex", env=env)
            one_host = bench(*words, "--hosts", "localhost:1,localhost:1", env=env)
        names = {peer["key"]: peer["name"] for peer in result["peers"]}
        self.assertEqual(names, {"ompi-shmem": "Open MPI 4.1.2, OpenSHMEM", "ompi-rma": "Open MPI 4.1.2, MPI RMA",
                                 "mpich-rma": "MPICH 4.1.2, MPI RMA"})
        self.assertEqual([result["series"][0][key + "_ns"] for key in ("ompi-shmem", "ompi-rma")], [[2000] * 3, [3000] * 3])
        titles = next(line for line in table if line.startswith("# Size"))
        self.assertIn("ompi-rma", titles.split())
        self.assertRegex(osu, r"(?s)# Gondwana OpenSHMEM latency put Latency Test\n# Size +Latency \(us\)\n8 +\d+\.\d+\n.*"
                              r"# Open MPI 4.1.2, OpenSHMEM latency put Latency Test\n# Size +Latency \(us\)\n8 +2.0000\n")
        self.assertEqual((rows[0]["ompi-shmem"], rows[0]["ompi-rma"]), ("2", "3"))
        self.assertGreater(float(rows[0]["ompi-rma/ours"]), 0)
        self.assertIn("--peers: no other library with this subject was found", refused.stderr)
        self.assertIn("use shared memory between ranks of one host", one_host.stderr)

    def test_a_peer_that_cannot_be_built_leaves_no_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            said = bench("atomics", "--peer", "oshcc=/bin/false,oshrun=/bin/false", env={"TMPDIR": folder})
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn("it ended with status 1", said.stderr)
            self.assertEqual(os.listdir(folder), [])

    def end_while_it_compiles(self, end, folder):
        """The folder that stands for TMPDIR, and the compiler of the peer, which does not end by itself."""
        compiler, temporary = os.path.join(folder, "cc"), os.path.join(folder, "temporary")
        os.mkdir(temporary)
        with open(compiler, "w", encoding="utf-8") as script:
            script.write(f"#!/bin/sh\necho $$ > {folder}/new\nmv {folder}/new {folder}/pid\nexec sleep 600\n")
        os.chmod(compiler, 0o700)
        command = [GONDWANA, "bench", "atomics", "-r", "3", "--peer", f"oshcc={compiler},oshrun=/bin/false"]
        with subprocess.Popen(command, env={**os.environ, "TMPDIR": temporary},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            wait_until(lambda: os.path.exists(os.path.join(folder, "pid")))
            self.assertEqual(len(os.listdir(temporary)), 1)
            running.send_signal(end)
        with open(os.path.join(folder, "pid"), encoding="utf-8") as file:
            return temporary, int(file.read())

    def test_a_signal_leaves_neither_the_folder_nor_the_compiler(self):
        for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with self.subTest(end.name), tempfile.TemporaryDirectory() as folder:
                temporary, pid = self.end_while_it_compiles(end, folder)
                wait_until(lambda at=temporary, of=pid: not os.listdir(at) and not is_running(of))

    def report(self, folder, *words, path=SYSTEM_PATH):
        page = os.path.join(folder, "out.html")
        said = bench(*words, "-r", "3", "--report", page, env={"PATH": path})
        self.assertEqual((said.returncode, said.stdout), (0, ""), said.stderr)
        *self.progress, drawing = said.stderr.splitlines()
        self.assertEqual(drawing, f"gondwana bench: drawing {page}")
        with open(page, encoding="utf-8") as file:
            return page, file.read()

    def test_one_size_and_few_rounds_are_what_is_measured(self):
        found = json.loads(self.figures("latency", "--json", "-m", "8"))
        self.assertEqual({series["bytes"] for series in found["series"]}, {8})
        self.assertEqual({len(series["ours_ns"]) for series in found["series"]}, {3})

    def test_a_report_has_curves_and_the_data(self):
        with tempfile.TemporaryDirectory() as folder:
            _, text = self.report(folder, "latency", "-m", "8:64")
            embedded = re.search(r'id="bench-data">(.*?)</script>', text, re.DOTALL).group(1)
            with open(os.path.join(folder, "out.bench.json"), encoding="utf-8") as file:
                self.assertEqual(json.loads(embedded), json.load(file))
            self.assertEqual(len(json.loads(embedded)[0]["series"]), 12)
            self.assertEqual(text.count('src="data:image/svg+xml'), 4)
            self.assertNotRegex(text, r'(src|href)="(?!data:)')

    def test_a_report_of_all_subjects_fits_every_screen_and_tells_how_far_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            page, text = self.report(folder, "-n", "3", "-m", "8:64")
            embedded = json.loads(re.search(r'id="bench-data">(.*?)</script>', text, re.DOTALL).group(1))
            self.assertEqual([result["subject"] for result in embedded], SUBJECTS)
            self.assertEqual([line.split()[2] for line in self.progress], SUBJECTS)
            for number, line in enumerate(self.progress, start=1):
                self.assertRegex(line, rf"\({number} of {len(SUBJECTS)}\), Gondwana, rounds? 1( to 3)? of 3; \d+:")
            for subject in SUBJECTS:
                self.assertIn(f"<h2>{subject}</h2>", text)
            browser = shutil.which("chromium")
            if browser is None:
                self.skipTest("no chromium")
            curves = text.count("<img ")
            self.assertGreater(curves, len(SUBJECTS))
            for width in (390, 1280):
                with self.subTest(width=width):
                    self.assertEqual(look(browser, folder, page, width), f"{width} fits {curves}")

    def test_a_bare_python_draws_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            first = os.path.join(folder, "first")
            os.mkdir(first)
            with open(os.path.join(first, "python3"), "w", encoding="utf-8") as script:
                script.write(f'#!/bin/sh\nexec {sys.executable} -S -s "$@"\n')
            os.chmod(os.path.join(first, "python3"), 0o700)
            _, text = self.report(folder, "atomics", path=first + ":" + SYSTEM_PATH)
            self.assertRegex(text, r"<code>.*gondwana bench atomics .*</code><br>\n\d{4}-\d\d-\d\d ")
            self.assertRegex(text, r"load average before it began: [\d.]+, on \d+ processors")

    def test_without_python_the_data_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "out.html")
            said = bench("atomics", "-r", "3", "--report", page, env={"PATH": folder})
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertRegex(said.stderr, "^gondwana bench: warning: --report: python3, which draws the page, is not in PATH")
            self.assertIn("no page was made; the data are in", said.stderr)
            self.assertEqual(os.listdir(folder), ["out.bench.json"])

    def test_a_job_that_fails_is_told(self):
        said = bench("latency", "-m", "8M:8M", env={"GONDWANA_HEAP_SIZE": "1M"})
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("on each rank; ask for fewer with -m", said.stderr)
        self.assertIn("it ended with status ", said.stderr)

    def recorded(self, name, factor, **changed):
        """A file of --json in which each operation takes `factor` times as long."""
        result = json.loads(self.figures("latency", "--json", "-m", "8:8"))
        for series in result["series"]:  # the spread of the rounds is made up, so that it is known
            series["ours_ns"] = [100 * factor, 101 * factor, 102 * factor]
            series["control_ns"] = [50, 50, 50]
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**result, **changed}, file)
        return path

    def compared(self, before, after):
        said = bench("compare", before, after)
        return said.returncode, [line.split()[-1] for line in said.stdout.splitlines()[2:]], said.stderr

    def test_compare_tells_what_is_slower_beyond_the_noise(self):
        with tempfile.TemporaryDirectory() as self.folder:
            before = self.recorded("before", 1)
            for name, factor, status, word in (
                ("same", 1.01, 0, "same"), ("slower", 1.2, 1, "slower"), ("faster", 0.8, 0, "faster"),
            ):
                with self.subTest(name):
                    self.assertEqual(self.compared(before, self.recorded(name, factor)), (status, [word] * 3, ""))
            other = self.recorded("other", 1, job="4 ranks")
            none = self.recorded("none", 1, series=[])
            empty = os.path.join(self.folder, "empty")
            open(empty, "w", encoding="utf-8").close()
            for after, sentence in (
                (other, "the files have no operation of the same size in common: latency, OpenSHMEM, 2 ranks; latency, OpenSHMEM, 4 ranks"),
                (none, "the files have no operation of the same size in common"),
                (empty, "not a file written by gondwana bench --json"),
                (os.path.join(self.folder, "missing"), "the file cannot be read"),
                (self.folder, "the file cannot be read"),
            ):
                with self.subTest(sentence):
                    status, rows, said = self.compared(before, after)
                    self.assertEqual((status, rows, said.count("\n")), (2, [], 1))
                    self.assertIn(sentence, said)
        self.assertEqual(bench("compare", "one").returncode, 2)

    def test_compare_takes_files_of_several_subjects(self):
        with tempfile.TemporaryDirectory() as self.folder:
            subjects = {}
            for name in ("before", "after"):
                with open(self.recorded(name, 1), encoding="utf-8") as file:
                    subjects[name] = json.load(file)
            slower = json.loads(json.dumps(subjects["after"]))
            for series in slower["series"]:
                series["ours_ns"] = [2 * ns for ns in series["ours_ns"]]
            of_four = {"job": "4 ranks"}
            for name, both in (("before", [subjects["before"], {**subjects["before"], **of_four}]),
                               ("after", [{**slower, **of_four}, subjects["after"]])):
                with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                    json.dump(both, file)
            said = bench("compare", *(os.path.join(self.folder, name) for name in ("before", "after")))
            self.assertEqual((said.returncode, said.stderr), (1, ""))
            words = [line.split()[-1] for line in said.stdout.splitlines() if line and not line.startswith("#")]
            self.assertEqual(words, ["same"] * 3 + ["slower"] * 3)

    def test_a_subject_that_fails_leaves_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            command, programs = os.path.join(folder, "gondwana"), os.path.join(folder, "bench")
            copy_command(command)
            os.mkdir(programs)
            shutil.copy(os.path.join(os.path.dirname(GONDWANA), "bench", "transfers"), programs)
            said = subprocess.run([command, "bench", "all", "--csv", "-r", "3", "-m", "8:8"], capture_output=True,
                                  text=True, timeout=WATCHDOG, check=False)
            self.assertEqual(said.returncode, 1, said.stderr)
            self.assertRegex(said.stderr, r"\ngondwana bench: strided: .*strided")
            found = {row["subject"] for row in csv.DictReader(said.stdout.splitlines())}
            self.assertEqual(found, {"latency", "bandwidth", "rate", "atomics"})

    def test_mistakes_get_a_sentence(self):
        for words, sentence in {
            (): "no subject given; expected latency, bandwidth, rate, atomics, collectives, strided, am, seeds, apps, startup, memory, all",
            ("warp",): "warp is not a subject; expected latency, ",
            ("latency", "-n", "1"): '-n "1": expected a whole number from 2 ',
            ("latency", "-m", "8q"): '-m "8q": expected a size or MIN:MAX',
            ("latency", "-m", "8:4"): '-m "8:4": expected a size or MIN:MAX',
            ("atomics", "-m", "8:8"): "atomics has no sizes",
            ("memory", "-m", "8:8"): "memory has no sizes",
            ("startup", "--hosts", "a:1,b:1"): "startup is measured on this machine only: omit --hosts",
            ("collectives", "-m", "4:8"): "collectives needs a MIN that is a multiple of 8",
            ("latency", "--json", "--csv"): "not both",
            ("latency", "--report", "out"): "expected a name that ends in .html",
            ("latency", "--report", "a.html", "--csv"): "omit --csv, --json and --osu",
            ("latency", "-n", "2", "--hosts", "a:1,b:1"): "not both",
            ("latency", "-n", ""): 'an empty argument follows "latency -n": is a variable unset?',
            ("latency", "--report", "/dev/null/a.html"): "--report: /dev/null/a.html cannot be written: ",
            ("collectives", "-m", ":4"): "collectives needs a MAX of at least 8",
            ("atomics", "--peer", "oshcc=a,oshrun=b,more"): "expected its compiler and launcher",
            ("atomics", "--peer", "oshcc=a"): '--peer "oshcc=a": expected its compiler and launcher',
            ("atomics", "--hosts", "a:x"): 'host a: "x": expected a whole number from 1',
            ("atomics", "--hosts", "a:1"): "--hosts a:1: expected at least two ranks",
            ("am", "--door", "shmem"): "am is not measured by --door shmem: it has gasnetex",
            ("strided", "--door", "armci"): "strided is not measured by --door armci: it has shmem",
            ("am", "--peer", "oshcc=a,oshrun=b"): "--peer is another library for OpenSHMEM: am has none",
            ("latency", "--door", "front"): '--door "front": expected shmem, gasnetex or armci',
            ("latency", "--door", "armci", "--peer", "oshcc=a,oshrun=b"): "omit --door armci",
            ("latency", "--peer", "gasnet=/nowhere"): "--peer gasnet=/nowhere: there is no /nowhere/include/smp-conduit/smp-seq.mak",
            ("latency", "--osu", "--csv"): "not both",
            ("latency", "--fast"): "--fast is not an option; see gondwana bench --help",
        }.items():
            with self.subTest(words=words):
                said = bench(*words)
                self.assertEqual((said.returncode, said.stdout, said.stderr.count("\n")), (1, "", 1))
                self.assertIn(sentence, said.stderr)
        self.assertTrue(bench("--help").stdout.startswith("Usage: gondwana bench "))


if __name__ == "__main__":
    GONDWANA = sys.argv.pop(1)
    unittest.main()
