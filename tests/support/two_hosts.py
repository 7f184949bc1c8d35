"""Two hosts on one machine for the duration of a test, and the faults between them.

Each host has its own network, name, processes, /etc/hosts and /dev/shm, and an ssh server. A wire
joins them. Nothing of them is visible outside. All of it ends with the process that made it, even
when that process is killed: the kernel ends every process of a host together with its first one.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from processes import TIMEOUT, children_of, command_line, eventually, process_ids

PREFIX = "two-hosts-"
NAMES = ("host-a", "host-b")
ADDRESSES = {"host-a": "192.0.2.1", "host-b": "192.0.2.2"}  # reserved for examples
WIRE = "wire0"

SERVER = """
ListenAddress {address}
HostKey {folder}/key
PidFile none
AuthorizedKeysFile {folder}/key.pub
PasswordAuthentication no
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
MaxStartups 100
"""

CLIENT = """
Host *
  IdentityFile {folder}/key
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""

LOSSES = """
table inet fault {{
  chain into {{ type filter hook input priority 0; iifname "{wire}" {rule}; }}
  chain out {{ type filter hook output priority 0; oifname "{wire}" {rule}; }}
}}
"""

RESETS = """
table inet fault {{
  chain into {{
    type filter hook input priority 0;
    iifname "{wire}" meta l4proto tcp reject with tcp reset;
  }}
}}
"""


WALL = """
table inet fault {{
  chain into {{
    type filter hook input priority 0;
    iifname "{wire}" tcp dport 22 accept;
    iifname "{wire}" tcp sport 22 accept;
    iifname "{wire}" meta l4proto tcp {verdict};
  }}
}}
"""


def die_with_parent() -> None:
    parent_death_signal = 1
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)


def why_not(*more_commands: str) -> str:
    """Why this machine cannot play two hosts; empty: it can."""
    if os.geteuid() != 0:
        return "two hosts need root"
    for command in (
        "unshare",
        "nsenter",
        "ip",
        "mount",
        "ssh",
        "ssh-keygen",
        "sshd",
        *more_commands,
    ):
        if find_command(command) is None:
            return f"two hosts need the command {command}"
    tried = subprocess.run(
        ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        "" if tried.returncode == 0 else f"this machine makes no namespaces: {tried.stderr.strip()}"
    )


def find_command(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def remove_leftovers() -> None:
    """Folders of killed tests: only these outlive them."""
    for name in os.listdir(tempfile.gettempdir()):
        owner = name.removeprefix(PREFIX).partition("-")[0]
        if name.startswith(PREFIX) and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)


class OnHost(subprocess.Popen):
    """A command on a host. `pid` is the id of nsenter, which exits as the command does."""

    @property
    def command_pid(self) -> int:
        """As this process sees it, not as the host does."""
        found = eventually(lambda: children_of(self.pid) or self.poll() is not None, 5)
        return found[0] if isinstance(found, list) else 0

    def send_signal(self, sig: int) -> None:
        if self.poll() is None and (pid := self.command_pid):
            os.kill(pid, sig)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class TwoHosts:
    """Made by `start`, ended by `stop`."""

    def __init__(self) -> None:
        remove_leftovers()
        self.folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
        os.chmod(self.folder, 0o755)
        self.holders: dict[str, subprocess.Popen] = {}
        self.first_pids: dict[str, int] = {}
        self.is_broken = False

    # For tests.

    @property
    def ssh(self) -> str:
        """The command that leads from one host to the other."""
        return f"ssh -F {self.folder}/client"

    def on(self, host: str, words: list[str], **more) -> OnHost:
        """Starts a command there, in this folder or in `cwd`."""
        enter = ["nsenter", "-t", str(self.first_pids[host]), "-n", "-u", "-m", "-p"]
        folder = more.pop("cwd", os.getcwd())
        # Another view of the files needs another folder.
        step = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", folder]
        return OnHost([*enter, *step, *words], **more)

    def run_on(self, host: str, words: list[str], **more) -> subprocess.CompletedProcess:
        """Runs a short command there to its end."""
        job = self.on(
            host, words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
        )
        out, err = job.communicate(timeout=TIMEOUT)
        return subprocess.CompletedProcess(words, job.returncode, out, err)

    def processes(self, host: str) -> dict[int, str]:
        """The processes there except its server: ids as seen from here, and command lines."""
        space = os.readlink(f"/proc/{self.first_pids[host]}/ns/pid")
        found = {}
        for pid in process_ids():
            try:
                if pid == self.first_pids[host] or os.readlink(f"/proc/{pid}/ns/pid") != space:
                    continue
            except OSError:  # gone meanwhile
                continue
            line = command_line(pid)
            if line and not line.startswith("sshd") and "/sshd " not in line:
                found[pid] = line
        return found

    # Faults; each on the second host's end of the wire.

    def lose(self, percent: int) -> None:
        """Drops `percent` of the packets, each way."""
        rule = f"numgen random mod 100 < {percent} drop"
        self.filter(LOSSES.format(wire=WIRE, rule=rule))

    def swallow(self) -> None:
        """Drops all packets silently, as if the other host had lost its power."""
        self.filter(LOSSES.format(wire=WIRE, rule="drop"))

    def reset(self) -> None:
        """Answers every TCP packet with a reset, as if the other host had rebooted."""
        self.filter(RESETS.format(wire=WIRE))

    def wall(self, verdict: str) -> None:
        """A firewall that accepts only ssh and applies `verdict` to the rest."""
        self.filter(WALL.format(wire=WIRE, verdict=verdict))

    def cut(self) -> None:
        self.is_broken = True
        self.checked("host-b", ["ip", "link", "set", WIRE, "down"])

    def repair(self) -> None:
        if not self.is_broken:
            return
        self.checked("host-b", ["ip", "link", "set", WIRE, "up"])
        if find_command("nft"):
            self.run_on("host-b", ["nft", "delete", "table", "inet", "fault"])
        # The kernel retries a host that did not answer only after a while.
        if not eventually(self.both_answer):
            raise RuntimeError("the hosts do not reach each other again")
        self.is_broken = False

    def filter(self, rules: str) -> None:
        self.is_broken = True
        path = f"{self.folder}/rules"
        with open(path, "w", encoding="ascii") as file:
            file.write(rules)
        self.checked("host-b", ["nft", "-f", path])

    # Start and end.

    def start(self) -> None:
        try:
            self.write_files()
            for name in NAMES:
                self.start_host(name)
            self.join_hosts()
            for name in NAMES:
                self.start_server(name)
            if not eventually(self.both_answer):
                raise RuntimeError("the hosts do not reach each other by ssh")
        except BaseException:
            self.stop()
            raise

    def write_files(self) -> None:
        key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/key"]
        subprocess.run(key, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        hosts = "127.0.0.1 localhost\n" + "".join(f"{ADDRESSES[name]} {name}\n" for name in NAMES)
        files = {"hosts": hosts, "client": CLIENT.format(folder=self.folder)}
        for name in NAMES:
            files[f"server-{name}"] = SERVER.format(folder=self.folder, address=ADDRESSES[name])
        for name, text in files.items():
            with open(f"{self.folder}/{name}", "w", encoding="ascii") as file:
                file.write(text)

    def start_host(self, name: str) -> None:
        # A PID namespace whose first process is ours: the kernel ends all others with it.
        spaces = ["--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child=KILL"]
        holder = subprocess.Popen(
            ["unshare", *spaces, "--mount-proc", sys.executable, __file__, name, self.folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        self.holders[name] = holder
        if holder.stdout.readline() != "ready\n":
            raise RuntimeError(f"{name} did not start")
        self.first_pids[name] = children_of(holder.pid)[0]

    def join_hosts(self) -> None:
        first, second = (str(self.first_pids[name]) for name in NAMES)
        # Made inside, so that its names are never visible outside.
        make = ["ip", "link", "add", WIRE, "type", "veth", "peer", "name", WIRE, "netns", second]
        subprocess.run(["nsenter", "-t", first, "-n", *make], check=True)
        for name in NAMES:
            self.checked(name, ["ip", "address", "add", f"{ADDRESSES[name]}/24", "dev", WIRE])
            for link in ("lo", WIRE):
                self.checked(name, ["ip", "link", "set", link, "up"])

    def start_server(self, name: str) -> None:
        words = [find_command("sshd"), "-f", f"{self.folder}/server-{name}"]
        self.checked(name, [*words, "-E", f"{self.folder}/log-{name}"])

    def both_answer(self) -> bool:
        pairs = (NAMES, NAMES[::-1])
        return all(
            self.run_on(here, [*self.ssh.split(), there, "hostname"]).stdout == f"{there}\n"
            for here, there in pairs
        )

    def checked(self, host: str, words: list[str]) -> None:
        done = self.run_on(host, words)
        if done.returncode != 0:
            raise RuntimeError(f"{host}: {' '.join(words)}: {done.stderr.strip()}")

    def stop(self) -> None:
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
            holder.stdout.close()
        self.holders.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


def hold(name: str, folder: str) -> None:
    """The first process of a host: makes it, then reaps ended processes while it lives."""
    mounts = (
        ["--bind", f"{folder}/hosts", "/etc/hosts"],
        ["-t", "tmpfs", "tmpfs", "/dev/shm"],
        ["-t", "tmpfs", "tmpfs", "/run"],
    )
    for words in mounts:
        subprocess.run(["mount", *words], check=True)
    os.mkdir("/run/sshd")
    subprocess.run(["hostname", name], check=True)
    print("ready", flush=True)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            time.sleep(0.05)


if __name__ == "__main__":
    hold(*sys.argv[1:])
