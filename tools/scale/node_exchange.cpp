#include "node_exchange.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "bootstrap/job_memory.hpp"
#include "core/options.hpp"
#include "core/variables.hpp"
#include "remote/agent/agent.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::scale {
namespace {

// The contact of an agent on this machine, over the network that a job on several nodes would use.
Result<NodeContact> contact_of_agent() {
  const Result<Options> options = read_options(own_environment());
  if (!options) return options.error();
  Result<network::Settings> settings = network::settings_of(*options);
  if (!settings) return settings.error();
  if (!settings->subnet) settings->subnet = *network::parse_subnet("127.0.0.0/8");
  const Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create({1, 0, 0, 2, 2});
  if (!memory) return memory.error();
  const Result<std::unique_ptr<NodeAgent>> agent =
      NodeAgent::open({.memory = *memory, .settings = *settings, .carries = true});
  if (!agent) return agent.error();
  return (*agent)->contact();
}

// Encodes the frame, and decodes it as the receiver would.
Result<launch::Frame> say(const launch::Frame& frame, Sent& said) {
  const std::string bytes = launch::encode(frame, tag);
  ++said.messages;
  said.bytes += bytes.size();
  launch::FrameParser parser(tag);
  parser.add(bytes);
  Result<std::optional<launch::Frame>> read = parser.next();
  if (!read) return read.error();
  if (!*read) return Error{Errc::malformed, "a frame of the launcher is cut off"};
  return **std::move(read);
}

std::string info_of_node(const NodeContact& contact, const NodeShare& share) {
  NodeInfo info = contact.info();
  info.ranks = share.node_ranks();
  return NodeContact(info, contact.address(), contact.key()).pack();
}

// The launcher receives the contact of each node, and sends all of them to this node.
Result<void> send_nodes(const JobShape& shape, NodeTable& table, Sent& said) {
  const Result<NodeContact> contact = contact_of_agent();
  if (!contact) return contact.error();
  const Result<launch::Frame> own =
      say(launch::ThisNode{info_of_node(*contact, shape.node(0))}, said);
  if (!own) return own.error();
  launch::NodeRows all{{{0, 1, std::get<launch::ThisNode>(*own).info}}};
  for (std::uint32_t node = 1; node < shape.nodes(); ++node)
    all.rows.push_back({node, 1, info_of_node(*contact, shape.node(node))});
  const Result<launch::Frame> heard = say(all, said);
  if (!heard) return heard.error();
  for (const auto& [node, epoch, info] : std::get<launch::NodeRows>(*heard).rows) {
    const auto read = NodeContact::unpack(std::as_bytes(std::span(info)));
    if (!read) return Error{Errc::malformed, "the contact of a node is malformed"};
    table.write(node, *read);
    table.entry(node).state.store(NodeState::known, std::memory_order_release);
  }
  return {};
}

// The packets with which a rank joins and its guardian hands out the memory.
Result<void> join(const JobMemory& memory, Sent& said) {
  const auto pass = [&](const protocol::Message& message) {
    const protocol::Packet packet = protocol::encode(message, memory.tag());
    ++said.messages;
    said.bytes += sizeof(packet.bytes);
    return protocol::decode(packet.bytes, memory.tag());
  };
  if (const auto read = pass(protocol::Join{1}); !read) return read.error();
  for (std::uint32_t number = 0; number < memory.items(); ++number)
    if (const auto read = pass(memory.item(0, number).message); !read) return read.error();
  return {};
}

}  // namespace

Result<std::shared_ptr<NodeMemory>> make_memory(const NodeShare& share, std::optional<Rank> self,
                                                Sent& said) {
  Result<JobMemory> job = JobMemory::create(share, tag);
  if (!job) return job.error();
  if (const Result<void> joined = join(*job, said); !joined) return joined.error();
  return NodeMemory::attach(
      job->plan(), job->control(), self,
      [&](std::uint32_t number) -> Result<UniqueFd> { return job->take_arena(number); });
}

NodeShare JobShape::node(std::uint32_t number) const {
  NodeShare share{1, 0, number, nodes(), ranks_};
  if (number == 0) return share;
  share.first = 1 + (number - 1) * node_ranks_;
  share.ranks = std::min(node_ranks_, ranks_ - share.first);
  return share;
}

Result<std::shared_ptr<NodeMemory>> make_node(const JobShape& shape, Sent& said) {
  Result<std::shared_ptr<NodeMemory>> memory = make_memory(shape.node(0), Rank(0), said);
  if (!memory) return memory.error();
  if (const Result<void> told = send_nodes(shape, (*memory)->nodes(), said); !told)
    return told.error();
  return memory;
}

}  // namespace gondwana::scale
