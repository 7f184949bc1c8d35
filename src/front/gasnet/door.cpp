#include "front/gasnet/door.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/parse.hpp"
#include "front/gasnet/messages.hpp"
#include "front/gasnet/quiet_polls.hpp"
#include "process/leave.hpp"

namespace gondwana::gasnet {

Door::Door(const Setup& setup)
    : engine_(setup.engine),
      threads_(setup.threads),
      checks_(setup.checks),
      settings_(setup.settings),
      inline_path_(setup.inline_path && !setup.everything),
      has_everything_(setup.everything),
      has_devices_(setup.engine->kinds().has_devices()),
      most_plain_medium_(has_devices_ ? 0 : most_medium),
      most_plain_long_(has_devices_ ? 0 : longest_long(*this)),
      remote_(*this, *setup.engine),
      staged_(staged_resources()),
      scratch_space_(staged_),
      machine_(setup.machine) {
  for (const Rank neighbor : engine_->memory().roster().here())
    neighbors_.push_back({index(neighbor)});
  directory(rank()).room.store(most_local(), std::memory_order_relaxed);
}

Door::~Door() {
  if (client_ != nullptr) engine_->messages().stop();
}

void Door::join(const std::string& client_name, gex_Flags_t flags) {
  client_ = std::make_unique<gondwana_gex_client>(
      gondwana_gex_client{.door = this, .name = client_name, .flags = flags, .data = {}});
  gondwana_gex_endpoint& first = *make_endpoint(GEX_EP_CAPABILITY_ALL, 0);
  if (has_everything_) MessageMemory::listen(first);
  engine_->messages().listen(
      &receive, this,
      threads_ == ThreadMode::seq ? Handlers::on_one_thread : Handlers::on_any_thread);
  const StagedPlace mine = take_scratch("gex_Client_Init");
  directory(rank()).scratch.store(mine.scratch, std::memory_order_relaxed);
  directory(rank()).replicas.store(mine.replicas, std::memory_order_relaxed);
  engine_->collectives().sync(engine_->teams().world(), "gex_Client_Init");
  Membership all;
  for (std::uint32_t process = 0; process < ranks(); ++process) {
    all.processes.push_back(process);
    all.indices.push_back(0);
    all.places.push_back(first_place(process));
  }
  all.rank = rank();
  world_ = &add_team(std::move(all), 0);
  hosts_ = Hosts::of(world_->exchange("gex_Client_Init", machine_), rank());
  engine_->collectives().sync(engine_->teams().world(), "gex_Client_Init");
}

StagedPlace Door::take_scratch(CallName call) {
  const std::optional<StagedPlace> place = scratch_space_.take();
  if (!place)
    give_up(call, fmt::format("no {} of memory are left for what the members of a team show each "
                              "other; destroy teams or attach a smaller segment",
                              format_size(scratch_space_.size_of_place())));
  return *place;
}

// All scratch is still unused then, and every line has its initial value.
StagedPlace Door::first_place(std::uint32_t process) {
  const auto place_in = [](const SegmentDirectory& shown) {
    return StagedPlace{.scratch = shown.scratch.load(std::memory_order_relaxed),
                       .replicas = shown.replicas.load(std::memory_order_relaxed)};
  };
  return reaches(process) ? place_in(directory(process)) : place_in(*remote_.directory(process));
}

CollectiveResources Door::staged_resources() {
  const CollectiveResources& of_engine = engine_->collectives().resources();
  return {.memory = of_engine.memory,
          .me = of_engine.me,
          .rma = of_engine.rma,
          .remote = of_engine.remote,
          .waiter = of_engine.waiter,
          .lane = remote_.lane() != nullptr ? *remote_.lane() : of_engine.lane,
          .algorithms = of_engine.algorithms,
          .symmetric = of_engine.symmetric,
          .segments = of_engine.segments,
          .rooms = of_engine.rooms,
          .has_threads = threads_ != ThreadMode::seq,
          .give_up = give_up};
}

void Door::copy_by_kind(CallName call, void* to, const void* from, std::size_t size) const {
  if (size == 0) return;
  const Result<void> copied = engine_->kind_access()->any_memory().copy(
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), size);
  if (!copied) give_up(call, copied.error().text);
}

SegmentDirectory& Door::directory(std::uint32_t process) const {
  return shared_at<SegmentDirectory>(engine_->memory().window(Rank(process)),
                                     system_area::segment_directory.offset);
}

gex_EP_t Door::make_endpoint(gex_EP_Capabilities_t capabilities, gex_Flags_t flags) {
  const std::scoped_lock lock(mutex_);
  const auto free =
      std::ranges::find_if(endpoints_, [](const auto& endpoint) { return endpoint == nullptr; });
  if (free == endpoints_.end()) return GEX_EP_INVALID;
  *free = std::make_unique<gondwana_gex_endpoint>();
  (*free)->client = client_.get();
  (*free)->index = static_cast<gex_EP_Index_t>(free - endpoints_.begin());
  (*free)->capabilities = capabilities;
  (*free)->flags = flags;
  return free->get();
}

void Door::destroy(gex_EP_t endpoint) {
  directory(rank()).segments[endpoint->index].size.store(0, std::memory_order_release);
  const std::scoped_lock lock(mutex_);
  std::erase_if(pairs_, [&](const auto& entry) { return entry.first.first == endpoint->index; });
  endpoints_[endpoint->index].reset();
}

// Writes the bound segment where processes of this node read it, and others when they ask.
void Door::show(gex_EP_t endpoint) {
  SharedSegment& shared = directory(rank()).segments[endpoint->index];
  const gex_Segment_t segment = endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID || segment->offset == gondwana_gex_segment::unreachable)
    return;
  shared.owner.store(reinterpret_cast<std::uintptr_t>(segment->address), std::memory_order_relaxed);
  shared.offset.store(segment->offset, std::memory_order_relaxed);
  shared.space.store(index(segment->space.value_or(SpaceId::arena)), std::memory_order_relaxed);
  shared.size.store(segment->size, std::memory_order_release);  // pairs with member()
}

gondwana_gex_member Door::member(std::uint32_t process, gex_EP_Index_t endpoint) const {
  static constexpr std::uint32_t awake = 0;
  if (!reaches(process)) return {0, 0, 0, &awake};
  const NodeMemory& memory = engine_->memory();
  const std::byte* window = memory.window(Rank(process));
  const auto* bell =
      reinterpret_cast<const std::uint32_t*>(&memory.data_bell(Rank(process)).asleep);
  if (endpoint >= most_endpoints) return {0, 0, 0, bell};
  const SharedSegment& shared = directory(process).segments[endpoint];
  const std::uint64_t size = shared.size.load(std::memory_order_acquire);  // pairs with publish()
  if (size == 0 || shared.space.load(std::memory_order_relaxed) != 0) return {0, 0, 0, bell};
  const std::uintptr_t owner = shared.owner.load(std::memory_order_relaxed);
  const std::uintptr_t ours =
      reinterpret_cast<std::uintptr_t>(window) + shared.offset.load(std::memory_order_relaxed);
  return {owner, size, static_cast<std::intptr_t>(ours - owner), bell};
}

// No member leaves before all have filled their teams: what it sends then may name any segment, and
// handlers may not ask for it.
void Door::publish(Team& team, std::span<const gex_EP_t> endpoints, CallName call) {
  for (const gex_EP_t endpoint : endpoints) show(endpoint);
  if (remote_.lane() == nullptr)
    team.meet(call);
  else
    learn_segments(team, endpoints, call);
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& each : teams_) fill(*each);
    for (const auto& [key, pair] : pairs_) fill(*pair);
  }
  team.meet(call);
}

// One endpoint of each member at a time: almost all publish one.
void Door::learn_segments(Team& team, std::span<const gex_EP_t> endpoints, CallName call) {
  struct Published {
    std::uint64_t count;  // of the member's endpoints
    std::uint64_t endpoint;
    RemoteSegment segment;
  };
  std::uint64_t most = 1;
  for (std::uint64_t i = 0; i < most; ++i) {
    Published mine{endpoints.size(), most_endpoints, {}};
    if (i < endpoints.size())
      mine = {endpoints.size(), endpoints[i]->index,
              segment_in(directory(rank()), endpoints[i]->index)};
    const std::vector<Published> all = team.exchange(call, mine);
    for (std::uint32_t member = 0; member < team.size; ++member) {
      most = std::max(most, all[member].count);
      if (all[member].endpoint < most_endpoints && !reaches(team.processes[member]))
        remote_.learn(team.processes[member], static_cast<gex_EP_Index_t>(all[member].endpoint),
                      all[member].segment);
    }
  }
}

// Maps the files of the members' segments before the segments are used.
void Door::fill(Team& team) {
  for (std::uint32_t i = 0; i < team.size; ++i) {
    const std::uint32_t process = team.processes[i];
    team.reach[i] = member(process, team.indices[i]);
    if (process == rank() || !reaches(process)) continue;
    if (const Result<void> done = engine_->program_memory().files().follow(Rank(process)); !done)
      give_up("gex_EP_PublishBoundSegment",
              fmt::format("rank {} has a segment on a shared mapping, which this one cannot map: "
                          "{}; use private memory there",
                          process, done.error().text));
  }
}

std::uint32_t Door::node_of(std::uint32_t process) {
  return engine_->memory().roster().where(Rank(process)).node;
}

Team& Door::add_team(Membership membership, gex_Flags_t flags) {
  auto team = std::make_unique<Team>(*this);
  team->size = static_cast<std::uint32_t>(membership.processes.size());
  team->rank = membership.rank;
  team->processes = std::move(membership.processes);
  team->indices = std::move(membership.indices);
  team->endpoint = endpoint(team->indices[team->rank]);
  team->flags = flags;
  team->place = membership.places[team->rank];
  team->collectives = make_collectives(*team, std::move(membership.places));
  team->show_members(inline_path_ && !is_on_device(team->endpoint->segment));
  fill(*team);
  const std::scoped_lock lock(mutex_);
  return *teams_.emplace_back(std::move(team));
}

// If loads and stores reach no other process, each process counts as a node.
std::unique_ptr<StagedCollectives> Door::make_collectives(const Team& team,
                                                          std::vector<StagedPlace> places) {
  StagedCollectives::Setup setup;
  const bool is_apart = !engine_->rma().reach().covers(engine_->rank());
  for (const std::uint32_t process : team.processes) {
    setup.ranks.push_back(Rank(process));
    setup.nodes.push_back(is_apart ? process : node_of(process));
  }
  setup.places = std::move(places);
  setup.me = team.rank;
  setup.replicas = scratch_space_.replicas(team.place);
  setup.offset_of = [this, &team](Bytes memory) { return offset_in_segment(team, memory); };
  return std::make_unique<StagedCollectives>(staged_, setup);
}

// Finds memory in the segment of the team's endpoint that is not symmetric. Segments on files of
// the client are left out, because not all members map them.
std::uint64_t Door::offset_in_segment(const Team& team, Bytes memory) const {
  const gex_Segment_t segment = team.endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID || segment->offset == gondwana_gex_segment::unreachable ||
      segment->space || (segment->pages != nullptr && segment->pages->file))
    return StagedTeam::nowhere;
  const auto at = static_cast<std::size_t>(memory.data() - segment->address);
  const bool is_inside = at <= segment->size && memory.size() <= segment->size - at;
  return is_inside ? segment->offset + at : StagedTeam::nowhere;
}

void Door::remove(Team& team) {
  scratch_space_.give_back(team.place);
  const std::scoped_lock lock(mutex_);
  teams_.remove_if([&](const auto& held) { return held.get() == &team; });
}

Team& Door::pair(gex_EP_t local, gex_EP_Index_t remote) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Team>& pair = pairs_[{local->index, remote}];
  if (pair != nullptr) return *pair;
  pair = std::make_unique<Team>(*this);
  pair->is_pair = true;
  pair->endpoint = local;
  pair->size = ranks();
  pair->rank = rank();
  for (std::uint32_t process = 0; process < ranks(); ++process) pair->processes.push_back(process);
  pair->indices.assign(ranks(), remote);
  pair->show_members(inline_path_ && !is_on_device(local->segment));
  fill(*pair);
  return *pair;
}

// Inline code may no longer use the teams and pairs of an endpoint whose memory here is a device's.
void Door::bind(gex_EP_t endpoint, gex_Segment_t segment) {
  endpoint->segment = segment;
  if (!is_on_device(segment)) return;
  const std::scoped_lock lock(mutex_);
  for (const auto& team : teams_)
    if (team->endpoint == endpoint) team->show_members(false);
  for (const auto& [key, pair] : pairs_)
    if (key.first == endpoint->index) pair->show_members(false);
}

void Door::start(std::shared_ptr<Operation> operation) {
  quiet_polls.end();
  const std::scoped_lock lock(operations_mutex_);
  operations_.push_back(std::move(operation));
  operations_waiting_.store(static_cast<std::uint32_t>(operations_.size()),
                            std::memory_order_relaxed);
  // Another thread that sleeps in a barrier must now advance this operation.
  if (threads_ != ThreadMode::seq) engine_->waiter().wake(engine_->rank());
}

std::uint32_t Door::poll() {
  const std::uint32_t received = engine_->waiter().receive_messages();
  move_operations();
  return received;
}

void Door::poll_for_all() {
  for (std::size_t polls = 0; polls < neighbors_.size() && poll() > 0; ++polls) continue;
}

void Door::poll_in_loop() {
  look_for_end();
  Doorbell<RealAtomics>* bell = engine_->waiter().message_bell();
  const bool is_long = engine_->waiter().polls().is_long() && bell != nullptr && !checks();
  if (!is_long) return note_poll(poll() > 0);
  quiet_polls.arm(*bell);
  const bool found = engine_->waiter().receive_all_messages() > 0;
  move_operations();
  if (!found && !has_operations()) quiet_polls.allow();
  note_poll(found, 1 + QuietPolls::most);
}

void Door::move_operations() {
  if (!has_operations()) return;
  const std::unique_lock lock(operations_mutex_, std::try_to_lock);
  if (!lock) return;  // another thread advances them
  bool for_network = false;
  std::erase_if(operations_, [&](const std::shared_ptr<Operation>& operation) {
    if (!operation->advance()) {
      for_network = for_network || operation->waits_for_network();
      return false;
    }
    operation->finish();
    return true;
  });
  wait_for_network_.store(for_network, std::memory_order_relaxed);
  operations_waiting_.store(static_cast<std::uint32_t>(operations_.size()),
                            std::memory_order_relaxed);
}

}  // namespace gondwana::gasnet
