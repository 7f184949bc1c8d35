#include "run/remote/frames.hpp"

#include <algorithm>
#include <type_traits>

#include "bootstrap/protocol.hpp"
#include "core/fingerprint.hpp"

namespace gondwana::binding {

constexpr std::uint8_t enumerators(Binding /*binding*/) {
  return 4;
}

}  // namespace gondwana::binding

namespace gondwana {

constexpr std::uint8_t enumerators(OnDeath /*what*/) {
  return 2;
}
constexpr std::uint8_t enumerators(DeathKind /*how*/) {
  return 3;
}
void fields(auto& archive, Of<Session> auto& session) {
  archive(session.first, session.ranks);
}
void fields(auto& archive, Of<SpawnCommand> auto& command) {
  archive(command.folder, command.words, command.hosts);
}
void fields(auto& archive, Of<WorldEntry> auto& entry) {
  archive(entry.rank, entry.process, entry.numbers, entry.epoch);
}
void fields(auto& archive, Of<WorldDecision> auto& decision) {
  archive(decision.turn, decision.size, decision.deaths, decision.numbers, decision.epoch);
}
void fields(auto& archive, Of<DeadRank> auto& dead) {
  archive(dead.rank, dead.incarnation);
}
void fields(auto& archive, Of<RankDeath> auto& death) {
  archive(death.process, death.how);
}
void fields(auto& archive, Of<ShrinkEntry> auto& entry) {
  archive(entry.team, entry.first, entry.turn, entry.size, entry.rank);
  archive(entry.deaths, entry.dead, entry.numbers, entry.epoch);
}
void fields(auto& archive, Of<ShrinkDecision> auto& decision) {
  archive(decision.team, decision.first, decision.turn);
  archive(decision.deaths, decision.numbers, decision.epoch);
}

}  // namespace gondwana

namespace gondwana::launch {
namespace {

// Slightly more than the longest line that a LineForwarder holds.
constexpr std::uint32_t max_payload = 96U << 20;
constexpr link::MessageSet frame_set{.name = "a message between the hosts of the job",
                                     .mark = "GdFr",
                                     .version = 10,
                                     .has_tags = true,
                                     .kinds = std::variant_size_v<Frame>,
                                     .max_payload = max_payload};

}  // namespace

// The fields of the messages, in wire order.
void fields(auto& archive, Of<Program> auto& program) {
  archive(program.ranks, program.words, program.environment, program.folder);
}
void fields(auto& archive, Of<Share> auto& share) {
  archive(share.node, share.nodes, share.first, share.total, share.peer_timeout_s);
  archive(share.max_total, share.session, share.added_nodes, share.spare_nodes, share.began_s);
  archive(share.incarnations, share.past_changes);
}
void fields(auto& archive, Of<TraceOptions> auto& trace) {
  archive(trace.file, trace.after_failure, trace.last_ms);
}
void fields(auto& archive, Of<Job> auto& job) {
  archive(job.programs, job.share, job.streams.folder, job.streams.reader, job.binding.to);
  archive(job.binding.is_reported, job.verbose, job.streams.prompts, job.trace, job.on_death);
  archive(job.max_ranks, job.restart.times, job.restart.keeps_memory);
}
constexpr std::uint8_t enumerators(Standard /*which*/) {
  return 2;
}
void fields(auto& archive, Of<NodeRow> auto& row) {
  archive(row.node, row.epoch, row.info);
}
// All members, in order.
void fields(auto& archive, OneOf<Frame> auto& frame) {
  constexpr std::size_t members = structure::count<std::remove_cvref_t<decltype(frame)>>();
  static_assert(members <= 5, "add a line here");
  if constexpr (members == 1) {
    auto& [only] = frame;
    archive(only);
  } else if constexpr (members == 2) {
    auto& [first, second] = frame;
    archive(first, second);
  } else if constexpr (members == 3) {
    auto& [first, second, third] = frame;
    archive(first, second, third);
  } else if constexpr (members == 4) {
    auto& [first, second, third, fourth] = frame;
    archive(first, second, third, fourth);
  } else if constexpr (members == 5) {
    auto& [first, second, third, fourth, fifth] = frame;
    archive(first, second, third, fourth, fifth);
  }
}

namespace {

// exec ends an argument at the first zero byte.
bool is_for_exec(const std::string& text) {
  return text.find('\0') == std::string::npos;
}

bool plausible(const Program& program) {
  return program.ranks >= 1 && !program.words.empty() &&
         std::ranges::all_of(program.words, is_for_exec) &&
         std::ranges::all_of(program.environment, is_for_exec) && is_for_exec(program.folder);
}

// Added ranks have higher numbers than all ranks of the start. Ranks that are started again on a
// new node keep their numbers.
bool plausible(const Share& share) {
  const std::uint64_t end = std::uint64_t{share.session.first} + share.session.ranks;
  if (!share.joins_later())
    return share.node < share.nodes && share.added_nodes == 0 && !share.is_replacement();
  const bool are_later = share.is_replacement() || share.session.first >= share.total;
  return are_later && end <= share.capacity() && share.nodes > 1 &&
         share.node - share.nodes < share.added_nodes &&
         share.added_nodes <= share.node_capacity() - share.nodes;
}

bool plausible(const Task& task) {
  const Job& job = task.job;
  const Share& share = job.share;
  std::uint64_t ranks = 0;
  for (const Program& program : job.programs) ranks += program.ranks;
  const bool has_place = share.total <= protocol::max_ranks && ranks <= share.capacity() &&
                         share.max_total <= protocol::max_ranks &&
                         share.spare_nodes <= RestartWish::most_nodes &&
                         (!share.is_replacement() || share.incarnations.size() == ranks) &&
                         job.node_ranks().are_among(share.capacity()) &&
                         share.nodes <= protocol::max_ranks && share.node < share.node_capacity();
  return !job.programs.empty() && has_place && plausible(share) &&
         std::ranges::all_of(job.programs, [](const Program& one) { return plausible(one); }) &&
         std::ranges::all_of(task.environment, is_for_exec) && is_for_exec(task.folder) &&
         is_for_exec(job.streams.folder) && is_for_exec(job.trace.file);
}
bool plausible(const Signal& signal) {
  return signal.number >= 1 && signal.number <= 64;
}
bool plausible(const NodeRows& update) {
  return std::ranges::all_of(update.rows, [](const NodeRow& row) {
    return row.node < protocol::max_ranks && row.info.size() <= longest_node_info;
  });
}
bool plausible(const ThisNode& info) {
  return info.info.size() <= longest_node_info;
}
bool plausible(const Output& output) {
  return output.rank < protocol::max_ranks;
}
bool plausible(const End& end) {
  return end.status <= 255;
}
bool plausible(const Stopping& stopping) {
  return stopping.status <= 255;
}
bool plausible(const Ended& ended) {
  return ended.status <= 255;
}
bool plausible(const DeadRank& process) {
  return process.rank < protocol::max_ranks && process.incarnation <= RestartWish::most;
}
bool plausible(const RanksDied& died) {
  return died.status <= 255 && !died.ranks.empty() &&
         std::ranges::all_of(died.ranks, [](const DeadRank& each) { return plausible(each); });
}
bool plausible(const DeadRanks& dead) {
  return dead.first > 0 && !dead.ranks.empty() &&
         std::ranges::all_of(dead.ranks,
                             [](const RankDeath& each) { return plausible(each.process); });
}
bool plausible(const RankRuns& runs) {
  return plausible(runs.process);
}
bool plausible(const ShrinkEntry& entry) {
  return entry.team < NodePlan::max_teams && entry.size <= protocol::max_ranks &&
         entry.rank < protocol::max_ranks && entry.dead < entry.size;
}
bool plausible(const Shrunk& shrunk) {
  return shrunk.decision.team < NodePlan::max_teams;
}
bool plausible(const MoreWanted& wanted) {
  return wanted.ranks >= 1 && wanted.ranks <= protocol::max_ranks &&
         wanted.from < protocol::max_ranks && is_for_exec(wanted.command.folder) &&
         std::ranges::all_of(wanted.command.words, is_for_exec);
}
bool plausible(const Grown& grown) {
  return grown.ranks <= protocol::max_ranks &&
         grown.nodes <= protocol::max_ranks + RestartWish::most_nodes;
}
bool plausible(const Arrived& arrived) {
  return arrived.rank < protocol::max_ranks;
}
bool plausible(const WorldEntry& entry) {
  return entry.rank < protocol::max_ranks;
}
bool plausible(const WorldDecision& decision) {
  return decision.turn > 0 && decision.size <= protocol::max_ranks;
}
bool plausible(const Left& left) {
  return left.rank < protocol::max_ranks;
}
// Nanoseconds of some clock, up to 30 years, so differences of two times are valid.
bool plausible(const Pong& pong) {
  constexpr std::uint64_t max_wait_ns = std::uint64_t{1} << 60;
  return pong.sent_ns < max_wait_ns && pong.time_ns < max_wait_ns;
}
bool plausible(const auto& /*any bytes will do*/) {
  return true;
}

}  // namespace

std::string encode(const Frame& frame, std::uint64_t tag) {
  return link::encode(frame_set, frame, tag);
}

FrameParser::FrameParser(std::uint64_t tag) : cutter_(frame_set, tag) {}

Result<std::optional<Frame>> FrameParser::next() {
  return cutter_.next_message<Frame>([](const auto& frame) { return plausible(frame); });
}

}  // namespace gondwana::launch
