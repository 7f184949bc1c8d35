// How the ranks of a foreign launcher become a job.
//
// All ranks publish their names and wait for each other; then each knows the address of its node's
// first rank. On one node the first rank hands out the memory, and the job is complete. On several
// nodes the first rank of each makes its memory and starts its node agent. In a second round these
// ranks publish how to reach their nodes.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "bootstrap/agent_start.hpp"
#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "bootstrap/join.hpp"
#include "bootstrap/join_plan.hpp"
#include "bootstrap/key_value_space.hpp"
#include "bootstrap/node_round.hpp"
#include "bootstrap/process_info.hpp"
#include "bootstrap/rendezvous_server.hpp"
#include "bootstrap/roll_call.hpp"
#include "bootstrap/started_by.hpp"
#include "core/mapping.hpp"
#include "memory/node_table.hpp"

namespace gondwana {

template <KeyValueSpace Space>
class Rendezvous {
 public:
  // All must outlive this object.
  Rendezvous(Space& space, const StartedBy& by, const Deadline& deadline)
      : space_(space), by_(by), deadline_(deadline) {}

  // `node_ranks`: the most that may share memory; 0: all that can.
  Result<Membership> join(std::uint32_t node_ranks) {
    JoinPlan plan({space_.rank(),
                   space_.size(),
                   {own_node(), own_host(), node_ranks, {}},
                   by_.launcher,
                   by_.in_order});
    const RollCall roll_call(space_.job(), space_.rank());
    for (JoinEvent event = JoinBegins{};;) {
      const JoinStep step = plan.handle(event);
      if (const auto* error = std::get_if<Error>(&step)) return *error;
      const bool is_chosen = !own_setting(VariableId::gondwana_network).is_default();
      if (plan.is_loopback_enough() && !is_chosen) ::setenv("GONDWANA_NETWORK", "127.0.0.0/8", 1);
      if (const auto* guest = std::get_if<BeGuest>(&step)) return join_as_guest(*guest);
      if (const auto* host = std::get_if<BeHost>(&step)) return join_as_host(*host);
      Result<JoinEvent> answer = perform(step, roll_call);
      if (!answer) return answer.error();
      event = *std::move(answer);
    }
  }

 private:
  Result<JoinEvent> perform(const JoinStep& step, const RollCall& roll_call) {
    if (const auto* opens = std::get_if<OpenServer>(&step)) {
      Result<RendezvousServer> opened = RendezvousServer::open(space_.size(), opens->tag);
      if (!opened) return opened.error();
      server_ = *std::move(opened);
      return JoinEvent(ServerOpened{server_->invitation()});
    }
    if (const auto* own = std::get_if<Publish>(&step)) {
      const Result<void> said = space_.put(Round::ranks, write_info(own->info));
      return said ? Result<JoinEvent>(Published{}) : said.error();
    }
    if (const auto* wanted = std::get_if<Fetch>(&step)) {
      Result<ProcessInfo> info = info_of(wanted->rank);
      if (!info) return info.error();
      return JoinEvent(Fetched{wanted->rank, *std::move(info)});
    }
    if (const auto* stay = std::get_if<StayNamed>(&step)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(stay->ms));
      return JoinEvent(Stayed{});
    }
    const Result<bool> all = space_.fence(deadline_);
    if (!all) return all.error();
    return JoinEvent(
        AllWaited{deadline_.seconds(),
                  *all ? std::vector<std::uint32_t>() : roll_call.missing(space_.size()), *all});
  }

  Result<ProcessInfo> info_of(std::uint32_t rank) {
    const Result<std::string> text = space_.get(Round::ranks, rank);
    if (!text) return text.error();
    return read_info(*text, rank);
  }

  // The second round, in which a host publishes `own_offer`. Returns the offers of `ranks`.
  Result<std::vector<NodeOffer>> exchange_offers(std::string own_offer,
                                                 std::vector<std::uint32_t> ranks) {
    NodeRound round(std::move(own_offer), std::move(ranks));
    for (RoundEvent event = RoundBegins{};;) {
      RoundStep step = round.handle(event);
      if (const auto* error = std::get_if<Error>(&step)) return *error;
      if (auto* known = std::get_if<OffersKnown>(&step)) return std::move(known->offers);
      Result<RoundEvent> answer = perform(step);
      if (!answer) return answer.error();
      event = *std::move(answer);
    }
  }

  Result<RoundEvent> perform(const RoundStep& step) {
    if (const auto* own = std::get_if<PublishValue>(&step)) {
      const Result<void> said = space_.put(own->round, own->value);
      return said ? Result<RoundEvent>(Published{}) : said.error();
    }
    if (const auto* wanted = std::get_if<ReadValue>(&step)) {
      Result<std::string> value = space_.get(wanted->round, wanted->rank);
      return value ? Result<RoundEvent>(ValueRead{*std::move(value)}) : value.error();
    }
    const Result<bool> all = space_.fence(deadline_);
    if (!all) return all.error();
    return RoundEvent(AllWaited{deadline_.seconds(), {}, *all});
  }

  Result<Membership> join_as_guest(const BeGuest& guest) {
    const RendezvousClient client{guest.host, space_.rank()};
    if (guest.invitation) return visit(*guest.invitation, client, deadline_);
    const Result<std::vector<NodeOffer>> offers = exchange_offers({}, {guest.host});
    if (!offers) return offers.error();
    return visit(offers->front().invitation, client, deadline_);
  }

  Result<Membership> join_as_host(const BeHost& host) {
    Result<JobMemory> memory =
        JobMemory::create(host.nodes[host.node], host.tag, own_environment());
    if (!memory) return memory.error();
    UniqueFd lifeline;
    if (host.nodes.size() > 1) {
      Result<UniqueFd> open = open_node(*memory, host.nodes);
      if (!open) return open.error();
      lifeline = *std::move(open);
    }
    return (*std::move(server_)).serve(*std::move(memory), std::move(lifeline), deadline_);
  }

  // Returns the descriptor that ties the agent of this node to its ranks.
  Result<UniqueFd> open_node(const JobMemory& memory, const std::vector<NodeShare>& nodes) {
    Result<StartedAgent> agent = start_agent(memory, deadline_);
    if (!agent) return agent.error();
    std::vector<std::uint32_t> hosts;
    hosts.reserve(nodes.size());
    for (const NodeShare& node : nodes) hosts.push_back(index(node.node_ranks().front()));
    const Result<std::vector<NodeOffer>> offers =
        exchange_offers(write_offer({server_->invitation(), agent->contact}), std::move(hosts));
    if (!offers) return offers.error();
    if (const Result<void> known = write_entries(memory, nodes, *offers); !known)
      return known.error();
    return std::move(agent->lifeline);
  }

  // From then on the ranks of this node know how to reach all others.
  Result<void> write_entries(const JobMemory& memory, const std::vector<NodeShare>& nodes,
                             const std::vector<NodeOffer>& offers) {
    const ControlLayout layout(memory.plan());
    const Result<Mapping> control = Mapping::shared(memory.control(), layout.size());
    if (!control) return control.error();
    NodeTable table(control->data(), layout);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      table.write(nodes[i].node, offers[i].contact);
      // The ranks acquire it.
      table.entry(nodes[i].node).state.store(NodeState::known, std::memory_order_release);
    }
    return {};
  }

  Space& space_;
  const StartedBy& by_;
  const Deadline& deadline_;
  std::optional<RendezvousServer> server_;  // of a node's first rank
};

}  // namespace gondwana
