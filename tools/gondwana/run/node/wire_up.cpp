#include "run/node/wire_up.hpp"

#include <algorithm>

#include "memory/job_end.hpp"
#include "memory/live.hpp"
#include "memory/renewal.hpp"

namespace gondwana::launch {

Result<void> WireUp::create_memory() {
  Result<JobMemory> memory = JobMemory::create(share_, tag_, environment_);
  if (!memory) return memory.error();
  Result<Mapping> mapping =
      Mapping::shared(memory->control(), ControlLayout(memory->plan()).size());
  if (!mapping) return mapping.error();
  control_ = *std::move(mapping);
  auto& header = shared_at<NodeHeader>(control_.data(), 0);
  if (began_s_ != 0) header.facts.began_s = began_s_;
  facts_ = header.facts;
  header.goes_on.store(on_death_ == OnDeath::go_on ? 1 : 0, std::memory_order_relaxed);
  header.replacement.store(replacement_, std::memory_order_relaxed);
  memory_ = *std::move(memory);
  write_past(header);
  return {};
}

// What has happened before the ranks of this node join.
void WireUp::write_past(NodeHeader& header) const {
  header.growth.added.store(sessions_.front().end() - share_.job_ranks, std::memory_order_relaxed);
  header.growth.nodes.store(added_nodes_, std::memory_order_release);
  for (const auto& [dead, how] : former_deaths_) add_death(header, ranks_, dead, how);
  const ControlLayout layout(share_);
  for (std::uint32_t rank = 0; is_replacement_ && rank < ranks_; ++rank)
    begin_new_epochs(shared_at<ControlPage>(control_.data(), layout.page(rank)),
                     header.deaths.load(std::memory_order_relaxed));
  for (const auto& [process, node] : former_runs_) add_replacement(header, ranks_, process, node);
  for (const std::uint32_t rank : former_arrivals_) arrival(rank).store(1);
}

void WireUp::join_later(const Session& session, std::uint32_t added_nodes, bool is_replacement,
                        std::uint64_t began_s) {
  std::ranges::fill(sessions_, session);
  began_s_ = began_s;
  added_nodes_ = added_nodes;
  is_replacement_ = is_replacement;
}

Result<void> WireUp::add(const Session& session) {
  if (!anybody_joined()) return Error{Errc::refused, "no rank of the job has joined yet"};
  for (std::uint32_t i = 0; i < session.ranks; ++i) sessions_[ranks_ + i] = session;
  ranks_ += session.ranks;
  facts_.ranks = NodeRanks(share_.first, ranks_);
  facts_.job_ranks += session.ranks;
  // Pairs with the loads of Roster, which order nothing: a rank is there once its page says so.
  shared_at<NodeHeader>(control_.data(), 0)
      .growth.added.store(ranks_ - share_.ranks, std::memory_order_relaxed);
  return {};
}

Result<void> WireUp::join(std::uint32_t rank) {
  if (!anybody_joined()) {
    if (Result<void> created = create_memory(); !created) return created;
  }
  if (const std::optional<Error> refusal = refusal_to_join(rank, state(rank))) return *refusal;
  handout_.join(rank);
  return {};
}

WireUp::Progress WireUp::advance(std::uint32_t process, std::uint32_t place, int socket) {
  const std::uint32_t items = memory_ ? memory_->items() : 0;
  return handout_.advance(process, items, [&](std::uint32_t number) {
    const JobMemory::Item item = memory_->item(place, number, sessions_[place]);
    return protocol::try_send(socket, item.message, memory_->tag(), item.attachment);
  });
}

RankPages WireUp::pages(std::uint32_t rank) const {
  if (!anybody_joined()) return {};
  const ControlLayout layout(share_);
  return {&shared_at<ControlPage>(control_.data(), layout.page(rank)),
          &shared_at<ThreadSlots>(control_.data(), layout.threads(rank))};
}

void WireUp::announce_purposeful_end(int status) {
  if (anybody_joined())
    gondwana::announce_purposeful_end(*reinterpret_cast<NodeHeader*>(control_.data()), ranks_,
                                      status);
}

bool WireUp::needs_all_ranks() const {
  return anybody_joined() && header().needs_all.load(std::memory_order_relaxed) != 0;
}

bool WireUp::can_lose_ranks() const {
  if (!anybody_joined() || needs_all_ranks()) return false;
  const bool is_added = share_.first >= share_.job_ranks;
  for (std::uint32_t rank = 0; rank < share_.ranks && !is_added; ++rank)
    if (state(rank) < RankState::running && !is_awaited(rank)) return false;
  return true;
}

// Whether another process takes the place of the rank, which has run before.
bool WireUp::is_awaited(std::uint32_t rank) const {
  const std::size_t place = ControlLayout::death(share_.node_ranks()[rank]);
  return shared_at<DeathPlace>(control_.data(), place).started.load(std::memory_order_relaxed) > 0;
}

void WireUp::announce_death(const DeadRank& dead, DeathKind how) {
  if (!anybody_joined()) return static_cast<void>(former_deaths_.emplace_back(dead, how));
  add_death(shared_at<NodeHeader>(control_.data(), 0), ranks_, dead, how);
}

bool WireUp::knows_changes(std::uint32_t changes) const {
  std::size_t known = former_deaths_.size();
  for (const auto& [dead, how] : former_deaths_) known += how == DeathKind::replaced_death ? 1 : 0;
  return known >= changes;
}

void WireUp::ring_all() {
  const ControlLayout layout(plan());
  for (std::uint32_t slot = 0; slot < ranks_; ++slot)
    shared_at<ControlPage>(control_.data(), layout.page(slot)).sync_bell.ring();
}

void WireUp::announce_growth(const Grown& grown) {
  if (!anybody_joined()) return;
  Growth& growth = shared_at<NodeHeader>(control_.data(), 0).growth;
  growth.added.store(grown.ranks - share_.job_ranks, std::memory_order_relaxed);
  growth.nodes.store(grown.nodes - share_.nodes, std::memory_order_release);  // see Roster
}

std::atomic<std::uint32_t>& WireUp::arrival(std::uint32_t rank) const {
  return shared_at<DeathPlace>(control_.data(), ControlLayout::death(Rank(rank))).has_joined;
}

void WireUp::announce_arrival(std::uint32_t rank) {
  if (!anybody_joined()) return former_arrivals_.push_back(rank);
  arrival(rank).store(1, std::memory_order_release);  // pairs with LateRanks
  // seq_cst, so that a rank that falls asleep sees it or is woken.
  shared_at<NodeHeader>(control_.data(), 0).growth.changes.fetch_add(1, std::memory_order_seq_cst);
  ring_all();
}

void WireUp::announce_world(const WorldDecision& decision) {
  if (!anybody_joined()) return;
  Growth& growth = shared_at<NodeHeader>(control_.data(), 0).growth;
  growth.agreed.store({decision.numbers, decision.epoch});
  // Pairs with ConductedUpdate. seq_cst, so that a rank that falls asleep sees it or is woken.
  growth.world.store(world_word::of(decision.turn, decision.size, decision.deaths),
                     std::memory_order_seq_cst);
  ring_all();
}

void WireUp::announce_replacement(const RankRuns& runs) {
  if (!anybody_joined()) return former_runs_.push_back(runs);
  add_replacement(shared_at<NodeHeader>(control_.data(), 0), ranks_, runs.process, runs.node);
}

void WireUp::announce_loss(std::uint32_t node) {
  if (!anybody_joined() || node == share_.node) return;
  nodes().entry(node).state.store(NodeState::cut_off, std::memory_order_release);
}

void WireUp::announce_shrink(const ShrinkDecision& decision,
                             const std::vector<std::uint32_t>& ranks) {
  if (!anybody_joined() || decision.team >= plan().teams) return;
  const ControlLayout layout(plan());
  for (const std::uint32_t rank : ranks) {
    if (!node_ranks().holds(Rank(rank))) continue;
    const std::uint32_t slot = node_ranks().slot_of(Rank(rank));
    auto& place =
        shared_at<ShrinkPlace<RealAtomics>>(control_.data(), layout.shrink(decision.team, slot));
    place.agreed.store({decision.numbers, decision.epoch});
    // Pairs with ConductedShrink. seq_cst, so that a rank that falls asleep sees it or is woken.
    place.decided.store(shrink_word(decision.turn, decision.deaths), std::memory_order_seq_cst);
    shared_at<ControlPage>(control_.data(), layout.page(slot)).sync_bell.ring();
  }
}

bool WireUp::has_told(const std::vector<bool>& absent) const {
  const std::uint32_t changes = header().deaths.load(std::memory_order_relaxed);
  for (std::uint32_t rank = 0; rank < absent.size(); ++rank)
    if (!absent[rank] && state(rank) == RankState::running &&
        pages(rank).page->heeded.load(std::memory_order_acquire) < changes)
      return false;
  return true;
}

// Later blocks may hold bytes of the former process below `touched`. The new process knows all
// numbers that have been given.
Result<void> WireUp::renew(std::uint32_t rank) {
  const bool is_kept = replacement_ == Replacement::kept;
  if (const Result<void> done = memory_->renew(rank, replacement_); !done) return done;
  const ControlLayout layout(share_);
  auto& own = shared_at<ControlPage>(control_.data(), layout.page(rank));
  auto& threads = shared_at<ThreadSlots>(control_.data(), layout.threads(rank));
  gondwana::renew(own, threads, is_kept ? memory_->plan().inbox_offset() : 0);
  begin_new_epochs(own, header().deaths.load(std::memory_order_relaxed));
  begin_session(rank,
                {0, share_.job_ranks + header().growth.added.load(std::memory_order_relaxed)});
  return {};
}

const NodeHeader& WireUp::header() const {
  GONDWANA_ASSERT(anybody_joined(), share_.slots());
  return *reinterpret_cast<const NodeHeader*>(control_.data());
}

NodeTable WireUp::nodes() const {
  GONDWANA_ASSERT(anybody_joined(), share_.nodes);
  return {control_.data(), ControlLayout(share_)};
}

std::optional<NodeContact> WireUp::own_contact() const {
  GONDWANA_ASSERT(anybody_joined(), share_.nodes);
  const ControlLayout layout(share_);
  const auto& entry = shared_at<NodeEntry>(control_.data(), layout.entry(share_.node));
  const NodeInfo info = copy_live(entry.info);
  const std::uint64_t begin = copy_live(entry.contact);
  const std::uint64_t end = layout.relay(0);
  if (info.address_size > NodeInfo::longest_address || info.key_size > NodeInfo::longest_key ||
      begin < layout.contacts() || begin > end || info.address_size + info.key_size > end - begin)
    return std::nullopt;
  const Bytes address(control_.data() + begin, info.address_size);
  return NodeContact(info, address, {address.data() + address.size(), info.key_size});
}

RankState WireUp::state(std::uint32_t rank) const {
  const ControlPage* own = pages(rank).page;
  return own == nullptr ? RankState::absent : state_in(*own);
}

}  // namespace gondwana::launch
