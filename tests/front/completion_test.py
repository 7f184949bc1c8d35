"""Shells complete the commands of gondwana: `completion_test.py GONDWANA SHELLS SLEEPER`.

SHELLS is the folder of the scripts that are installed; `SLEEPER nothing` is a program that goes on
until it is ended.
"""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

GONDWANA = ""
SHELLS = ""
SLEEPER = ""
WATCHDOG = 60  # seconds: against hangs only
BASH_COMPLETION = "/usr/share/bash-completion/bash_completion"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=WATCHDOG, check=True,
                          stdin=subprocess.DEVNULL, env=environment()).stdout


def environment():
    path = os.path.dirname(GONDWANA) + os.pathsep + os.environ["PATH"]
    return {**os.environ, "PATH": path, "TERM": "dumb", "PS1": "> ", "HISTFILE": ""}


def complete(*words):
    """What the command offers: the words with their texts, and what the shell has to add."""
    *lines, rest = output_of(GONDWANA, "complete", "gondwana", *words).splitlines()
    return dict(line.split("\t", 1) for line in lines), rest


class Answers(unittest.TestCase):
    def test_all_commands_are_offered(self):
        listed = set(re.findall(r"^  gondwana ([a-z]+)", output_of(GONDWANA, "--help"), re.M))
        self.assertLessEqual({"run", "ps", "why", "top", "info"}, listed)
        self.assertEqual({word for word in complete("")[0] if not word.startswith("-")}, listed)

    def test_all_options_of_all_commands_are_offered(self):
        for command in (word for word in complete("")[0] if not word.startswith("-")):
            text = output_of(GONDWANA, command, "--help")
            names = re.findall(r"^ +(-\S+)", text, re.M)
            listed = {name for part in names for name in part.split(",") if name}
            offered, _ = complete(command, "-")
            self.assertEqual(set(offered), listed | ({"--help"} - listed), command)

    def test_an_option_has_its_text(self):
        offered, _ = complete("run", "--hostf")
        self.assertRegex(offered["--hostfile"], "hosts of this file")
        offered, _ = complete("run", "--hosts")  # its text is in the next line of the help
        self.assertRegex(offered["--hosts"], "^run on these hosts")

    def test_values_are_offered(self):
        self.assertEqual(complete("run", "--bind-to", ""),
                         ({"none": "", "core": "", "numa": "", "package": ""}, "@nothing"))
        self.assertEqual(complete("run", "--bind-to=n")[0],
                         {"--bind-to=none": "", "--bind-to=numa": ""})
        self.assertEqual(list(complete("run", "--bind-to", "=", "p")[0]), ["package"])
        self.assertIn("put_bytes", complete("top", "--sort", "")[0])
        self.assertEqual(list(complete("bench", "lat")[0]), ["latency"])
        self.assertEqual(complete("run", "--wdir", ""), ({}, "@folders"))
        self.assertEqual(complete("run", "--hostfile", ""), ({}, "@files"))
        self.assertEqual(complete("run", "-n", ""), ({}, "@nothing"))

    def test_the_program_and_its_arguments_are_left_to_the_shell(self):
        self.assertEqual(complete("run", ""), ({}, "@programs"))
        self.assertEqual(complete("run", "-n", "4", ""), ({}, "@programs"))
        self.assertEqual(complete("run", "--", "-"), ({}, "@programs"))
        self.assertEqual(complete("run", "-n", "4", "ls", "--co"), ({}, "@command 4"))
        offered, _ = complete("run", "-n", "1", "./a", ":", "--np")
        self.assertEqual(list(offered)[:1], ["--np"])

    def test_what_makes_no_sense_is_answered_by_nothing(self):
        for words in ((), ("nothing", ""), ("--version", ""), ("run", "--no-such=")):
            self.assertEqual(complete(*words), ({}, "@nothing"))

    def test_jobs_are_offered(self):
        job = subprocess.Popen([GONDWANA, "run", "-n", "2", SLEEPER, "nothing"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(job.wait, WATCHDOG)
        self.addCleanup(job.terminate)
        end = time.monotonic() + WATCHDOG
        while (mine := self.job_of(job.pid)) is None:
            self.assertLess(time.monotonic(), end, "the job is not seen")
            time.sleep(0.05)
        for command in ("why", "top"):
            self.assertIn(mine, complete(command, "")[0])
        self.assertNotIn(mine, complete("why", mine, "")[0])

    @staticmethod
    def job_of(launcher):
        for line in output_of(GONDWANA, "ps").splitlines()[1:]:
            identity = line.split()[0]
            said = subprocess.run([GONDWANA, "why", "--watch", "0.05", str(launcher)], check=False,
                                  capture_output=True, text=True, timeout=WATCHDOG).stdout
            if f"job {identity}" in said:
                return identity
        return None


class Typist:
    """Types into a shell that has a terminal."""

    def __init__(self, *command):
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.execvpe(command[0], command, environment())
        self.seen = ""

    def close(self):
        os.kill(self.shell, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.shell, 0)

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def sees(self, pattern):
        """Waits until what the shell writes has the pattern, and forgets all up to its end."""
        end = time.monotonic() + WATCHDOG
        while (found := re.search(pattern, self.seen)) is None:
            if time.monotonic() > end or not self.read_some(end):
                return False
        self.seen = self.seen[found.end():]
        return True

    def read_some(self, end):
        ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
        try:
            self.seen += os.read(self.terminal, 65536).decode(errors="replace") if ready else ""
        except OSError:  # the shell has ended
            return False
        return bool(ready)


class ShellCase:
    """The same words typed into a shell with a terminal."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.mkdir(os.path.join(folder.name, "a_folder"))
        with open(os.path.join(folder.name, "a_file"), "w", encoding="utf-8"):
            pass
        self.typist = Typist(*self.command())
        self.addCleanup(self.typist.close)
        self.typist.type(f"{self.setup()}\ncd {folder.name}; echo rea''dy\n")
        self.assertTrue(self.typist.sees("ready"), self.typist.seen)

    def assert_types(self, typed, pattern):
        self.typist.type(typed + "\t")
        self.assertTrue(self.typist.sees(pattern), f"{typed!r}: {self.typist.seen!r}")
        self.typist.type("\x03\n")  # a new line

    def test_it_completes(self):
        self.assert_types("gondwana wh", r"gondwana why")
        self.assert_types("gondwana run --report-b", r"--report-bindings")
        self.assert_types("gondwana run --bind-to pack", r"package")
        self.assert_types("gondwana run --bind-to=pack", r"package")
        self.assert_types("gondwana run --wdir a_", r"a_folder/")
        self.assert_types("gondwana run --hostfile a_fi", r"a_file")
        self.assert_types("gondwana run -n 4 ./a_fo", r"\./a_folder/")
        self.assert_types("gondwana run --hosts localhost:2 --report-b", r"--report-bindings")
        self.assert_types("gondwana run -n 4 gondwana run --report-b", r"--report-bindings")


@unittest.skipUnless(os.path.exists(BASH_COMPLETION), "bash-completion is not installed")
class Bash(ShellCase, unittest.TestCase):
    def command(self):
        return "bash", "--norc", "--noprofile", "-i"

    def setup(self):
        return f"bind 'set enable-bracketed-paste off'; . {BASH_COMPLETION}; . {SHELLS}/gondwana.bash"


@unittest.skipIf(shutil.which("zsh") is None, "zsh is not installed")
class Zsh(ShellCase, unittest.TestCase):
    def command(self):
        return "zsh", "-f", "-i"

    def setup(self):
        return f"fpath+=({SHELLS}); autoload -U compinit; compinit -D -u"


@unittest.skipIf(shutil.which("fish") is None, "fish is not installed")
class Fish(unittest.TestCase):
    """fish answers without a terminal."""

    def offered(self, line, folder="/"):
        script = f"source {SHELLS}/gondwana.fish; cd {folder}; complete -C '{line}'"
        lines = output_of("fish", "--no-config", "-c", script).splitlines()
        return dict(line.partition("\t")[::2] for line in lines)

    def test_it_completes(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "a_folder"))
            self.assertIn("a_folder/", self.offered("gondwana run --wdir a_", folder))
        self.assertEqual(list(self.offered("gondwana wh")), ["why"])
        self.assertRegex(self.offered("gondwana run --report-b")["--report-bindings"], "processors")
        self.assertEqual(set(self.offered("gondwana run --bind-to ")),
                         {"none", "core", "numa", "package"})
        self.assertEqual(list(self.offered("gondwana run --bind-to=pack")), ["--bind-to=package"])
        self.assertIn("--report-bindings",
                      self.offered("gondwana run -n 4 gondwana run --report-b"))


if __name__ == "__main__":
    GONDWANA, SHELLS, SLEEPER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
