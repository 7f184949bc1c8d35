#include "support/loopback/loopback.hpp"

#include <fmt/format.h>

#include <thread>

#include "operations/copy.hpp"

namespace gondwana {
namespace {

// A failure is the caller's fault, because it knows which spaces exist.
void succeed(const Result<void>& result) {
  GONDWANA_ASSERT(static_cast<bool>(result), result.error().text);
}
bool succeed(const Result<bool>& result) {
  GONDWANA_ASSERT(static_cast<bool>(result), result.error().text);
  return *result;
}

std::vector<StridedRun> copies_of(std::span<const StridedRun> pieces) {
  return {pieces.begin(), pieces.end()};
}

// Calls `use` with each run, whose local side is its part of the packed bytes.
template <typename Use>
void for_each_packed(const std::vector<StridedRun>& runs, const std::byte* packed, const Use& use) {
  for (StridedRun run : runs) {
    run.here = const_cast<std::byte*>(packed);
    run.here_stride = static_cast<std::ptrdiff_t>(run.size);
    packed += run.bytes();
    use(run);
  }
}

void sum(AnyMemory& there, Space to, const Accumulation& what, const StridedRun& run) {
  for (std::size_t i = 0; i < run.count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const Remote piece{to, run.there + static_cast<std::uint64_t>(at * run.there_stride)};
    const Bytes terms(run.here + at * run.here_stride, run.size);
    for (std::size_t added = 0; !succeed(there.try_add(piece, what, terms, added));)
      std::this_thread::yield();
  }
}

}  // namespace

Loopback::Loopback(Setup setup)
    : nodes_(std::move(setup.nodes)),
      kinds_(setup.kinds ? std::move(setup.kinds) : std::make_shared<Kinds>()),
      me_(setup.me),
      boxes_(std::move(setup.boxes)) {
  for (const std::shared_ptr<NodeMemory>& node : nodes_) devices_.emplace_back(*node, *kinds_);
}

Result<std::byte*> Loopback::locate(Remote place, std::size_t size) const {
  for (const auto& node : nodes_) {
    const NodePlan& plan = node->plan();
    if (!plan.node_ranks().holds(place.rank)) continue;
    if (size > plan.arena_size() || place.offset > plan.arena_size() - size) break;
    return node->window(place.rank) + place.offset;
  }
  return Error{Errc::invalid_argument,
               fmt::format("{} B at offset {} of rank {} are outside every arena", size,
                           place.offset, index(place.rank))};
}

Posted Loopback::post(What what, Completion& done) {
  if (queue_.size() >= queue_length) return Posted::busy;
  done.begin();
  queue_.push_back({std::move(what), &done});
  return Posted::accepted;
}

Posted Loopback::post_on_device(Rank rank, std::function<void(AnyMemory&)> act, Completion& done) {
  const auto node = std::ranges::find_if(
      nodes_, [rank](const auto& each) { return each->roster().is_here(rank); });
  GONDWANA_ASSERT(node != nodes_.end(), index(rank));
  AnyMemory& memory = devices_[static_cast<std::size_t>(node - nodes_.begin())];
  return post(OnDevice{&memory, std::move(act)}, done);
}

Result<Posted> Loopback::put(Remote to, Bytes source, Completion& done) {
  const StridedRun whole{.size = source.size(),
                         .count = 1,
                         .there = to.offset,
                         .here = const_cast<std::byte*>(source.data())};
  return put_packed(to.owner(), std::span(&whole, 1), done);
}

Result<Posted> Loopback::write(Remote to, Bytes source, Completion& done) {
  if (!to.owner().is_arena()) return put(to, source, done);
  const Result<std::byte*> place = locate(to, source.size());
  if (!place) return place.error();
  return post(Write{*place, source}, done);
}

Result<Posted> Loopback::read(MutableBytes target, Remote from, Completion& done) {
  if (!from.owner().is_arena()) {
    const auto get = [=](AnyMemory& there) { succeed(there.get(target, from)); };
    return post_on_device(from.rank, get, done);
  }
  const Result<std::byte*> place = locate(from, target.size());
  if (!place) return place.error();
  return post(Read{target, *place}, done);
}

Result<std::vector<Loopback::Located>> Loopback::locate(Space peer,
                                                        std::span<const StridedRun> pieces) const {
  std::vector<Located> located;
  for (const StridedRun& each : pieces) {
    const auto last = each.there_stride * (static_cast<std::ptrdiff_t>(each.count) - 1);
    const Result<std::byte*> first = locate({peer, each.there}, each.size);
    if (!first) return first.error();
    const Remote end{peer, each.there + static_cast<std::uint64_t>(last)};
    if (const Result<std::byte*> found = locate(end, each.size); !found) return found.error();
    located.push_back({each, *first});
  }
  return located;
}

Result<Posted> Loopback::put_packed(Space to, std::span<const StridedRun> pieces,
                                    Completion& done) {
  std::vector<std::byte> packed(bytes_of(pieces));
  pack(pieces, packed.data());
  if (!to.is_arena()) {
    const auto put = [to, runs = copies_of(pieces), bytes = std::move(packed)](AnyMemory& there) {
      for_each_packed(runs, bytes.data(),
                      [&](const StridedRun& run) { succeed(there.put(to, run)); });
    };
    return post_on_device(to.rank, put, done);
  }
  Result<std::vector<Located>> located = locate(to, pieces);
  if (!located) return located.error();
  return post(PackedPut{*std::move(located), std::move(packed)}, done);
}

Result<Posted> Loopback::get_packed(Space from, std::span<const StridedRun> pieces,
                                    Completion& done) {
  if (!from.is_arena()) {
    const auto get = [from, runs = copies_of(pieces)](AnyMemory& there) {
      for (const StridedRun& run : runs) succeed(there.get(from, run));
    };
    return post_on_device(from.rank, get, done);
  }
  Result<std::vector<Located>> located = locate(from, pieces);
  if (!located) return located.error();
  return post(PackedGet{*std::move(located)}, done);
}

Result<Posted> Loopback::accumulate(Space to, const Accumulation& what,
                                    std::span<const StridedRun> pieces, Completion& done) {
  std::vector<std::byte> packed(bytes_of(pieces));
  pack(pieces, packed.data());
  if (!to.is_arena()) {
    const auto add = [to, what, runs = copies_of(pieces),
                      bytes = std::move(packed)](AnyMemory& there) {
      for_each_packed(runs, bytes.data(),
                      [&](const StridedRun& run) { sum(there, to, what, run); });
    };
    return post_on_device(to.rank, add, done);
  }
  Result<std::vector<Located>> located = locate(to, pieces);
  if (!located) return located.error();
  for (const std::shared_ptr<NodeMemory>& node : nodes_)
    if (node->roster().is_here(to.rank))
      return post(
          Sum{*std::move(located), std::move(packed), what, &node->page(to.rank).accumulate_locks},
          done);
  return Error{Errc::invalid_argument, fmt::format("no node holds rank {}", index(to.rank))};
}

Result<Posted> Loopback::pass(Space space, std::span<const StridedRun> pieces, std::uint64_t packed,
                              Pass way, Completion& done) {
  const Result<std::byte*> place = locate({space.rank, packed}, bytes_of(pieces));
  if (!place) return place.error();
  const auto copy = [=, runs = copies_of(pieces), bytes = *place](AnyMemory& there) {
    for_each_packed(runs, bytes, [&](const StridedRun& run) {
      succeed(way == Pass::to_device ? there.put(space, run) : there.get(space, run));
    });
  };
  return post_on_device(space.rank, copy, done);
}

Result<Posted> Loopback::atomic(Remote at, const AtomicRequest& request, std::byte* result,
                                Completion& done) {
  if (!at.owner().is_arena()) {
    const auto update = [at, request, result](AnyMemory& there) {
      std::uint64_t old = 0;
      while (!succeed(there.try_update(at, request, old))) std::this_thread::yield();
      if (result != nullptr) std::memcpy(result, &old, width(request.type));
    };
    return post_on_device(at.rank, update, done);
  }
  const Result<std::byte*> place = locate(at, width(request.type));
  if (!place) return place.error();
  return post(Atomic{*place, request, result}, done);
}

RemoteHeap Loopback::heap_of(Rank rank) const {
  const auto node = std::ranges::find_if(
      nodes_, [rank](const auto& each) { return each->roster().is_here(rank); });
  GONDWANA_ASSERT(node != nodes_.end(), index(rank));
  return (*node)->remote_heap(rank);
}

Result<Posted> Loopback::allocate(Rank at, std::uint64_t size, BlockOwner owner,
                                  std::uint64_t& block, Completion& done) {
  const auto allocate = [heap = heap_of(at), size, owner, &block]() mutable {
    block = heap.allocate(size, owner);
  };
  return post(OnHeap{allocate}, done);
}

Result<Posted> Loopback::release(Remote block, std::uint64_t& result, Completion& done) {
  const auto release = [heap = heap_of(block.rank), block, &result]() mutable {
    result = static_cast<std::uint64_t>(heap.release(block.offset));
  };
  return post(OnHeap{release}, done);
}

Result<Posted> Loopback::send_message(Rank to, Bytes head, Bytes body, Departure /*departure*/) {
  if (index(to) >= boxes_->ranks() || head.size() + body.size() > remote::longest_message)
    return Error{Errc::invalid_argument, fmt::format("cannot send a message of {} B to rank {}",
                                                     head.size() + body.size(), index(to))};
  return boxes_->post(me_, to, head, body) ? Posted::accepted : Posted::busy;
}

bool Loopback::progress() {
  const bool executed = execute_one();
  return receive_one() || executed;
}

// No event reports a message, so the rank yields to others that may send one.
void Loopback::sleep(std::chrono::microseconds /*limit*/) {
  std::this_thread::yield();
}

bool Loopback::receive_one() {
  if (!receiver_) return false;
  const std::optional<MessageQueues::Message> message = boxes_->take(me_);
  if (message) receiver_(message->from, message->bytes);
  return message.has_value();
}

bool Loopback::execute_one() {
  if (queue_.empty()) return false;
  const Operation operation = std::move(queue_.front());
  queue_.pop_front();
  std::visit([](const auto& what) { execute(what); }, operation.what);
  operation.done->finish();
  return true;
}

void Loopback::execute(const Write& write) {
  copy_to_peer(write.to, write.source.data(), write.source.size());
}

void Loopback::execute(const Read& read) {
  copy_from_peer(read.target.data(), read.from, read.target.size());
}

void Loopback::execute(const PackedPut& spread) {
  const std::byte* packed = spread.packed.data();
  for (const auto& [pieces, there] : spread.pieces) {
    const auto size = static_cast<std::ptrdiff_t>(pieces.size);
    copy_pieces({there, pieces.there_stride}, {packed, size}, pieces.size, pieces.count);
    packed += pieces.bytes();
  }
}

void Loopback::execute(const Sum& sum) {
  HeldStripes stripes(*sum.locks);
  const std::size_t element = width(sum.what.type());
  const std::byte* packed = sum.packed.data();
  for (const auto& [pieces, there] : sum.pieces)
    for (std::size_t i = 0; i < pieces.count * pieces.size / element; ++i, packed += element) {
      const std::size_t piece = i * element / pieces.size;
      const auto at = static_cast<std::ptrdiff_t>(piece) * pieces.there_stride;
      const std::size_t within = i * element % pieces.size;
      while (!stripes.try_move_to(pieces.there + static_cast<std::uint64_t>(at) + within, element))
        std::this_thread::yield();
      sum.what.add(there + at + within, packed, element);
    }
}

void Loopback::execute(const PackedGet& gather) {
  for (const auto& [pieces, there] : gather.pieces)
    copy_pieces({pieces.here, pieces.here_stride}, {there, pieces.there_stride}, pieces.size,
                pieces.count);
}

void Loopback::execute(const Atomic& atomic) {
  const std::uint64_t old =
      find_executor(atomic.request.op, atomic.request.type)(atomic.at, atomic.request);
  if (atomic.result != nullptr) std::memcpy(atomic.result, &old, width(atomic.request.type));
}

}  // namespace gondwana
