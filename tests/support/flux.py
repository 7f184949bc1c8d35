"""A stand-in for `flux run`: starts ranks with its variables and answers over PMI_FD as Flux does.

The form of the answers and the limits are those of flux-core's PMI-1 server. Spawning and names are
refused there, and the name of the key-value space is ignored.
"""

import os
import selectors
import socket
import subprocess

ANSWERS = {
    "init": "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1",
    "get_maxes": "cmd=maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024",
    "get_my_kvsname": "cmd=my_kvsname rc=0 kvsname=ƒ2ab",
    "get_universe_size": "cmd=universe_size rc=0 size=1",
    "put": "cmd=put_result rc=0",
    "abort": "",
    "finalize": "cmd=finalize_ack rc=0",
}
KEY, VALUE = 64, 1024  # bytes, with a zero at the end


class Rank:
    def __init__(self, number: int, size: int, words: list[str], variables: dict[str, str]):
        self.server, client = socket.socketpair()
        self.text = b""
        os.set_inheritable(client.fileno(), True)
        flux = {
            "FLUX_JOB_ID": "ƒ2ab",
            "FLUX_JOB_SIZE": str(size),
            "FLUX_JOB_NNODES": "1",
            "FLUX_TASK_RANK": str(number),
            "FLUX_TASK_LOCAL_ID": str(number),
            "PMI_FD": str(client.fileno()),
            "PMI_RANK": str(number),
            "PMI_SIZE": str(size),
        }
        self.process = subprocess.Popen(
            words,
            env={**variables, **flux},
            pass_fds=[client.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        client.close()

    def say(self, line: str) -> None:
        self.server.sendall((line + "\n").encode())


class Flux:
    def __init__(self, size: int, words: list[str], variables: dict[str, str]):
        self.values: dict[str, str] = {}
        self.in_barrier: list[Rank] = []
        self.ranks = [Rank(number, size, words, variables) for number in range(size)]

    def run(self, watchdog: float) -> list[tuple[int, str, str]]:
        """The status and the output of each rank."""
        with selectors.DefaultSelector() as selector:
            for rank in self.ranks:
                selector.register(rank.server, selectors.EVENT_READ, rank)
            while selector.get_map():
                if not (ready := selector.select(watchdog)):
                    raise TimeoutError("the ranks are silent")
                for key, _ in ready:
                    if not self.hear(key.data):
                        selector.unregister(key.fileobj)
        ends = [rank.process.communicate(timeout=watchdog) for rank in self.ranks]
        return [(rank.process.returncode, *end) for rank, end in zip(self.ranks, ends, strict=True)]

    def hear(self, rank: Rank) -> bool:
        """False once the connection has ended. Flux ends it after `finalize`."""
        received = rank.server.recv(4096)
        rank.text += received
        while b"\n" in rank.text:
            line, _, rank.text = rank.text.partition(b"\n")
            words = dict(word.partition("=")[::2] for word in line.decode().split())
            self.answer(rank, words)
            if words["cmd"] == "finalize":
                rank.server.close()
                return False
        return bool(received)

    def answer(self, rank: Rank, words: dict[str, str]) -> None:
        command = words["cmd"]
        if command == "barrier_in":
            self.in_barrier.append(rank)
            if len(self.in_barrier) == len(self.ranks):
                for each in self.in_barrier:
                    each.say("cmd=barrier_out rc=0")
                self.in_barrier = []
        elif command == "get":
            value = self.values.get(words["key"])
            found = "rc=-1" if value is None else f"rc=0 value={value}"
            rank.say(f"cmd=get_result {found}")
        else:
            if command == "put":
                assert len(words["key"]) < KEY and len(words["value"]) < VALUE, words
                self.values[words["key"]] = words["value"]
            rank.say(ANSWERS[command])
