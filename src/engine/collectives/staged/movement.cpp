#include "engine/collectives/staged/movement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/collectives/staged/copy_for_others.hpp"

namespace gondwana::staged {
namespace {

void copy_block(std::byte* dest, const std::byte* source, std::size_t size) {
  if (size > 0 && dest != source) std::memcpy(dest, source, size);
}

}  // namespace

void SmallMovement::lay(const Round& round) const {
  const std::size_t size = what_.source_size(round.size());
  const Payloads payloads(round, size);
  copy_for_others(payloads.of(round.me()), what_.source, size);
}

StagedTeam::Written SmallMovement::written(const Round& round, std::uint32_t /*member*/) const {
  const std::size_t size = what_.source_size(round.size());
  return Payloads(round, size).written(size);
}

void SmallMovement::take(const Round& round) const {
  const Payloads payloads(round, what_.source_size(round.size()));
  for (std::uint32_t member = 0; member < round.size(); ++member)
    if (what_.flow.starts_at(member) && !(member == round.me() && what_.is_in_place()))
      copy_block(what_.dest + what_.dest_offset(member),
                 payloads.of(member) + what_.source_offset(round.me()), what_.block);
}

StagedTeam::Written PushedMovement::written(const Round& round, std::uint32_t member) const {
  return {round.pushed(round.me()), {what_.source + what_.source_offset(member), what_.block}};
}

void PushedMovement::take(const Round& round) const {
  const std::uint32_t me = round.me();
  for (std::uint32_t member = 0; member < round.size(); ++member) {
    if (!what_.flow.starts_at(member) || (member == me && what_.is_in_place())) continue;
    const std::byte* block =
        member == me ? what_.source + what_.source_offset(me) : round.pushed(member);
    copy_block(what_.dest + what_.dest_offset(member), block, what_.block);
  }
}

LargeMovement::LargeMovement(StagedTeam& team, CallName call, const Movement& what)
    : round_(team), call_(call), what_(what), cut_(cut()), taken_(team.size()) {
  if (!team.reaches_all()) fetches_.resize(team.size());
  if (!what.flow.starts_at(team.me())) return;
  place_ = round_.team().offset_of(what.source, what.source_size(team.size()));
  if (place_ == StagedTeam::nowhere && team.size() > 1) ticket_ = round_.team().area_queue().join();
}

LargeMovement::Cut LargeMovement::cut() const {
  constexpr std::size_t wanted_buffers = 8;
  constexpr std::size_t room = TeamScratch::area_size;
  const std::size_t lines = room / wanted_buffers / blocks() / cache_line;
  const std::size_t stride = std::min(std::max(lines, std::size_t{1}) * cache_line, what_.block);
  const Cut cut{.stride = stride,
                .pieces = (what_.block + stride - 1) / stride,
                .buffers = std::min(room / (stride * blocks()), wanted_buffers)};
  if (cut.pieces >= Mark::most || cut.buffers == 0)
    round_.team().with().give_up(
        call_, fmt::format("{} for each of {} members is too much for one call; split it",
                           format_size(what_.block), round_.size()));
  return cut;
}

bool LargeMovement::begin() {
  if (!round_.may_begin() || (ticket_ && !round_.team().area_queue().has_area(*ticket_)))
    return false;
  begun_ = true;
  if (!what_.flow.starts_at(round_.me()) || ticket_) {
    round_.slot(round_.me()).source = StagedTeam::nowhere;
    return true;
  }
  round_.slot(round_.me()).source = place_;
  shown_ = cut_.pieces;
  round_.show(cut_.pieces);
  round_.team().wake_others();
  return true;
}

std::size_t LargeMovement::piece_size(std::size_t piece) const {
  return std::min(cut_.stride, what_.block - piece * cut_.stride);
}

std::uint64_t LargeMovement::offset_of_piece(std::uint32_t member, std::size_t piece) const {
  const std::uint64_t source = round_.slot(member).source;
  if (source != StagedTeam::nowhere)
    return source + what_.source_offset(round_.me()) + piece * cut_.stride;
  return round_.team().area_offset(member) + buffer_of(piece, what_.apart ? round_.me() : 0);
}

const std::byte* LargeMovement::piece_of(std::uint32_t member, std::size_t piece) const {
  if (member == round_.me())
    return what_.source + what_.source_offset(member) + piece * cut_.stride;
  return round_.team().at(member, offset_of_piece(member, piece));
}

std::size_t LargeMovement::slowest_taker() const {
  std::uint64_t least = cut_.pieces;
  for (std::uint32_t member = 0; member < round_.size(); ++member)
    if (member != round_.me() && what_.flow.ends_at(member))
      least = std::min(least, round_.taken(member));
  return least;
}

void LargeMovement::stage_piece(std::size_t piece, std::uint32_t block) {
  copy_for_others(round_.team().area(round_.me()) + buffer_of(piece, block),
                  what_.source + block * what_.block + piece * cut_.stride, piece_size(piece));
}

// Stages pieces while buffers are free. Returns false if it staged none.
bool LargeMovement::stage() {
  if (!ticket_ || shown_ == cut_.pieces) return false;
  const std::size_t until = std::min(cut_.pieces, slowest_taker() + cut_.buffers);
  if (shown_ == until) return false;
  for (; shown_ < until; ++shown_) {
    for (std::uint32_t block = 0; block < blocks(); ++block) stage_piece(shown_, block);
    round_.show(shown_ + 1);
    round_.team().wake_others();
  }
  return true;
}

// Takes a ready piece from each member, starting with itself, so that members read from different
// ones. Returns false if no piece was ready.
bool LargeMovement::take() {
  if (!what_.flow.ends_at(round_.me()) || all_taken_ == cut_.pieces) return false;
  bool moved = false;
  std::size_t least = cut_.pieces;
  for (std::uint32_t i = 0; i < round_.size(); ++i) {
    const std::uint32_t member = (round_.me() + i) % round_.size();
    if (!what_.flow.starts_at(member)) continue;
    const std::size_t taken =
        round_.team().reaches(member) ? take_from(member) : fetch_from(member);
    moved = moved || taken != taken_[member];
    taken_[member] = taken;
    least = std::min(least, taken);
  }
  if (least != all_taken_) tell_taken(least);
  return moved;
}

// Returns the number of pieces taken.
std::size_t LargeMovement::take_from(std::uint32_t member) {
  const std::size_t taken = taken_[member];
  if (taken >= (member == round_.me() ? cut_.pieces : round_.shown(member))) return taken;
  copy_block(dest_of(member, taken), piece_of(member, taken), piece_size(taken));
  return taken + 1;
}

std::size_t LargeMovement::fetch_from(std::uint32_t member) {
  constexpr std::size_t most = std::size_t{4}
                               << 20;  // bytes; small enough that no rank waits for a free buffer
  Fetch& fetch = fetches_[member];
  if (fetch.posted == nullptr) fetch.posted = std::make_unique<Completion>();
  if (!fetch.posted->done()) return taken_[member];
  if (const Error* loss = fetch.posted->take_loss()) round_.team().with().lose(call_, loss->text);
  const std::size_t here = fetch.asked;
  const std::size_t until = std::min<std::size_t>(
      round_.shown(member), here + std::max<std::size_t>(1, most / cut_.stride));
  while (fetch.asked < until && post(member, fetch, until)) {
  }
  return here;
}

// Combines the pieces of a source that stays in place in one get. Returns false if the wire is
// full.
bool LargeMovement::post(std::uint32_t member, Fetch& fetch, std::size_t until) {
  const StagedTeam& team = round_.team();
  const CollectiveResources& with = team.with();
  const bool is_in_place = round_.slot(member).source != StagedTeam::nowhere;
  const std::size_t end = is_in_place ? until : fetch.asked + 1;
  const std::size_t begin = fetch.asked * cut_.stride;
  const MutableBytes dest{dest_of(member, fetch.asked),
                          std::min(end * cut_.stride, what_.block) - begin};
  const Remote from{team.rank_of(member), offset_of_piece(member, fetch.asked)};
  const RemoteAccess::Begun begun =
      with.remote->begin_get(with.lane, dest, from, *fetch.posted, RemoteAccess::NoRoom::refuse);
  if (begun == RemoteAccess::Begun::failed) with.lose(call_, with.lane.take_error()->text);
  if (begun == RemoteAccess::Begun::refused) return false;
  fetch.asked = end;
  return true;
}

void LargeMovement::tell_taken(std::size_t pieces) {
  all_taken_ = pieces;
  round_.take(pieces, what_.flow.from);
  if (!what_.flow.from)
    round_.team().wake_others();
  else if (*what_.flow.from != round_.me())
    round_.team().wake(*what_.flow.from);
}

// Other members may still be taking pieces.
bool LargeMovement::is_complete() const {
  if (what_.flow.ends_at(round_.me()) && all_taken_ < cut_.pieces) return false;
  return !what_.flow.starts_at(round_.me()) || slowest_taker() == cut_.pieces;
}

bool LargeMovement::advance() {
  if (!begun_ && !begin()) return false;
  for (bool moves = true; moves;) {
    moves = stage();
    if (take()) moves = true;
  }
  if (!is_complete()) return false;
  if (ticket_) round_.team().area_queue().release();
  round_.finish();
  return true;
}

}  // namespace gondwana::staged
