#include "report/bench/chosen_peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "link/host_list.hpp"
#include "report/bench/found_peers.hpp"

namespace gondwana::bench {
namespace {

// Two libraries of one kind get different names.
void add_with_own_key(Peer peer, std::vector<Peer>& peers) {
  const auto same = std::ranges::count_if(
      peers, [&](const Peer& other) { return other.key.starts_with(peer.key); });
  if (same > 0) peer.key += fmt::to_string(same + 1);
  peers.push_back(std::move(peer));
}

bool are_one_host(const std::string& list) {
  const Result<std::vector<link::Host>> hosts = link::parse_hosts(list);
  return hosts && std::ranges::all_of(*hosts, [&](const link::Host& host) {
           return host.name == hosts->front().name;
         });
}

// Why this peer cannot be compared with these choices; empty: it can.
std::string objection(const Peer& peer, const Choices& choices) {
  const std::string_view its_door = name_of(peer.door);
  const std::string_view program = choices.subject.programs.of(peer.door);
  if (program.empty())
    return fmt::format("is another library for {}: {} has none", its_door, choices.subject.name);
  if (!peer.has_program(program))
    return fmt::format("{} does not have {}", peer.key, choices.subject.name);
  if (choices.door != peer.door)
    return fmt::format("is another library for {}: {}", its_door,
                       peer.door == Door::shmem
                           ? fmt::format("omit --door {}", word_of(choices.door))
                           : fmt::format("add --door {}", word_of(peer.door)));
  if (!choices.hosts.empty() && peer.hosts_option.empty())
    return fmt::format("{} runs on one host here: omit --hosts", peer.key);
  return "";
}

}  // namespace

Result<Peers> choose_peers(const std::vector<std::string>& given, bool with_found,
                           const std::string& hosts) {
  Peers peers;
  for (const std::string& text : given) {
    Result<Peer> peer = parse_peer(text);
    if (!peer) return peer.error();
    add_with_own_key(*std::move(peer), peers.given);
  }
  if (!with_found) return peers;
  if (!hosts.empty() && are_one_host(hosts))
    return Error{Errc::invalid_argument,
                 fmt::format("--peers with --hosts {}: other libraries use shared memory between "
                             "ranks of one host; name several hosts",
                             hosts)};
  peers.found = find_peers();
  return peers;
}

Result<std::vector<Peer>> peers_for(const Choices& choices, const Peers& peers, bool is_alone) {
  std::vector<Peer> chosen;
  for (const Peer& peer : peers.given) {
    const std::string reason = objection(peer, choices);
    if (reason.empty())
      chosen.push_back(peer);
    else if (is_alone)
      return Error{Errc::invalid_argument, "--peer " + reason};
  }
  for (const Peer& peer : peers.found)
    if (objection(peer, choices).empty()) chosen.push_back(peer);
  return chosen;
}

}  // namespace gondwana::bench
