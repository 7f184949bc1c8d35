"""How clients of GASNet find Gondwana and start with it: `launch_test.py BUILD_FOLDER C_COMPILER`.

Installs the build into its own folder and uses it there as users do.
"""

import json
import re
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from client_case import MARK, SOURCE, ClientCase
from installed import plain_environment, run_well

WATCHDOG = 60  # seconds: against hangs only
CONDUITS = ("smp", "udp", "ofi", "ibv", "ucx", "mpi")
MOST_TOGETHER = "GASNET_SUPERNODE_MAXSIZE=2"


PROGRAM_OF_TOOLS = r"""
#include <gasnet_tools.h>
#include <math.h>
static const void* const not_warned[] = {(const void*)_gasneti_threadkey_init,
                                         (const void*)_gasnett_trace_printf_noop};
static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}
int main(int argc, char** argv) {
  (void)argv;
  if (not_warned[0] == NULL || not_warned[1] == NULL || getpid() == 0) return 1;
  if (!isdigit('7') || sched_yield() != 0 || gasneti_gethostname()[0] == 0) return 1;
  say("%d threads, root %.4f\n", GASNETI_MAX_THREADS, sqrt(argc + 1.0));
  return 0;
}
"""


class Finding(ClientCase):
    def test_pkg_config_compiles_and_links_every_thread_mode(self):
        for mode in ("seq", "par", "parsync"):
            with self.subTest(mode=mode):
                self.compile_with_pkg_config(mode, mode, "-DGASNET_DEBUG=1")
                self.assert_ranks(self.run_client(f"./{mode}", GASNET_PSHM_NODES="2"), 2)

    def test_clients_are_built_for_networks_by_name(self):
        """Launchers of clients read the name from the program."""
        for conduit in CONDUITS:
            with self.subTest(conduit=conduit):
                client = self.compile_with_pkg_config(conduit, "seq", conduit=conduit)
                names = re.findall(
                    rb"\$GASNetConduitName: (\w+) \$", (self.folder / client).read_bytes()
                )
                self.assertEqual(names, [conduit.upper().encode()])
                self.assert_ranks(self.run_client(client, GASNET_PSHM_NODES="2"), 2)
                self.assertTrue((self.prefix / f"include/{conduit}-conduit/gasnet_core.h").is_file())

    def test_headers_of_clients_are_not_hidden_by_those_of_other_doors(self):
        mine = self.folder / "mine"
        mine.mkdir()
        (mine / "shmem.h").write_text("#define MINE 1\n", encoding="utf-8")
        (self.folder / "hidden.c").write_text(
            "#include <gasnet_core.h>\n#include <gasnet.h>\n#include <shmem.h>\n"
            "#if !MINE || !defined GASNET_RELEASE_VERSION_MAJOR\n#error hidden\n#endif\n",
            encoding="utf-8",
        )
        words = self.pkg_config("--cflags", "gasnet-udp-par")
        self.say(self.compiler, *words, "-Imine", "-fsyntax-only", "hidden.c")

    def test_pkg_config_knows_the_variables_of_gasnet(self):
        for name in ("CC", "CXX", "CPPFLAGS", "CXXCPPFLAGS", "CFLAGS", "LD", "LDFLAGS", "LIBS"):
            words = self.pkg_config(f"--variable=GASNET_{name}", "gasnet-smp-par")
            self.assertNotEqual(words, [], name)

    def test_upcxx_learns_that_ranks_are_neither_forked_nor_all_on_one_machine(self):
        fragment = self.prefix / "include/smp-conduit/smp-seq.mak"
        shown = f"include {fragment}\nshow:\n\t@echo $(GASNET_CXXCPPFLAGS)\n"
        by_make = run_well("make", "-s", "-f", "-", "show", input=shown).split()
        by_package = self.pkg_config("--variable=GASNET_CXXCPPFLAGS", "gasnet-smp-seq")
        for name in ("UNIFORM_LOCAL_VTABLES", "ALL_RANKS_DEFINITELY_LOCAL"):
            self.assertIn(f"-DUPCXX_{name}=0", by_make)
            self.assertIn(f"-DUPCXX_{name}=0", by_package)
        options = ("-E", "-dM", "-include", "gasnetex.h", "-x", "c", "/dev/null")
        macros = self.say(self.compiler, *by_package, *options)
        self.assertNotIn("GASNET_CONDUIT_SMP", macros)
        self.assertIn("#define GASNET_CONDUIT_OFI 1", macros)

    def test_programs_of_the_tools_alone_find_them(self):
        """By fragments and packages; with headers, functions and libm that GASNet's bring."""
        (self.folder / "tools.c").write_text(PROGRAM_OF_TOOLS, encoding="utf-8")
        for mode in ("seq", "par"):
            with self.subTest(mode=mode):
                package = f"gasnet_tools-{mode}"
                flags = self.pkg_config("--cflags", package)
                libraries = self.pkg_config("--libs", package)
                self.say(self.compiler, "-Werror", *flags, "tools.c", "-o", "by_package", *libraries)
                rule = (
                    f"include {self.prefix}/include/{package}.mak\nby_fragment: tools.c\n"
                    "\t$(GASNETTOOLS_CC) $(GASNETTOOLS_CPPFLAGS) $(GASNETTOOLS_CFLAGS) -Werror"
                    " $(GASNETTOOLS_LDFLAGS) -o $@ $< $(GASNETTOOLS_LIBS)\n"
                )
                (self.folder / "tools.mak").write_text(rule, encoding="utf-8")
                self.say("make", "-B", "-f", "tools.mak", f"GASNETTOOLS_CC={self.compiler}")
                threads = {"seq": 1, "par": 256}[mode]
                for program in ("./by_package", "./by_fragment"):
                    self.assertEqual(self.say(program), f"{threads} threads, root 1.4142\n")

    def test_versions_in_the_configuration_are_those_of_the_headers(self):
        text = (self.prefix / "include/gasnet_config.h").read_text()
        (self.folder / "versions.c").write_text(
            '#include "gasnet_config.h"\n#include <gasnetex.h>\n'
            + "".join(
                f"#if GASNETI_{ours}_VERSION_{part} != {theirs}_VERSION_{part}\n"
                f"#error {ours}\n#endif\n"
                for ours, theirs in (
                    ("RELEASE", "GASNET_RELEASE"),
                    ("SPEC", "GASNET_SPEC"),
                    ("EX_SPEC", "GEX_SPEC"),
                    ("TOOLS_SPEC", "GASNETT_SPEC"),
                )
                for part in ("MAJOR", "MINOR")
            ),
            encoding="utf-8",
        )
        self.assertIn('GASNETI_CONDUITS " smp udp ofi ibv ucx mpi"', text)
        for part, number in (("MAJOR", 2025), ("MINOR", 8), ("PATCH", 0)):
            self.assertIn(f"#define GASNET_RELEASE_VERSION_{part} {number}\n", text)
        flags = self.pkg_config("--cflags", "gasnet-smp-seq")
        self.say(self.compiler, *flags, "-fsyntax-only", "versions.c")

    def compile_with_fragment(self, fragment, name):
        rule = (
            f"include {fragment}\n{name}: {SOURCE}\n"
            f"\t$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -c $< -o {name}.o\n"
            f"\t$(GASNET_LD) $(GASNET_LDFLAGS) -o $@ {name}.o $(GASNET_LIBS)\n"
        )
        (self.folder / "client.mak").write_text(rule, encoding="utf-8")
        self.say("make", "-f", "client.mak", name, f"GASNET_CC={self.compiler}")

    def test_makefile_fragments_compile_and_link(self):
        for conduit, mode in (("smp", "seq"), ("udp", "par"), ("ofi", "parsync")):
            with self.subTest(mode=mode):
                fragment = f"include/{conduit}-conduit/{conduit}-{mode}.mak"
                self.compile_with_fragment(self.prefix / fragment, f"by_fragment_{mode}")
                self.assert_ranks(
                    self.run_client(f"./by_fragment_{mode}", GASNET_PSHM_NODES="3"), 3
                )

    def test_a_folder_like_that_of_gasnet_is_configured_built_and_installed(self):
        source, build = self.prefix / "share/gondwana/gasnet", self.folder / "build"
        for name in ("Bootstrap", "gasnet_config.h.in", "gasnetex.h", "docs/GASNet-EX.txt"):
            self.assertTrue((source / name).is_file(), name)
        self.assertRegex((source / "docs/GASNet-EX.txt").read_text(), r"EX_SPEC_VERSION_MINOR \d+")
        build.mkdir()
        (build / "wanted.in").write_text("@CONDUITS@ @CC_FAMILY@\n", encoding="utf-8")
        self.say(
            "sh",
            "-c",
            'cd build && "$0"/Bootstrap && "$0"/configure --enable-debug --disable-parsync '
            "--enable-ibv --disable-ofi --enable-kind-hip=probe --enable-kind-cuda-uva --disable-kind-ze --enable-segment-everything "
            '--with-cflags="-DA=1 -DB=\'|&\'" --prefix="$1" && CONFIG_FILES=wanted ./config.status '
            "&& make all seq && make -C udp-conduit udp-par.mak par && make -C other/amudp amudprun "
            "&& test -x other/amudp/amudprun && make install",
            source,
            self.folder / "installed",
        )
        self.assertRegex((build / "wanted").read_text(), "^smp udp ibv (GNU|Clang)$")
        fragment = self.folder / "installed/include/udp-conduit/udp-par.mak"
        self.assertRegex(fragment.read_text(), r"CFLAGS = -DA=1 -DB='\|&'")
        for name in ("GASNET_DEBUG", "GASNET_SEGMENT_EVERYTHING", "GONDWANA_GASNET_NO_ZE"):
            self.assertIn(f"-D{name}=1", fragment.read_text())
        for name in ("include/gasnet_tools-par.mak", "lib/libgasnet_tools-par.so"):
            self.assertTrue((self.folder / "installed" / name).is_file(), name)
        self.compile_with_fragment(fragment, "by_folder")
        for launcher in ("gasnetrun_smp", "gasnetrun_ibv", "amudprun"):
            done = self.run_client(
                self.folder / "installed/bin" / launcher, "-np", "2", "./by_folder"
            )
            self.assert_ranks(done, 2)

    def test_the_folder_says_what_it_cannot_do(self):
        configure = self.prefix / "share/gondwana/gasnet/configure"
        for option, sentence in {
            "--enable-aries": "there is no network aries, only these: smp udp",
            "--enable-kind-opencl": "there is no such kind of memory, only these: cuda-uva hip ze",
            "--disable-auto-conduit-detect": "all networks are disabled",
            "--with-cc=nothing": 'the compiler "nothing" does not run',
        }.items():
            self.assert_told(self.run_client(configure, option), f"configure: .*{sentence}")


class Starting(ClientCase):
    def test_a_program_starts_itself_as_ranks(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                done = self.run_client(GASNET_PSHM_NODES=str(ranks))
                self.assert_ranks(done, ranks)
        self.assert_ranks(self.run_client(), 1)

    def test_words_and_the_name_of_the_program_arrive(self):
        done = self.run_client(self.client, "words", "a b", "", "-n", GASNET_PSHM_NODES="2")
        self.assertEqual(done.stdout, f"<{self.client}><words><a b><><-n>\n" * 2)

    def test_input_status_and_signals_pass_through(self):
        done = self.run_client(self.client, "read", GASNET_PSHM_NODES="2")
        self.assertEqual(sorted(done.stdout.splitlines()), ["0: hello", "1: nothing"])
        done = self.run_client(self.client, "status", "7", GASNET_PSHM_NODES="2")
        self.assertEqual(done.returncode, 7)
        environment = {**plain_environment(), "MARK": MARK, "GASNET_PSHM_NODES": "2"}
        command = [self.client, "sleep"]
        with subprocess.Popen(
            command, env=environment, cwd=self.folder, stdout=subprocess.PIPE, text=True
        ) as job:
            self.assertEqual([job.stdout.readline() for _ in range(2)], ["ready\n"] * 2)
            job.send_signal(signal.SIGTERM)
            self.assertEqual(job.wait(timeout=WATCHDOG), 128 + signal.SIGTERM)

    def test_a_status_that_is_not_0_does_not_become_0(self):
        for status, shown in (("256", 1), ("512", 1), ("257", 1)):
            done = self.run_client(self.client, "status", status, GASNET_PSHM_NODES="2")
            self.assertEqual(done.returncode, shown)

    def test_a_rank_that_ends_while_others_wait_for_it_is_told(self):
        for ranks in ("2", "3"):
            done = self.run_client(self.client, "leave", GASNET_PSHM_NODES=ranks)
            sentence = "rank 0: exit: .* status 0, but others continue; rank 1 waits in gex_"
            self.assert_told(done, sentence)

    def test_a_rank_that_runs_a_handler_for_long_is_not_taken_for_one_that_waits(self):
        done = self.run_client(self.client, "serve", GASNET_PSHM_NODES="3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_launchers_start_as_many_ranks_as_they_are_told(self):
        for command in (
            (self.tool("gondwana"), "run", "-n", "3"),
            (self.tool("gasnetrun_smp"), "-n", "3"),
            (self.tool("gasnetrun_smp"), "-np", "3", "-c", "1", "-E", "A,B", "-spawner=fork", "--"),
        ):
            with self.subTest(command=command):
                done = self.run_client(*command, self.client, GASNET_PSHM_NODES="2")
                self.assert_ranks(done, 3)

    def test_the_launcher_shows_what_it_would_run(self):
        done = self.run_client(self.tool("gasnetrun_smp"), "-t", "-n", "3", self.client)
        self.assertRegex(done.stdout, f"ranks 0-2: .*{self.client}\n")

    def hosts_of(self, launcher, *words, **variables):
        """What --hosts of `gondwana run` would be: the ranks of each host."""
        done = self.run_client(self.tool(launcher), "-t", *words, self.client, **variables)
        return re.findall(r"^ranks? ([\d-]+)(?: on host (\w+))?:", done.stdout, re.MULTILINE)

    def test_launchers_spread_processes_over_the_hosts_that_are_named(self):
        names = {"GASNET_SSH_SERVERS": "a,b c"}
        self.assertEqual(
            self.hosts_of("gasnetrun_ofi", "-n", "5", "-N", "2", "-c", "0", **names),
            [("0-2", "a"), ("3-4", "b")],
        )
        self.assertEqual(
            self.hosts_of("gasnetrun_ibv", "-n", "3", **names), [("0", "a"), ("1", "b"), ("2", "c")]
        )
        for words in (("gasnetrun_smp", "-n", "3"), ("gasnetrun_mpi", "-n", "3", "-spawner=mpi")):
            self.assertEqual(self.hosts_of(*words, **names), [("0-2", "")])
        (self.folder / "hosts").write_text("# two\na 9\nb\n", encoding="utf-8")
        self.assertEqual(
            self.hosts_of("gasnetrun_ucx", "-n", "2", GASNET_SSH_NODEFILE="hosts"),
            [("0", "a"), ("1", "b")],
        )
        with (self.folder / "hosts").open("ab") as hosts:
            hosts.truncate(5 << 30)
        for name in ("GASNET_SSH_NODEFILE", "GASNET_NODEFILE"):
            done = self.run_client(self.tool("gasnetrun_ucx"), "-n", "2", "prog", **{name: "hosts"})
            self.assert_told(done, "gasnetrun_ucx: the file of hosts hosts is longer than 16 MiB")

    def test_amudprun_starts_a_process_for_each_name(self):
        names = {"SSH_SERVERS": "a a b c"}
        self.assertEqual(self.hosts_of("amudprun", "-np", "3", **names), [("0-1", "a"), ("2", "b")])
        local = self.hosts_of("amudprun", "-np", "3", GASNET_SPAWNFN="L", **names)
        self.assertEqual(local, [("0-2", "")])
        done = self.run_client(
            self.tool("amudprun"),
            *("-np", "2", self.client, "words", "it's %N"),
            GASNET_SPAWNFN="C",
            GASNET_CSPAWN_CMD=f"{self.tool('gondwana')} run -n %N %C 100%%",
        )
        self.assertEqual(done.stdout, f"<{self.client}><words><it's %N><100%>\n" * 2)
        for variables, sentence in (
            ({"GASNET_SPAWNFN": "S"}, "GASNET_SSH_SERVERS, the names of hosts, is not set"),
            ({"GASNET_SPAWNFN": "C"}, "GASNET_CSPAWN_CMD, the command to run, is not set"),
            ({"GASNET_SPAWNFN": "Q"}, "GASNET_SPAWNFN=Q: expected L, S or C"),
        ):
            done = self.run_client(self.tool("amudprun"), "-np", "2", "prog", **variables)
            self.assert_told(done, f"amudprun: .*{sentence}")

    def test_one_machine_plays_the_nodes_that_a_launcher_is_asked_for(self):
        info = json.loads(self.say(self.tool("gondwana"), "info", "--json"))
        if not info["transports"]["libfabric"]["value"]:
            self.skipTest("without libfabric there is one node")
        words = (self.tool("gasnetrun_ofi"), "-N", "2", "-n", "4", self.client, "neighbors")
        done = self.run_client(*words, GASNET_SSH_SERVERS="localhost,localhost")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "2 neighbors, 4 on this of 1 hosts\n" * 4)

    def test_the_launcher_says_what_is_wrong(self):
        for words, sentence in {
            (): "-n is missing",
            ("-n",): "-n: the number is missing",
            ("-n", "x"): "-n x: expected a number above 0",
            ("-n", "2"): "no program to run",
            ("-n", "2", "-N", "2", "prog"): "no hosts are known; name them in GASNET_SSH_SERVERS",
            ("-q",): "-q is not an option",
            ("-n", "2", "prog", ":"): 'an argument ":"',
        }.items():
            with self.subTest(words=words):
                done = self.run_client(self.tool("gasnetrun_smp"), *words)
                self.assert_told(done, f"gasnetrun_smp: .*{sentence}")

    def test_addresses_of_functions_are_those_of_all_ranks(self):
        if (
            subprocess.run(
                ["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False
            ).returncode
            != 0
        ):
            self.skipTest("addresses of processes are chosen at random here, whatever they ask for")
        for command, ranks in (
            ((self.client,), 4),
            ((self.tool("gasnetrun_smp"), "-n", "4", self.client), 1),
        ):
            done = self.run_client(*command, "address", GASNET_PSHM_NODES=str(ranks))
            self.assertEqual(len(done.stdout.splitlines()), 4, done.stderr)
            self.assertEqual(len(set(done.stdout.splitlines())), 1)

    def test_what_a_rank_starts_is_no_new_job(self):
        done = self.run_client(self.client, "child", GASNET_PSHM_NODES="2")
        self.assert_ranks(done, 1)

    def test_wrong_numbers_of_ranks_are_told_to_who_initializes(self):
        for text in ("four", "0", "-1"):
            done = self.run_client(GASNET_PSHM_NODES=text)
            self.assert_told(done, f'gex_Client_Init: GASNET_PSHM_NODES "{text}": expected a whole')
        self.assertEqual(self.run_client(self.client, "alone", GASNET_PSHM_NODES="x").returncode, 0)
        done = self.run_client(self.client, ":", GASNET_PSHM_NODES="2")
        self.assert_told(done, 'GASNET_PSHM_NODES=2: .* the argument ":"')

    def test_a_library_without_the_command_says_where_it_looked(self):
        command = Path(self.tool("gondwana"))
        hidden = command.rename(command.with_name("hidden"))
        self.addCleanup(hidden.rename, command)
        done = self.run_client(GASNET_PSHM_NODES="2", PATH="")
        self.assert_told(done, f"GASNET_PSHM_NODES=2: .* neither {command} nor in PATH")

    def test_a_program_that_needs_the_library_by_another_starts_itself(self):
        flags = [*self.pkg_config("--cflags", "gasnet-smp-seq"), "-fPIC", "-shared", "-Dmain=start"]
        libraries = self.pkg_config("--libs", "gasnet-smp-seq")
        self.say(self.compiler, *flags, SOURCE, "-o", "libindirect.so", *libraries)
        (self.folder / "indirect.c").write_text(
            "int start(int, char **);\nint main(int c, char** v) { return start(c, v); }\n"
        )
        (library,) = self.pkg_config("--variable=libdir", "gasnet-smp-seq")
        self.say(
            self.compiler,
            "indirect.c",
            "-o",
            "indirect",
            "-L.",
            "-lindirect",
            "-Wl,-rpath,$ORIGIN",
            f"-Wl,-rpath-link,{library}",
        )
        self.assert_ranks(self.run_client("./indirect", GASNET_PSHM_NODES="2"), 2)
        self.check_loaded_late()

    def check_loaded_late(self):
        (self.folder / "late.c").write_text(
            "#include <dlfcn.h>\nint main(int c, char** v) {\n"
            '  void* library = dlopen("./libindirect.so", RTLD_NOW | RTLD_GLOBAL);\n'
            '  return ((int (*)(int, char**))dlsym(library, "start"))(c, v);\n}\n'
        )
        self.say(self.compiler, "late.c", "-o", "late", "-ldl")
        self.assert_ranks(self.run_client("./late"), 1)
        done = self.run_client("./late", GASNET_PSHM_NODES="2")
        self.assert_told(done, "late is not linked with libgondwana_gasnet.so .*gondwana run -n 2")

    def test_a_static_program_starts_itself_where_the_command_is_in_the_path(self):
        try:
            self.compile_with_pkg_config("static", "seq", "-static")
        except AssertionError as failure:
            self.skipTest(f"no static executable can be linked here: {failure}")
        done = self.run_client("./static", GASNET_PSHM_NODES="2", PATH="")
        self.assert_told(done, "GASNET_PSHM_NODES=2: .* nor in PATH")
        done = self.run_client("./static", GASNET_PSHM_NODES="2", PATH=str(self.prefix / "bin"))
        self.assert_ranks(done, 2)


class Environment(ClientCase):
    def segments(self, **variables):
        done = self.run_client(self.client, "segment", GASNET_PSHM_NODES="2", **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [int(line) for line in done.stdout.splitlines()]

    def test_the_size_of_segments_is_limited(self):
        mib = 1 << 20
        self.assertEqual(self.segments(GASNET_MAX_SEGSIZE="16.0MB/P"), [16 * mib] * 2)
        self.assertEqual(self.segments(GASNET_MAX_SEGSIZE="16MB/H"), [8 * mib] * 2)
        self.assertEqual(self.segments(GASNET_PHYSMEM_MAX="64M"), [32 * mib] * 2)

    def test_the_number_of_threads_is_known(self):
        threaded = self.compile_with_pkg_config("threaded", "par")
        for client, variables, expected in (
            (threaded, {"GASNET_MAX_THREADS": "8"}, "8\n"),
            (threaded, {}, "256\n"),
            (self.client, {"GASNET_MAX_THREADS": "8"}, "1\n"),
        ):
            self.assertEqual(self.run_client(client, "threads", **variables).stdout, expected)

    def test_what_means_nothing_here_does_no_harm(self):
        done = self.run_client(
            GASNET_PSHM_NODES="2",
            GASNET_QUIET="1",
            GASNET_SPAWNFN="L",
            SSH_SERVERS="a,b",
            GASNET_SSH_SERVERS="a,b",
            GASNET_SUPERNODE_MAXSIZE="2",
        )
        self.assert_ranks(done, 2)

    def test_what_cannot_be_done_is_told_once(self):
        for variable, sentence in {
            ("GASNET_MAX_SEGSIZE", "much"): 'GASNET_MAX_SEGSIZE "much": expected a size',
            ("GASNET_PHYSMEM_MAX", "-1"): 'GASNET_PHYSMEM_MAX "-1": expected a size',
            ("GASNET_MAX_THREADS", "0"): 'GASNET_MAX_THREADS "0": expected a whole number',
        }.items():
            with self.subTest(variable=variable):
                done = self.run_client(GASNET_PSHM_NODES="2", **dict([variable]))
                self.assert_told(done, f"rank \\d: gex_Client_Init: {sentence}")
                self.assertEqual(done.stderr.count("gex_Client_Init: "), 1, done.stderr)

    def test_the_environment_asks_for_checks_without_a_new_compilation(self):
        self.assertNotIn("GASNET_DEBUG", " ".join(self.pkg_config("--cflags", "gasnet-smp-seq")))
        words = (self.client, "poll-with-a-lock")
        done = self.run_client(*words, GASNET_PSHM_NODES="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.run_client(*words, GASNET_PSHM_NODES="1", GONDWANA_DEBUG="yes")
        self.assert_told(done, "gasnet_AMPoll: called while holding a handler-safe lock")

    def test_ranks_share_memory_with_as_many_as_they_are_told(self):
        info = json.loads(self.say(self.tool("gondwana"), "info", "--json"))
        if not info["transports"]["libfabric"]["value"]:
            self.skipTest("without libfabric all ranks must share memory")
        launchers = ((self.tool("gondwana"), "run"), (self.tool("gasnetrun_smp"),))
        for launcher in (*launchers, (self.tool("gondwana"), "run", "-x", MOST_TOGETHER)):
            with self.subTest(launcher=launcher):
                more = dict([MOST_TOGETHER.split("=")]) if "-x" not in launcher else {}
                words = (*launcher, "-n", "3", self.client, "neighbors")
                done = self.run_client(*words, **more)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                expected = [f"{count} neighbors, 3 on this of 1 hosts" for count in (1, 2, 2)]
                self.assertEqual(sorted(done.stdout.splitlines()), expected)

    def test_a_network_that_cannot_be_had_is_told_whoever_notices_first(self):
        info = json.loads(self.say(self.tool("gondwana"), "info", "--json"))
        if not info["transports"]["libfabric"]["value"]:
            self.skipTest("without libfabric another sentence comes first")
        words = (self.tool("gondwana"), "run", "-n", "2", self.client, "neighbors")
        done = self.run_client(*words, GONDWANA_NODE_RANKS="1", GONDWANA_PROVIDER="nonsense")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "(node agent on host .*|rank \\d): .*no provider nonsense")

    def test_the_variables_are_reported_where_that_is_asked_for(self):
        done = self.run_client(
            GASNET_PSHM_NODES="2", GASNET_VERBOSEENV="1", GASNET_MAX_SEGSIZE="1GB/P"
        )
        self.assertIn("GASNET_MAX_SEGSIZE = 1GB/P\n", done.stderr)
        self.assertIn("GASNET_SUPERNODE_MAXSIZE = 0 (default)\n", done.stderr)


if __name__ == "__main__":
    ClientCase.build, ClientCase.compiler = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
