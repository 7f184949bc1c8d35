"""Rounds: controls, rows, controls again; the core distance is measured before and after."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

from driver.case import Case, Run
from driver.figures import Figure
from driver.library import Build, Library
from driver.machine import distance_ns, processors
from driver.process import RunError, busy_loops, run

CONTROL = "control"  # the source of figures of control programs
MOVED = 1.5  # a round with a larger change of the distance is rejected
STOPWATCH_SAMPLES = 3

# The figures that one program measured: of its library, and of the control in the same process.
Side = dict[str, Figure]
Measured = dict[str, dict[str, Side]]  # source -> side -> name -> figure


@dataclass
class Outcome:
    """All rounds of one case."""

    case: Case
    rounds: list[Measured] = field(default_factory=list)
    distances: list[tuple[float, float]] = field(default_factory=list)
    rejected: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: str = ""  # why the case was not measured


def by_side(figures: list[Figure]) -> dict[str, Side]:
    """Divides figures into ours and control."""
    return {side: {f.name: f for f in figures if f.side == side} for side in ("ours", CONTROL)}


def mean_figure(first: Figure, second: Figure) -> Figure:
    """The control of a round, from its runs before and after the row."""
    return Figure(first.name, first.side, first.unit, fmean((first.median, second.median)),
                  fmean((first.p90, second.p90)), fmean((first.mean, second.mean)),
                  first.samples + second.samples)


class Rounds:
    """Measures one case, round by round."""

    def __init__(self, build: Build, case: Case, environment: dict[str, str]) -> None:
        self.build = build
        self.environment = environment
        self.outcome = Outcome(case)
        ours = (build.ours,) if build.ours else ()
        peers = [peer for peer in build.peers
                 if case.peers and all(peer.has(run.program) for run in case.runs)]
        self.libraries = [*ours, *peers]
        self.failures: Counter[str] = Counter()

    def controls(self) -> Side:
        """Runs every control program of the case once."""
        found: Side = {}
        for program, *arguments in self.outcome.case.controls:
            words = [a.format(control=self.build.folder / "control") for a in arguments]
            for figure in run([self.build.control(program), *words], self.environment):
                found[figure.name] = figure
        return found

    def command(self, library: Library, one: Run) -> list[str]:
        """The command of a row, under the stopwatch if the duration of the job is measured."""
        job = library.job(self.outcome.case.ranks, one)
        if not one.stopwatch:
            return job
        samples = STOPWATCH_SAMPLES if library is self.build.ours else 1
        watch = self.build.control("fork_exec")
        return [str(watch), one.stopwatch, "ours", "1", str(samples), *job]

    def row(self, library: Library) -> dict[str, Side] | None:
        """Runs a library's rows. A library that fails twice is not run again in this case."""
        figures = []
        try:
            for one in self.outcome.case.runs:
                environment = {**self.environment, **library.variables(one)}
                figures += run(self.command(library, one), environment)
        except RunError as failure:
            self.outcome.failures.append(f"{library.name}: {failure}")
            self.failures[library.name] += 1
            if self.failures[library.name] == 2:
                self.libraries.remove(library)
            return None
        return by_side(figures)

    def measure(self) -> Measured:
        """One round, without measuring the core distance."""
        measured: Measured = {}
        with busy_loops(self.build.control("busy"), self.outcome.case.busy):
            before = self.controls()
            for library in list(self.libraries):
                if (sides := self.row(library)) is not None:
                    measured[library.name] = sides
            after = self.controls()
        both = {name: mean_figure(before[name], after[name]) for name in before}
        measured[CONTROL] = {CONTROL: both, "ours": {}}
        return measured

    def attempt(self) -> None:
        """One round. It is rejected if the core distance changed or a control failed."""
        try:
            before = distance_ns(self.build, self.environment)
            measured = self.measure()
            after = distance_ns(self.build, self.environment)
        except RunError as failure:
            self.outcome.failures.append(f"a control: {failure}")
            return
        if max(before, after) > MOVED * min(before, after):
            self.outcome.rejected += 1
            return
        self.outcome.rounds.append(measured)
        self.outcome.distances.append((before, after))

    def run(self, rounds: int, progress: Callable[[Outcome], None]) -> Outcome:
        """Measures until enough rounds were accepted, or twice that number was tried."""
        has, needs = processors(), self.outcome.case.processors
        if has < needs:
            self.outcome.skipped = f"needs {needs} processors, here are {has}"
            return self.outcome
        for program, *_ in self.outcome.case.controls:
            if not self.build.control(program).exists():
                self.outcome.skipped = f"its control {program} is not built"
                return self.outcome
        for _ in range(2 * rounds):
            if len(self.outcome.rounds) == rounds or not self.libraries:
                break
            progress(self.outcome)
            self.attempt()
        return self.outcome
