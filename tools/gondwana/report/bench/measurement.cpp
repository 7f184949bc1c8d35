#include "report/bench/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/own_files.hpp"
#include "report/bench/installed_file.hpp"
#include "report/bench/job_costs.hpp"
#include "report/bench/output_of.hpp"
#include "report/bench/peer.hpp"
#include "report/bench/progress.hpp"

namespace gondwana::bench {
namespace {

// Our program and the peers alternate after some rounds, so that both see the same machine. Without
// a peer the program restarts as often: each process has its memory elsewhere, which changes small
// times.
std::uint32_t turns_of(const Choices& choices) {
  constexpr std::uint32_t max_turns = 5;
  return std::min(max_turns, choices.rounds);
}

// The steps that progress reports. For jobs a step is a round, which includes the peers.
std::uint32_t steps_of(const Choices& choices) {
  if (choices.subject.kind == Kind::job) return choices.rounds;
  return turns_of(choices) * static_cast<std::uint32_t>(1 + choices.peers.size());
}

Result<std::string> find_program(const Choices& choices) {
  return find_file(choices.subject.programs.of(choices.door), GONDWANA_MODULES "/bench");
}

std::vector<std::string> own_job(const std::string& program, const Choices& choices,
                                 std::uint32_t ranks) {
  if (choices.hosts.empty())
    return {own_path().string(), "run", "-n", fmt::to_string(ranks), program};
  return {own_path().string(), "run", "--hosts", choices.hosts, program};
}

Result<std::vector<Series>> run(std::vector<std::string> job, const Choices& choices,
                                std::uint32_t rounds) {
  job.insert(job.end(), {std::string(choices.subject.group), fmt::to_string(rounds),
                         fmt::to_string(choices.smallest), fmt::to_string(choices.largest)});
  const Result<std::string> output = output_of(job);
  if (!output) return output.error();
  return read_samples(*output);
}

class Measurements {
 public:
  Measurements(const std::vector<Choices>& all, bool shows_progress) : all_(all) {
    // With several subjects, steps differ too much for an estimate.
    if (shows_progress) progress_.emplace(all.size() == 1 ? steps_of(all.front()) : 0);
  }

  Result<void> prepare_peers();
  Result<Measured> measure(std::size_t index);

 private:
  // The rounds of one turn, counted from 1.
  struct Turn {
    std::size_t index;
    std::uint32_t first;
    std::uint32_t last;
  };

  Result<Measured> measure_jobs(std::size_t index);
  Result<void> run_turn(const Turn& turn, Measured& measured);
  Result<void> run_peer(const Turn& turn, std::size_t number, Measured& measured);
  const std::string& name_of_peer(const Peer& peer);
  Measured begin(std::size_t index);
  void tell(const Turn& turn, std::string_view library);

  const std::vector<Choices>& all_;
  std::optional<PeerPrograms> programs_;
  std::map<std::string, std::string> names_;  // of peers, by their keys
  std::optional<Progress> progress_;
};

// A build failure is reported before anything runs.
Result<void> Measurements::prepare_peers() {
  if (std::ranges::all_of(all_, [](const Choices& one) { return one.peers.empty(); })) return {};
  Result<std::string> sources = find_file("source", GONDWANA_DATA "/bench");
  if (!sources) return sources.error();
  Result<PeerPrograms> programs = PeerPrograms::prepare(*std::move(sources));
  if (!programs) return programs.error();
  programs_.emplace(*std::move(programs));
  for (const Choices& choices : all_)
    for (const Peer& peer : choices.peers) {
      const Result<std::string> built =
          programs_->program(peer, choices.subject.programs.of(choices.door));
      if (!built) return built.error();
    }
  return {};
}

const std::string& Measurements::name_of_peer(const Peer& peer) {
  std::string& name = names_[peer.key];
  if (name.empty()) name = name_of(peer);
  return name;
}

Measured Measurements::begin(std::size_t index) {
  Measured measured{all_[index], {}, {}};
  for (const Peer& peer : all_[index].peers) measured.peers.push_back(name_of_peer(peer));
  return measured;
}

void Measurements::tell(const Turn& turn, std::string_view library) {
  if (!progress_) return;
  const Choices& choices = all_[turn.index];
  const std::string rounds = turn.first == turn.last
                                 ? fmt::format("round {}", turn.first)
                                 : fmt::format("rounds {} to {}", turn.first, turn.last);
  const std::string what =
      fmt::format("{} ({} of {}), {}, {} of {}", choices.subject.name, turn.index + 1, all_.size(),
                  library, rounds, choices.rounds);
  progress_->begin(what, turn.first == 1 && library == "Gondwana");
}

Result<void> Measurements::run_peer(const Turn& turn, std::size_t number, Measured& measured) {
  const Choices& choices = all_[turn.index];
  const Peer& peer = choices.peers[number];
  tell(turn, measured.peers[number]);
  const Result<std::string> program =
      programs_->program(peer, choices.subject.programs.of(choices.door));
  if (!program) return program.error();
  for (const std::uint32_t ranks : choices.rank_counts()) {
    const Result<std::vector<Series>> theirs =
        run(job_of(peer, *program, ranks, choices.hosts), choices, turn.last - turn.first + 1);
    if (!theirs) return theirs.error();
    append_peer(measured.series, number, *theirs);
  }
  return {};
}

Result<void> Measurements::run_turn(const Turn& turn, Measured& measured) {
  tell(turn, "Gondwana");
  const Choices& choices = all_[turn.index];
  const Result<std::string> program = find_program(choices);
  if (!program) return program.error();
  for (const std::uint32_t ranks : choices.rank_counts()) {
    const Result<std::vector<Series>> ours =
        run(own_job(*program, choices, ranks), choices, turn.last - turn.first + 1);
    if (!ours) return ours.error();
    append(measured.series, *ours);
  }
  for (std::size_t peer = 0; peer < choices.peers.size(); ++peer)
    if (const Result<void> run = run_peer(turn, peer, measured); !run) return run;
  return {};
}

// A round runs one job of Gondwana and one job of each peer for each number of ranks.
Result<Measured> Measurements::measure_jobs(std::size_t index) {
  const Choices& choices = all_[index];
  const Result<std::string> program = find_program(choices);
  if (!program) return program.error();
  const JobCommand own = [&](std::uint32_t ranks) { return own_job(*program, choices, ranks); };
  std::vector<JobCommand> peers;
  Measured measured = begin(index);
  for (const Peer& peer : choices.peers) {
    const Result<std::string> built =
        programs_->program(peer, choices.subject.programs.of(choices.door));
    if (!built) return built.error();
    peers.emplace_back(
        [&peer, path = *built](std::uint32_t ranks) { return job_of(peer, path, ranks, {}); });
  }
  for (std::uint32_t round = 1; round <= choices.rounds; ++round) {
    tell({index, round, round}, "Gondwana");
    const Result<void> added = add_round_of_jobs(choices, own, peers, measured.series);
    if (!added) return added.error();
  }
  finish_jobs(choices, measured.series);
  return measured;
}

Result<Measured> Measurements::measure(std::size_t index) {
  const Choices& choices = all_[index];
  if (choices.subject.kind == Kind::job) return measure_jobs(index);
  const std::uint32_t turns = turns_of(choices);
  Measured measured = begin(index);
  std::uint32_t done = 0;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint32_t last = done + (choices.rounds + turn) / turns;
    const Result<void> run = run_turn({index, done + 1, last}, measured);
    if (!run) return run.error();
    done = last;
  }
  group_operations(measured.series);
  return measured;
}

}  // namespace

Outcome measure(const std::vector<Choices>& all, bool shows_progress) {
  Measurements measurements(all, shows_progress);
  if (const Result<void> prepared = measurements.prepare_peers(); !prepared)
    return {{}, {prepared.error()}};
  Outcome outcome;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Result<Measured> measured = measurements.measure(i);
    if (measured)
      outcome.found.push_back(*std::move(measured));
    else
      outcome.failures.push_back({measured.error().code, fmt::format("{}: {}", all[i].subject.name,
                                                                     measured.error().text)});
  }
  return outcome;
}

}  // namespace gondwana::bench
