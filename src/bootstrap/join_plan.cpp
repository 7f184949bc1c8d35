#include "bootstrap/join_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "bootstrap/node_map.hpp"

namespace gondwana {
namespace {

// The waits of ranks that started together end within this time.
constexpr std::uint32_t max_time_apart_ms = 500;

}  // namespace

JoinStep JoinPlan::handle(const JoinEvent& event) {
  if (std::holds_alternative<JoinBegins>(event) && self_.rank == 0) return OpenServer{0};
  if (const auto* opened = std::get_if<ServerOpened>(&event)) {
    is_open_ = true;
    if (!is_published_) self_.info.invitation = opened->invitation;
  }
  if (std::holds_alternative<Published>(event)) {
    is_published_ = true;
    return WaitForAll{};
  }
  if (!is_published_) return Publish{self_.info};
  if (const auto* waited = std::get_if<AllWaited>(&event); waited != nullptr && !waited->all_came) {
    waited_in_vain_ = *waited;
    return StayNamed{max_time_apart_ms};
  }
  if (waited_in_vain_) return missing_ranks(*waited_in_vain_);
  if (const auto* fetched = std::get_if<Fetched>(&event))
    infos_.emplace(fetched->rank, fetched->info);
  return next();
}

// From what is known so far. Not all infos are needed: if the first and the last rank could share
// memory, so could those between them; if not, rank 0 detects and reports it.
JoinStep JoinPlan::next() {
  const ProcessInfo* first = find(0);
  if (first == nullptr) return Fetch{0};
  if (!first->invitation) return Error{Errc::malformed, "rank 0 sent no invitation"};
  std::optional<std::uint32_t> wanted;
  const Result<std::uint32_t> host =
      find_first_of_node(self_.rank, first->node_ranks, [&](std::uint32_t other) -> Result<bool> {
        const ProcessInfo* info = find(other);
        if (info != nullptr) return info->node == self_.info.node;
        wanted = other;
        return Error{Errc::missing, "not fetched yet"};
      });
  if (wanted) return Fetch{*wanted};
  if (!host) return host.error();
  const ProcessInfo* last = find(self_.size - 1);
  if (last == nullptr) return Fetch{self_.size - 1};
  stays_here_ = last->node == first->node;
  has_one_node_ = stays_here_ && (first->node_ranks == 0 || self_.size <= first->node_ranks);
  if (*host != self_.rank) return BeGuest{*host, has_one_node_ ? first->invitation : std::nullopt};
  return be_host(*first->invitation);
}

JoinStep JoinPlan::be_host(const Invitation& first) {
  while (known_ < self_.size && find(known_) != nullptr) ++known_;
  if (known_ < self_.size) return Fetch{known_};
  if (!is_open_) return OpenServer{first.tag};
  std::vector<ProcessInfo> infos;
  infos.reserve(infos_.size());
  for (const auto& [rank, info] : infos_) infos.push_back(info);
  Result<std::vector<NodeShare>> nodes = find_nodes(infos, self_.in_order);
  if (!nodes) return nodes.error();
  const auto own = std::ranges::find_if(
      *nodes, [this](const NodeShare& node) { return node.node_ranks().holds(Rank(self_.rank)); });
  const std::uint32_t node = own->node;
  return BeHost{*std::move(nodes), node, first.tag};
}

// All ranks of a host wait for the same ranks, so all report the same missing ones.
Error JoinPlan::missing_ranks(const AllWaited& waited) const {
  return {Errc::peer_lost,
          fmt::format("of {} ranks these did not join within {} s (GONDWANA_JOIN_TIMEOUT): {}. "
                      "Did {} start the same program in every process? Ranks on hosts other than "
                      "{} are always listed",
                      self_.size, waited.seconds, fmt::join(waited.missing, ", "), self_.launcher,
                      self_.info.host)};
}

const ProcessInfo* JoinPlan::find(std::uint32_t rank) const {
  const auto found = infos_.find(rank);
  return found != infos_.end() ? &found->second : nullptr;
}

std::optional<std::uint32_t> Guests::admit(std::uint64_t password, std::uint32_t rank) {
  if (password != password_ || !ranks_.holds(Rank(rank))) return std::nullopt;
  const std::uint32_t slot = ranks_.slot_of(Rank(rank));
  if (served_[slot]) return std::nullopt;
  served_[slot] = true;
  return slot;
}

std::vector<std::uint32_t> Guests::missing() const {
  std::vector<std::uint32_t> ranks;
  for (const Rank rank : ranks_)
    if (!served_[ranks_.slot_of(rank)]) ranks.push_back(index(rank));
  return ranks;
}

}  // namespace gondwana
