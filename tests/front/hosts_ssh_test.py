"""How the launcher reaches other hosts, by ssh or in an allocation of a batch system: `hosts_ssh_test.py GONDWANA`.

Stand-ins for ssh and srun record their words and run the commands here. two_hosts_launcher_test.py tests real ssh.
"""

import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from job_case import WATCHDOG, JobTest, run_tests
from processes import command_line

GIVE_UP = {"GONDWANA_PEER_TIMEOUT": "4"}  # seconds until a silent host counts as lost


class AllocationTest(JobTest):
    """In an allocation of a batch system. A stand-in for srun runs its commands here."""

    def srun(self):
        text = (
            f'#!/bin/sh\necho "$*" >>{self.folder}/srun_words\n'
            'while [ "$1" != -w ]; do shift; done\nshift 2\nexec "$@"\n'
        )
        self.write("srun", text, 0o755)
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def test_slurm_gives_hosts_and_ranks_and_srun_starts_them(self):
        slurm = {"SLURM_JOB_NODELIST": "elsewhere[1-2]", "SLURM_TASKS_PER_NODE": "2,1"}
        script = ("-l", "sh", "-c", "echo of $GONDWANA_SIZE")
        status, out, err = self.run_job(*script, env={**slurm, **self.srun()})
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(sorted(out.splitlines()), [f"[{rank}] of 3" for rank in range(3)])
        words = Path(f"{self.folder}/srun_words").read_text().splitlines()
        for node, line in zip((1, 2), sorted(words), strict=True):
            self.assertRegex(line, rf"-N1 -n1 .*-w elsewhere{node} \S+ run --remote-launcher$")

    def show(self, *words, **variables):
        status, out, err = self.run_job("--show", *words, "true", env=variables)
        self.assertEqual((status, err), (0, ""))
        return [line.partition(":")[0] for line in out.splitlines()]

    def test_an_allocation_is_the_hosts_unless_others_are_given(self):
        path = self.write("nodes", "a\na\nb\n")
        for variables in ({"PBS_NODEFILE": path}, {"LSB_MCPU_HOSTS": "a 2 b 1"}):
            with self.subTest(**variables):
                expected = ["ranks 0-1 on host a", "rank 2 on host b"]
                self.assertEqual(self.show(**variables), expected)
                expected = ["ranks 0-3 on host a", "rank 4 on host b"]
                self.assertEqual(self.show("-n", "5", **variables), expected)
                expected = ["ranks 0-2 on host a", "ranks 3-5 on host b"]
                self.assertEqual(self.show("--ppn", "3", **variables), expected)
                self.assertEqual(self.show("--hosts", "localhost", **variables), ["rank 0"])

    def test_ranks_on_each_host_are_counted_as_mpirun_does(self):
        hosts = ("--hosts", "a:7,b:7")
        for words in (("-N", "2"), ("-ppn", "2"), ("--npernode=2",), ("--map-by", "ppr:2:node")):
            expected = ["ranks 0-1 on host a", "ranks 2-3 on host b"]
            self.assertEqual(self.show(*hosts, *words), expected, words)
            self.assertEqual(self.show(*hosts, *words, "-n", "1"), ["rank 0 on host a"], words)
        expected = ["ranks 0-6 on host a", "rank 7 on host b"]
        self.assertEqual(self.show(*hosts, "--map-by", "slot:OVERSUBSCRIBE", "-n", "8"), expected)
        self.assertEqual(self.show("--ppn", "2"), ["ranks 0-1"])


class StandInTest(JobTest):
    """With a stand-in for ssh, which runs its commands here."""

    HOSTS = ("--hosts", "localhost:1,elsewhere:1")

    def stand_in(self, before=""):
        text = (
            f"#!/bin/sh\n{before}\n"
            f'while [ "$1" != -- ]; do echo "$1" >>{self.folder}/options; shift; done\n'
            f'shift; echo "$1" >>{self.folder}/host; shift; exec sh -c "$*"\n'
        )
        return {"GONDWANA_SSH": f"{self.write('ssh', text, 0o755)} one two"}

    def test_ssh_is_called_with_options_then_two_dashes_then_the_host(self):
        status, out, err = self.run_job(*self.HOSTS, "-l", "echo", "x", env=self.stand_in())
        self.assertEqual((status, sorted(out.splitlines()), err), (0, ["[0] x", "[1] x"], ""))
        self.assertEqual(Path(f"{self.folder}/host").read_text(), "elsewhere\n")
        options = Path(f"{self.folder}/options").read_text().split()
        self.assertEqual(options[:2], ["one", "two"])
        self.assertIn("-oBatchMode=yes", options)

    def test_words_and_variables_arrive_as_they_are(self):
        words = ["a b", "$HOME", "it's", '"', "\\", "", "*", "\n"]
        script = "import sys, os; print(sys.argv[1:], os.environ['ODD'])"
        _, out, _ = self.run_job(
            *self.HOSTS,
            "-x",
            "ODD=a 'b' $c",
            sys.executable,
            "-c",
            script,
            *words,
            env=self.stand_in(),
        )
        self.assertEqual(out, f"{words} a 'b' $c\n" * 2)

    def test_only_variables_of_ours_and_those_asked_for_go_to_other_hosts(self):
        env = self.stand_in("unset SHMEM_A GASNET_B UPCXX_C FI_D OTHER_E OTHER_F")
        env.update({"SHMEM_A": "1", "GASNET_B": "2", "UPCXX_C": "3", "FI_D": "4"})
        env.update({"OTHER_E": "5", "OTHER_F": "6"})
        _, out, _ = self.run_job(
            *self.HOSTS,
            "-x",
            "OTHER_F",
            "sh",
            "-c",
            "[ $GONDWANA_RANK = 0 ] || echo $SHMEM_A $GASNET_B $UPCXX_C $FI_D $OTHER_E $OTHER_F",
            env=env,
        )
        self.assertEqual(out, "1 2 3 4 6\n")

    def test_nothing_secret_stands_on_a_command_line(self):
        job = self.start_ready(
            *self.HOSTS, "-x", "SECRET=for nobody else", ranks=2, env=self.stand_in()
        )
        lines = [command_line(pid) for pid in self.marked()]
        self.assertTrue(lines)
        self.assertEqual(
            [line for line in lines if "for nobody else" in line and " -x " not in line], []
        )
        job.send_signal(signal.SIGTERM)
        job.communicate(timeout=WATCHDOG)

    def test_what_a_shell_says_at_login_is_quoted(self):
        status, out, err = self.run_job(
            *self.HOSTS, "true", env=self.stand_in("echo Welcome to elsewhere")
        )
        self.assertEqual((status, out), (1, ""))
        self.assertIn(
            "host elsewhere: a message between the hosts of the job is not from Gondwana: "
            '"Welcome to elsewhere"; does a startup file of the shell there print something?',
            err,
        )

    def test_no_connection_tells_what_ssh_said(self):
        consequence = "client_loop: send disconnect: Broken pipe"
        env = self.stand_in(f"echo 'ssh: no route to elsewhere' >&2; echo '{consequence}' >&2; exit 255")
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env=env)
        self.assertEqual(status, 1)
        self.assertEqual(
            err, "gondwana run: host elsewhere: ssh cannot connect: ssh: no route to elsewhere\n"
        )

    def test_a_missing_command_there_gives_advice(self):
        env = {**self.stand_in(), "GONDWANA_REMOTE_PATH": "/no where/gondwana"}
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env=env)
        self.assertEqual(status, 1)
        self.assertRegex(
            err,
            r"host elsewhere: cannot start the remote launcher, ssh ended with status 127: "
            r".*/no where/"
            r"gondwana.*GONDWANA_REMOTE_PATH",
        )

    def test_a_missing_ssh_gives_a_sentence(self):
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env={"GONDWANA_SSH": "/no/ssh"})
        self.assertEqual(status, 1)
        self.assertIn("host elsewhere: cannot run /no/ssh: No such file or directory", err)

    def test_a_silent_ssh_counts_as_dead(self):
        env = {**self.stand_in("exec sleep 1000"), **GIVE_UP}
        status, _, err = self.run_job(*self.HOSTS, "sleep", "1000", env=env)
        self.assertEqual(status, 1)
        self.assertIn("host elsewhere was silent for 20 s since ssh was started", err)

    def test_a_folder_that_is_missing_there_is_told(self):
        env = self.stand_in('mv "$PWD" "$PWD.gone"; cd /')
        os.mkdir(f"{self.folder}/work")
        hosts = ("--hosts", "elsewhere:2")
        status, _, err = self.run_job(
            *hosts, "sleep", "1000", env=env, cwd=f"{self.folder}/work"
        )
        self.assertEqual(status, 1)
        self.assertRegex(
            err,
            r"host \S+: cannot change to folder \S+/work, where the job was started: No such file",
        )


if __name__ == "__main__":
    run_tests()
