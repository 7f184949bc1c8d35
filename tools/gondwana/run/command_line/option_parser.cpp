#include "run/command_line/option_parser.hpp"

#include "run/command_line/foreign_options.hpp"

namespace gondwana::launch {
namespace {

void add_program_options(CommandLine& line, Choices& choices) {
  line.option("-n,--np", "N", choices.ranks,
              "ranks to start; default: one for each usable processor");
  line.repeated(
      "-x,-E", "VAR[=VALUE]", choices.variables,
      "pass this environment variable to the ranks (on this host all are passed anyway), or set "
      "it; may be repeated");
  line.option("--heap", "SIZE", choices.heap, "symmetric heap of each rank: GONDWANA_HEAP_SIZE");
  line.option("--wdir", "DIR", choices.folder, "run the program in this folder");
  line.optional("--profile", "", choices.profile,
                "count calls of OpenSHMEM, GASNet-EX and ARMCI, and write a table at the end; with "
                "=FILE.html a page with pictures, for all programs of the job");
}

void add_trace_options(CommandLine& line, Choices& choices) {
  line.option("--trace", "FILE", choices.trace.file,
              "write the last operations of the ranks, with times, at the end and after a crash, "
              "for Perfetto");
  line.option("--trace-last", "SECONDS", choices.trace.last, "only its last seconds");
}

void add_output_options(CommandLine& line, Choices& choices) {
  line.flag("-l,--label,--tag-output", choices.streams.label, "write \"[RANK] \" before each line");
  line.flag("--timestamp-output", choices.streams.timestamps, "write the time before each line");
  line.option("--output", "DIR", choices.streams.folder,
              "write to DIR/rank.N.out and DIR/rank.N.err, unlabelled, instead of here");
  line.option("--stdin", "RANK", choices.streams.reader,
              "the rank that reads standard input, or none [0]");
}

void add_job_options(CommandLine& line, Choices& choices) {
  line.option("--timeout", "TIME", choices.timeout,
              "end the job after this time, in seconds or as 5m, 2h, 1d: status 124");
  line.option("--max-ranks", "M", choices.max_ranks,
              "let the job grow to M ranks while it runs, by shmemx_spawn [-n]");
  line.option("--on-death", "end|continue", choices.on_death,
              "what the death of a rank does: end the job, or let the others continue [end]");
  line.option("--restart", "N", choices.restart,
              "start a rank that dies again, at most N times in the job; implies --on-death "
              "continue");
  line.flag("--keep-memory", choices.flags.keeps_memory,
            "with --restart: the new process has the variables and heaps of the dead one");
  line.option("--bind-to", "none|core|numa|package", choices.binding.to,
              "bind each rank to its own core, numa domain or package [none]");
  line.option("--gdb", "RANKS", choices.gdb.ranks,
              "run these ranks under gdb, such as 0,3-5 or all: one rank here, several in tmux "
              "windows or xterms");
  line.option("--gdb-args", "WORDS", choices.gdb.arguments,
              "gdb starts the program with these arguments and prints as the rank: \"-batch -ex "
              "run -ex bt\"");
  line.flag("--report-bindings", choices.binding.is_reported,
            "print the processors on which each rank may run");
  line.flag("-v,--verbose", choices.flags.verbose, "print the programs that are started");
  line.flag("--show", choices.flags.show, "print the job, run nothing");
  line.flag("--oversubscribe,--allow-run-as-root", choices.flags.ignored,
            "accepted; always allowed");
}

void add_host_options(CommandLine& line, Choices& choices) {
  line.option("-H,--host,--hosts", "A:N,B:N,...", choices.hosts.list,
              "run on these hosts over ssh, with that many ranks on each (default: 1)");
  line.option("-f,--hostfile", "FILE", choices.hosts.file,
              "run on the hosts of this file, one in a line: NAME or NAME slots=N");
  line.option("-N,--ppn,--npernode", "N", choices.hosts.ranks_each, "number of ranks on each host");
  line.option("--map-by", "HOW", choices.hosts.mapping,
              "slot: fill the hosts in order, the default; ppr:N:node: as --ppn N");
}

// The options of `gondwana run`. Parsing sets `section`.
class RunLine : public CommandLine {
 public:
  explicit RunLine(Section& section)
      : CommandLine("run", "[OPTIONS] [--] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM ...]",
                    "Starts a program as the ranks of one job, on this machine or on several.\n"
                    "\n"
                    "  gondwana run -n 4 ./heat 100\n"
                    "  gondwana run --hosts node1:4,node2:4 ./heat 100\n"
                    "  gondwana run -n 1 ./master : -n 3 ./worker\n") {
    Choices& choices = section.choices;
    flag("--version", choices.flags.version, "print the version");
    add_program_options(*this, choices);
    add_trace_options(*this, choices);
    add_output_options(*this, choices);
    add_host_options(*this, choices);
    add_job_options(*this, choices);
    program("PROGRAM", section.program);
    names_elsewhere(&same_as_foreign);
    footer(
        "The exit status is the first nonzero one of any rank; 128 + n if signal n killed it; "
        "124 after --timeout. The first rank that dies ends the job, unless --on-death continue is "
        "given: then the status is that of the ranks that live. Signals are forwarded to the "
        "ranks; a rank that has not ended 5 s after INT or TERM, or at a second one, is killed.");
  }
};

}  // namespace

Result<Section> parse_options(std::span<const std::string> words) {
  Section section;
  RunLine line(section);
  if (const Result<void> parsed = line.parse(words); !parsed) return parsed.error();
  section.choices.flags.help = line.wants_help();
  return section;
}

std::string help_text() {
  Section section;
  return RunLine(section).help();
}

OptionList list_options() {
  Section section;
  return RunLine(section).list();
}

}  // namespace gondwana::launch
