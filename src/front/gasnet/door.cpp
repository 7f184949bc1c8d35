#include "front/gasnet/door.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "front/gasnet/messages.hpp"
#include "front/gasnet/quiet_polls.hpp"

namespace gondwana::gasnet {

Door::Door(const Setup& setup)
    : engine_(setup.engine),
      threads_(setup.threads),
      checks_(setup.checks),
      settings_(setup.settings),
      inline_path_(setup.inline_path),
      far_(*setup.engine),
      files_(*setup.engine) {
  const NodeShare& share = engine_->memory().plan();
  for (std::uint32_t i = 0; i < share.ranks; ++i) neighbors_.push_back({share.first + i});
  Directory& mine = directory(rank());
  mine.node.store(share.node, std::memory_order_relaxed);
  mine.room.store(most_local(), std::memory_order_relaxed);
}

Door::~Door() {
  if (client_ != nullptr) engine_->messages().stop();
}

void Door::join(const std::string& client_name, gex_Flags_t flags) {
  if (!engine_->writes_to_all())
    give_up("gex_Client_Init",
            "some ranks share no memory with this one, and the wire to them carries no messages");
  client_ = std::make_unique<gondwana_gex_client>(
      gondwana_gex_client{.door = this, .name = client_name, .flags = flags, .data = {}});
  make_endpoint(GEX_EP_CAPABILITY_ALL, 0);
  engine_->messages().listen(
      &receive, this,
      threads_ == ThreadMode::seq ? Handlers::on_one_thread : Handlers::on_any_thread);
  const OwnBoard mine = take_board();
  directory(rank()).board.store(mine.offset, std::memory_order_relaxed);
  const MutableBytes mirrors = take_mirrors(ranks());
  directory(rank()).mirrors.store(arena_offset(mirrors), std::memory_order_relaxed);
  engine_->collectives().sync(engine_->teams().world(), "gex_Client_Init");
  Membership all;
  for (std::uint32_t process = 0; process < ranks(); ++process) {
    const FirstBoard first = first_board(process);
    all.processes.push_back(process);
    all.indices.push_back(0);
    all.boards.push_back(first.board);
    all.mirrors.push_back(first.mirrors);
    all.epoch = std::max(all.epoch, first.epoch);
  }
  all.own_mirrors = mirrors;
  all.rank = rank();
  world_ = &add_team(std::move(all), 0);
  engine_->collectives().sync(engine_->teams().world(), "gex_Client_Init");
}

// What a process shows of the first team. A board out of reach is fresh, as all of them are then.
Door::FirstBoard Door::first_board(std::uint32_t process) {
  if (reaches(process)) {
    const Directory& shown = directory(process);
    const std::uint64_t board = shown.board.load(std::memory_order_relaxed);
    return {board, shown.mirrors.load(std::memory_order_relaxed),
            board_at(process, board)->line.epoch.load(std::memory_order_relaxed)};
  }
  const std::shared_ptr<const Directory> shown = far_.directory(process);
  return {shown->board.load(std::memory_order_relaxed),
          shown->mirrors.load(std::memory_order_relaxed), 0};
}

Directory& Door::directory(std::uint32_t process) const {
  return *reinterpret_cast<Directory*>(engine_->memory().window(Rank(process)) +
                                       system_area::directory.offset);
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

void Door::publish(gex_EP_t endpoint) {
  SharedSegment& shared = directory(rank()).segments[endpoint->index];
  const gex_Segment_t segment = endpoint->segment;
  if (segment == GEX_SEGMENT_INVALID || segment->offset == gondwana_gex_segment::unreachable)
    return;
  shared.owner.store(reinterpret_cast<std::uintptr_t>(segment->address), std::memory_order_relaxed);
  shared.offset.store(segment->offset, std::memory_order_relaxed);
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
  if (size == 0) return {0, 0, 0, bell};
  const std::uintptr_t owner = shared.owner.load(std::memory_order_relaxed);
  const std::uintptr_t ours =
      reinterpret_cast<std::uintptr_t>(window) + shared.offset.load(std::memory_order_relaxed);
  return {owner, size, static_cast<std::intptr_t>(ours - owner), bell};
}

// What members show of files is there before their segments are used.
void Door::fill(Team& team) {
  for (std::uint32_t i = 0; i < team.size; ++i) {
    const std::uint32_t process = team.processes[i];
    team.reach[i] = member(process, team.indices[i]);
    if (process == rank() || !reaches(process)) continue;
    if (const Result<void> done = files_.follow(Rank(process)); !done)
      give_up("gex_EP_PublishBoundSegment",
              fmt::format("rank {} has a segment on a shared mapping, which this one cannot map: "
                          "{}; use private memory there",
                          process, done.error().text));
  }
}

std::uint32_t Door::node_of(std::uint32_t process) {
  if (reaches(process)) return engine_->memory().plan().node;
  return static_cast<std::uint32_t>(far_.directory(process)->node.load(std::memory_order_relaxed));
}

void Door::look_at_directories(const Team& published) {
  far_.forget(published.processes);
  const std::scoped_lock lock(mutex_);
  for (const auto& team : teams_) fill(*team);
  for (const auto& [key, pair] : pairs_) fill(*pair);
}

Team& Door::add_team(Membership membership, gex_Flags_t flags) {
  auto team = std::make_unique<Team>(*this);
  team->size = static_cast<std::uint32_t>(membership.processes.size());
  team->rank = membership.rank;
  team->processes = std::move(membership.processes);
  team->indices = std::move(membership.indices);
  team->endpoint = endpoint(team->indices[team->rank]);
  team->flags = flags;
  team->epoch = membership.epoch;
  lay_out(*team, membership);
  team->show_members(inline_path_);
  fill(*team);
  const std::scoped_lock lock(mutex_);
  return *teams_.emplace_back(std::move(team));
}

// Mirrors that were kept in readiness for members that are all in reach are given back.
void Door::lay_out(Team& team, const Membership& membership) const {
  for (std::uint32_t i = 0; i < membership.boards.size(); ++i) {
    if (!team.reaches(i)) {
      team.far.push_back(i);
      std::byte* mirror = membership.own_mirrors.data() + i * Board::size;
      team.boards.push_back(reinterpret_cast<Board*>(mirror));
    } else {
      team.boards.push_back(board_at(team.processes[i], membership.boards[i]));
    }
  }
  team.mirrors = membership.mirrors;
  team.own_mirrors = membership.own_mirrors;
  if (!team.far.empty() || team.own_mirrors.empty()) return;
  engine_->segments().release(team.own_mirrors);
  team.own_mirrors = {};
}

MutableBytes Door::take_mirrors(std::uint32_t members) {
  if (engine_->rma().reaches_all()) return {};
  const std::optional<MutableBytes> range = engine_->segments().allocate(members * Board::size);
  if (!range)
    give_up("team", fmt::format("no {} of memory are left for what the {} members of a team on "
                                "several nodes show each other; attach a smaller segment",
                                format_size(members * Board::size), members));
  return *range;
}

void Door::remove(Team& team) {
  if (!team.own_mirrors.empty()) engine_->segments().release(team.own_mirrors);
  const std::scoped_lock lock(mutex_);
  const auto* board = reinterpret_cast<const std::byte*>(&team.own_board());
  spare_boards_.push_back(
      static_cast<std::uint64_t>(board - engine_->memory().window(engine_->rank())));
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
  pair->show_members(inline_path_);
  fill(*pair);
  return *pair;
}

// What collectives keep in it begins as zero, whoever had it before. Its line goes on.
Door::OwnBoard Door::take_board() {
  const std::scoped_lock lock(mutex_);
  std::byte* window = engine_->memory().window(engine_->rank());
  if (!spare_boards_.empty()) {
    const std::uint64_t offset = spare_boards_.back();
    spare_boards_.pop_back();
    Board& board = *reinterpret_cast<Board*>(window + offset);
    std::memset(board.control(), 0, Board::control_size);
    return {offset, board.line.epoch.load(std::memory_order_relaxed)};
  }
  const std::optional<MutableBytes> range = engine_->segments().allocate(Board::size);
  if (!range)
    give_up("team",
            fmt::format("no {} of memory are left for a team of this process; destroy teams "
                        "or attach a smaller segment",
                        format_size(Board::size)));
  return {static_cast<std::uint64_t>(range->data() - window), 0};
}

Board* Door::board_at(std::uint32_t process, std::uint64_t offset) const {
  return reinterpret_cast<Board*>(engine_->memory().window(Rank(process)) + offset);
}

void Door::start(std::shared_ptr<Operation> operation) {
  quiet_polls.end();
  const std::scoped_lock lock(operations_mutex_);
  operations_.push_back(std::move(operation));
  operations_waiting_.store(static_cast<std::uint32_t>(operations_.size()),
                            std::memory_order_relaxed);
  // Another thread may sleep until a barrier is complete, and must now move this on.
  if (threads_ != ThreadMode::seq) engine_->waiter().wake(engine_->rank());
}

std::uint32_t Door::poll() {
  const std::uint32_t received = engine_->waiter().receive_messages();
  move_operations();
  return received;
}

void Door::poll_in_loop() {
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
  if (!lock) return;  // another thread is at it
  std::erase_if(operations_, [](const std::shared_ptr<Operation>& operation) {
    if (!operation->advance()) return false;
    operation->finish();
    return true;
  });
  operations_waiting_.store(static_cast<std::uint32_t>(operations_.size()),
                            std::memory_order_relaxed);
}

}  // namespace gondwana::gasnet
