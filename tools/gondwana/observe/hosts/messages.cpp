#include "observe/hosts/messages.hpp"

#include <algorithm>
#include <utility>

#include "bootstrap/protocol.hpp"
#include "observe/trace/wire.hpp"

// The fields of the messages in wire order, in the namespaces of the types so that the archive
// finds them.

namespace gondwana {

constexpr std::uint8_t enumerators(RankState /*state*/) {
  return 4;
}
constexpr std::uint8_t enumerators(Awaited::Relation /*relation*/) {
  return 7;
}
void fields(auto& archive, Of<Awaited> auto& awaited) {
  archive(awaited.value, awaited.words, awaited.size, awaited.is_signed, awaited.relation);
}

}  // namespace gondwana

namespace gondwana::jobs {

void fields(auto& archive, Of<RankCounts> auto& counts) {
  archive(counts.seen, counts.starting, counts.stopped, counts.waiting, counts.left);
  archive(counts.dead, counts.departed, counts.refused, counts.restarted);
}
void fields(auto& archive, Of<Row> auto& row) {
  archive(row.id, row.ranks, row.nodes, row.began_s, row.program, row.nodes_seen, row.hosts);
  archive(row.user);
  archive(row.counts);
  archive.expect(trace::is_job_id(row.id));
}
void fields(auto& archive, Of<Members> auto& members) {
  archive(members.first, members.stride, members.size);
}
void fields(auto& archive, Of<WaitSeen> auto& wait) {
  archive(wait.call, wait.peer, wait.team, wait.place, wait.word, wait.members, wait.seconds);
  archive(wait.lasts_throughout, wait.value, wait.awaited);
}
constexpr std::uint8_t enumerators(RankSeen::Process /*process*/) {
  return 4;
}
void fields(auto& archive, Of<RankSeen> auto& rank) {
  archive(rank.rank, rank.node, rank.pid, rank.process, rank.state, rank.wait, rank.waited);
  archive(rank.computed, rank.delayed, rank.counts, rank.messages, rank.pending, rank.calls);
  archive(rank.totals, rank.messages_total, rank.used_s, rank.is_in_exit, rank.tracer);
  archive(rank.is_dead, rank.has_left, rank.refused, rank.restarts);
  archive(rank.system_call, rank.polls, rank.device_copies, rank.served_copies);
}
void fields(auto& archive, Of<AgentSeen> auto& agent) {
  archive(agent.pid, agent.used_s, agent.computed, agent.batches, agent.batches_total);
  archive(agent.waiting, agent.leaving, agent.is_stopped, agent.tracer);
}
void fields(auto& archive, Of<NodeSeen> auto& node) {
  archive(node.node, node.first, node.ranks, node.host, node.processors, node.idle);
  archive(node.agent);
}

// Checks that nodes and ranks are sorted, and that each rank belongs to its node.
bool is_sound(const JobSeen& job) {
  const auto is_of_job = [&](const NodeSeen& node) {
    return node.node < job.nodes && node.node_ranks().are_among(job.ranks);
  };
  const auto is_of_node = [&](const RankSeen& rank) {
    const auto node = std::ranges::lower_bound(job.found, rank.node, {}, &NodeSeen::node);
    return node != job.found.end() && node->node == rank.node &&
           node->node_ranks().holds(Rank(rank.rank));
  };
  return trace::is_job_id(job.id) && job.ranks <= protocol::max_ranks && job.watched_s > 0 &&
         std::ranges::all_of(job.found, is_of_job) &&
         std::ranges::adjacent_find(job.found, std::ranges::greater_equal{}, &NodeSeen::node) ==
             job.found.end() &&
         std::ranges::adjacent_find(job.seen, std::ranges::greater_equal{}, &RankSeen::rank) ==
             job.seen.end() &&
         std::ranges::all_of(job.seen, is_of_node);
}

void fields(auto& archive, Of<JobSeen> auto& job) {
  archive(job.id, job.program, job.ranks, job.nodes, job.watched_s, job.is_traced, job.found);
  archive(job.seen);
  archive.expect(is_sound(job));
}

}  // namespace gondwana::jobs

namespace gondwana::stacks {

void fields(auto& archive, Of<Frame> auto& frame) {
  archive(frame.function, frame.file, frame.line, frame.module, frame.is_program, frame.address);
}
void fields(auto& archive, Of<ThreadStack> auto& stack) {
  archive(stack.thread, stack.name, stack.frames, stack.problem);
}
void fields(auto& archive, Of<Place> auto& place) {
  archive(place.rank, place.pid, place.host, place.threads, place.problem);
}

}  // namespace gondwana::stacks

namespace gondwana::hosts {

void fields(auto& archive, Of<List> auto& list) {
  archive(list.all);
}
void fields(auto& archive, Of<Watch> auto& watch) {
  archive(watch.job, watch.time_ms, watch.name_awaited_words);
}
void fields(auto& archive, Of<FindPlaces> auto& find) {
  archive(find.job, find.ranks);
}
void fields(auto& archive, Of<Greeting> auto& greeting) {
  archive(greeting.version, greeting.layout);
}
void fields(auto& archive, Of<Listed> auto& listed) {
  archive(listed.rows, listed.notes);
}
void fields(auto& archive, Of<Watched> auto& watched) {
  archive(watched.job);
}
void fields(auto& archive, Of<Places> auto& places) {
  archive(places.places);
}
void fields(auto& archive, Of<Trace> auto& trace) {
  archive(trace.job, trace.time_ms);
}
void fields(auto& /*archive*/, Of<AskTime> auto& /*nothing*/) {}
void fields(auto& archive, Of<Traced> auto& traced) {
  archive(traced.nodes);
}
void fields(auto& archive, Of<Time> auto& time) {
  archive(time.ns);
  archive.expect(trace::is_possible_time(time.ns));
}
void fields(auto& archive, Of<Part> auto& part) {
  archive(part.kind, part.bytes, part.is_last);
  archive.expect(part.kind < std::variant_size_v<Message> - 1);
}

namespace {

constexpr link::MessageSet message_set{.name = "a message between gondwana and its observer",
                                       .mark = "GdOs",
                                       .version = 4,
                                       .has_tags = false,
                                       .kinds = std::variant_size_v<Message>,
                                       .max_payload = 1U << 30,
                                       .former_mark = "GdOb"};
constexpr auto any_will_do = [](const auto& /*checked by its fields*/) { return true; };

}  // namespace

std::string encode(const Message& message) {
  return encode(message, std::size_t{1} << 28);
}

std::string encode(const Message& message, std::size_t longest) {
  const std::string bytes = link::payload_of(message);
  if (bytes.size() <= longest) return link::make_frame(message_set, message.index(), 0, bytes);
  std::string frames;
  for (std::size_t begin = 0; begin < bytes.size(); begin += longest)
    frames +=
        link::encode(message_set,
                     Message(Part{static_cast<std::uint16_t>(message.index()),
                                  bytes.substr(begin, longest), begin + longest >= bytes.size()}),
                     0);
  return frames;
}

MessageParser::MessageParser() : cutter_(message_set, 0) {}

Result<std::optional<Message>> MessageParser::next() {
  for (;;) {
    Result<std::optional<Message>> message = cutter_.next_message<Message>(any_will_do);
    if (!message || !*message) return message;
    const auto* part = std::get_if<Part>(&**message);
    if (part == nullptr) return message;
    parts_ += part->bytes;
    if (part->is_last)
      return link::decode<Message>(message_set, part->kind, std::exchange(parts_, {}), any_will_do);
  }
}

}  // namespace gondwana::hosts
