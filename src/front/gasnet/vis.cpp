// Vector, indexed and strided puts and gets. GASNet-EX 0.19, VIS.
//
// On a node the initiator copies. Across nodes it puts or gets all pieces together and waits. Every
// form is complete when it returns. The whole range of peer addresses is translated once.
#include "gasnet_vis.h"

#include <atomic>
#include <limits>
#include <utility>

#include "engine/rma/far_pieces.hpp"
#include "front/gasnet/door.hpp"
#include "front/gasnet/messages.hpp"
#include "front/gasnet/outgoing.hpp"
#include "front/gasnet/rma.hpp"
#include "operations/strided/copy.hpp"
#include "operations/strided/lists.hpp"
#include "operations/strided/optimize.hpp"

namespace gondwana::gasnet {
namespace {

using strided::End;

// The peer of a call, and its end of the transfer.
struct Peer {
  gex_TM_t team;
  gex_Rank_t rank;
  End side;  // device memory is on at least one side
  gex_Flags_t flags;
  bool is_by_kind = false;  // whether memory of a side is on a device

  CallName call() const { return side == End::target ? "gex_VIS_Put" : "gex_VIS_Get"; }
};

// The handler that the thread's next put runs at the peer.
struct Notice {
  gex_AM_Index_t handler = 0;
  Bytes payload;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Notice notice;

void notify(const Peer& peer) {
  const Notice armed = std::exchange(notice, {});
  if (armed.handler == 0) return;
  const Team& team = Team::of(peer.team);
  send_medium({*team.door, team.processes[peer.rank], team.indices[peer.rank], team.endpoint->index,
               MessageClass::notice, peer.call()},
              armed.handler, armed.payload, nullptr, 0, {0, nullptr});
}

// The transfer is empty. Team and rank need not exist, unless a notice is armed.
bool finish_nothing(const Peer& peer) {
  if (peer.side == End::source || notice.handler == 0) return true;
  if (peer.team != GEX_TM_INVALID && peer.rank < Team::of(peer.team).size)
    notify(peer);
  else
    notice = {};
  return true;
}

// Orders the transfer before later operations of the caller, as gasnet/rma.h does.
bool finish(const Peer& peer) {
  if (peer.side == End::source) {
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  std::atomic_thread_fence(std::memory_order_release);
  gondwana_gex_wake(peer.team, peer.rank);
  notify(peer);
  return true;
}

template <typename T>
T checked(const Result<T>& result, const Peer& peer) {
  if (!result) give_up(peer.call(), result.error().text);
  return *result;
}

RemoteMemory& remote_memory(const Peer& peer) {
  return Team::of(peer.team).door->remote();
}

// Notes whether the transfer touches device memory. `own`: any address of this process.
void judge(Peer& peer, const void* own) {
  const Team& team = Team::of(peer.team);
  if (team.door->devices().exists()) [[unlikely]]
    peer.is_by_kind = is_by_kind(team, peer.rank, own, peer.call());
}

// The address to use: never a local one if a device kind carries out the transfer.
PeerAddress address_for(const Peer& peer, const PeerAddress& found) {
  if (!peer.is_by_kind) [[likely]]
    return found;
  const Team& team = Team::of(peer.team);
  return {nullptr, as_elsewhere(*team.door, team.processes[peer.rank], found)};
}

PeerAddress find_peer(const Peer& peer, const Place& place) {
  return address_for(peer, gasnet::find_peer(peer.team, peer.rank, place, peer.flags, peer.call()));
}

KindPieces kind_pieces_of(const Peer& peer, Space there) {
  return {remote_memory(peer).devices(), there, peer.side, peer.call()};
}

FarPieces pieces_of(const Peer& peer) {
  const Team& team = Team::of(peer.team);
  return {team.door->engine().remote(), *remote_memory(peer).lane(), team.process(peer.rank),
          peer.side, without_room(peer.flags)};
}

MessagePieces pieces_of(const MessageMemory& memory, const Peer& peer) {
  return {memory, Team::of(peer.team).process(peer.rank), peer.side, peer.call(),
          without_room(peer.flags)};
}

// An address in this process, or an offset in the peer's arena.
std::uintptr_t number_of(const PeerAddress& address) {
  return address.here != nullptr ? reinterpret_cast<std::uintptr_t>(address.here)
                                 : address.elsewhere.offset;
}

// `tell(pieces)` moves all pieces. This and the functions below return false if the queue was full.
// They have no effect then.
template <typename Tell>
bool move_pieces(const Peer& peer, Space there, const Tell& tell) {
  if (peer.is_by_kind || !there.is_arena()) [[unlikely]] {
    KindPieces pieces = kind_pieces_of(peer, there);
    tell(pieces);
    pieces.finish();
    return true;
  }
  if (const MessageMemory* memory = remote_memory(peer).everything()) {
    MessagePieces pieces = pieces_of(*memory, peer);
    tell(pieces);
    return pieces.finish();
  }
  FarPieces pieces = pieces_of(peer);
  tell(pieces);
  return remote_memory(peer).has_begun(pieces.finish(peer.call()), peer.call());
}

template <strided::BlockList List>
bool move_list(const List& theirs, const List& ours, const Peer& peer, Space there) {
  return move_pieces(peer, there, [&](auto& pieces) { move_blocks(pieces, theirs, ours); });
}

std::ptrdiff_t own_shift(const Peer& peer) {
  std::byte* base = find_own(peer.team, nullptr, peer.flags, peer.call());
  return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(base));
}

void check_lengths(std::size_t theirs, std::size_t ours, const Peer& peer) {
  if (theirs != ours)
    give_up(peer.call(), fmt::format("the two lists are of different length: {} bytes at the peer, "
                                     "{} here",
                                     theirs, ours));
}

bool copy_vectors(strided::Vectors target, strided::Vectors source, Peer peer) {
  strided::Vectors& theirs = peer.side == End::target ? target : source;
  strided::Vectors& ours = peer.side == End::target ? source : target;
  const strided::Touched touched = checked(strided::touched(theirs), peer);
  const strided::Touched own = checked(strided::touched(ours), peer);
  check_lengths(touched.bytes, own.bytes, peer);
  if (touched.bytes == 0) return finish_nothing(peer);
  judge(peer, reinterpret_cast<const void*>(own.begin));
  const Place place{reinterpret_cast<const void*>(touched.begin), touched.end - touched.begin};
  const PeerAddress address = find_peer(peer, place);
  theirs.shift = static_cast<std::ptrdiff_t>(number_of(address) - touched.begin);
  ours.shift = own_shift(peer);
  if (address.here != nullptr)
    strided::copy(target, source);
  else if (!move_list(theirs, ours, peer, address.elsewhere.owner()))
    return false;
  return finish(peer);
}

std::size_t bytes_of(const strided::Indexed& list, const Peer& peer) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(list.count(), list.length, &bytes) || bytes >= strided::longest)
    give_up(peer.call(), fmt::format("a list of {} blocks of {} bytes is longer than 2^62 bytes",
                                     list.count(), list.length));
  return bytes;
}

// The window that the blocks of the peer's list must be in. Sets the shift of the list.
strided::Window window_of_peer(strided::Indexed& list, const PeerSegment& segment,
                               const Peer& peer) {
  const bool by_offset = (peer.flags & GEX_FLAG_PEER_SEG_OFFSET) != 0;
  const std::uintptr_t begin = by_offset ? 0 : segment.owner;
  list.shift = static_cast<std::ptrdiff_t>(number_of(segment.base) - begin);
  return {peer.side, begin, segment.size};
}

// The index of the first block outside the window.
std::optional<std::size_t> first_outside(const strided::Window& window,
                                         const strided::Indexed& list) {
  for (std::size_t i = 0; i < list.count(); ++i) {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(list.addresses[i]) - window.begin;
    if (at >= window.size || list.length > window.size - at) return i;
  }
  return std::nullopt;
}

bool copy_indexed(strided::Indexed target, strided::Indexed source, Peer peer) {
  strided::Indexed& theirs = peer.side == End::target ? target : source;
  strided::Indexed& ours = peer.side == End::target ? source : target;
  const std::size_t bytes = bytes_of(theirs, peer);
  check_lengths(bytes, bytes_of(ours, peer), peer);
  if (bytes == 0) return finish_nothing(peer);
  judge(peer, ours.addresses[0]);
  PeerSegment segment = segment_of(Team::of(peer.team), peer.rank, peer.call());
  segment.base = address_for(peer, segment.base);
  const strided::Window window = window_of_peer(theirs, segment, peer);
  ours.shift = own_shift(peer);
  const bool is_here = segment.base.here != nullptr;
  if (const auto outside =
          is_here ? strided::copy_within(window, target, source) : first_outside(window, theirs))
    find_peer(peer, {theirs.addresses[*outside], theirs.length});  // reports the error
  if (!is_here && !move_list(theirs, ours, peer, segment.base.elsewhere.owner())) return false;
  return finish(peer);
}

strided::Vectors vectors(std::size_t count, const gex_Memvec_t* list) {
  static_assert(sizeof(gex_Memvec_t) == sizeof(strided::Block) &&
                offsetof(gex_Memvec_t, gex_len) == offsetof(strided::Block, length));
  return {{reinterpret_cast<const strided::Block*>(list), count}};
}

strided::Indexed indexed(std::size_t count, void* const* list, std::size_t length) {
  return {{list, count}, length};
}

// A section of an array, as in the call.
struct Section {
  void* target;
  const std::ptrdiff_t* target_strides;
  void* source;
  const std::ptrdiff_t* source_strides;
  std::size_t element;
  const std::size_t* counts;
  std::size_t levels;
};

PeerAddress place_of_peer(const strided::Transfer& transfer, const Section& section,
                          const Peer& peer) {
  const strided::Bounds bounds = transfer.bounds(peer.side);
  const auto base =
      reinterpret_cast<std::uintptr_t>(peer.side == End::target ? section.target : section.source);
  const auto* first =
      reinterpret_cast<const std::byte*>(base + static_cast<std::uintptr_t>(bounds.begin));
  const Place place{first, static_cast<std::size_t>(bounds.end - bounds.begin)};
  return behind(find_peer(peer, place), -bounds.begin);
}

bool copy_between(const strided::Transfer& transfer, const PeerAddress& theirs, std::byte* ours,
                  const Peer& peer) {
  if (theirs.here == nullptr)
    return move_pieces(peer, theirs.elsewhere.owner(), [&](auto& pieces) {
      move_section(pieces, transfer, theirs.elsewhere.offset, ours);
    });
  if (peer.side == End::target)
    strided::copy(transfer, theirs.here, ours);
  else
    strided::copy(transfer, ours, theirs.here);
  return true;
}

bool copy_section(const Section& section, Peer peer) {
  const strided::Description shape{section.element,
                                   {section.counts, section.levels},
                                   {section.target_strides, section.levels},
                                   {section.source_strides, section.levels}};
  const Result<strided::Transfer> transfer = strided::optimize(shape, peer.side);
  if (!transfer) give_up(peer.call(), transfer.error().text);
  if (transfer->is_empty()) return finish_nothing(peer);
  void* own = peer.side == End::target ? section.source : section.target;
  judge(peer, own);
  const PeerAddress theirs = place_of_peer(*transfer, section, peer);
  std::byte* ours = find_own(peer.team, own, peer.flags, peer.call());
  return copy_between(*transfer, theirs, ours, peer) && finish(peer);
}

int result_of(bool started) {
  return started ? 0 : 1;
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow
using gondwana::strided::End;

// NOLINTBEGIN(readability-function-size): the standard chose the parameters

int gex_VIS_VectorPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                              const gex_Memvec_t dstlist[], size_t srccount,
                              const gex_Memvec_t srclist[], gex_Flags_t flags) {
  return result_of(copy_vectors(vectors(dstcount, dstlist), vectors(srccount, srclist),
                                {tm, dstrank, End::target, flags}));
}

int gex_VIS_VectorGetBlocking(gex_TM_t tm, size_t dstcount, const gex_Memvec_t dstlist[],
                              gex_Rank_t srcrank, size_t srccount, const gex_Memvec_t srclist[],
                              gex_Flags_t flags) {
  return result_of(copy_vectors(vectors(dstcount, dstlist), vectors(srccount, srclist),
                                {tm, srcrank, End::source, flags}));
}

int gex_VIS_IndexedPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                               void* const dstlist[], size_t dstlen, size_t srccount,
                               void* const srclist[], size_t srclen, gex_Flags_t flags) {
  return result_of(copy_indexed(indexed(dstcount, dstlist, dstlen),
                                indexed(srccount, srclist, srclen),
                                {tm, dstrank, End::target, flags}));
}

int gex_VIS_IndexedGetBlocking(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                               gex_Rank_t srcrank, size_t srccount, void* const srclist[],
                               size_t srclen, gex_Flags_t flags) {
  return result_of(copy_indexed(indexed(dstcount, dstlist, dstlen),
                                indexed(srccount, srclist, srclen),
                                {tm, srcrank, End::source, flags}));
}

int gex_VIS_StridedPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                               const ptrdiff_t dststrides[], void* srcaddr,
                               const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],
                               size_t stridelevels, gex_Flags_t flags) {
  return result_of(
      copy_section({dstaddr, dststrides, srcaddr, srcstrides, elemsz, count, stridelevels},
                   {tm, dstrank, End::target, flags}));
}

int gex_VIS_StridedGetBlocking(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                               gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                               size_t elemsz, const size_t count[], size_t stridelevels,
                               gex_Flags_t flags) {
  return result_of(
      copy_section({dstaddr, dststrides, srcaddr, srcstrides, elemsz, count, stridelevels},
                   {tm, srcrank, End::source, flags}));
}

void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source_addr,
                                      size_t nbytes, gex_Flags_t /*flags*/) {
  if (nbytes > GEX_VIS_MAX_PEERCOMPLETION)
    give_up("gex_VIS_SetPeerCompletionHandler",
            fmt::format("a payload of {} bytes; the maximum is {}", nbytes,
                        GEX_VIS_MAX_PEERCOMPLETION));
  notice = {handler, {static_cast<const std::byte*>(source_addr), nbytes}};
}

// NOLINTEND(readability-function-size)
