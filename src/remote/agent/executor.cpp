#include "remote/agent/executor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "memory/accumulate_locks.hpp"
#include "memory/owned_blocks.hpp"
#include "operations/copy.hpp"

namespace gondwana::remote {
namespace {

bool is_pass(RequestKind kind) {
  return kind == RequestKind::pass_to_device || kind == RequestKind::pass_to_arena;
}

}  // namespace

Result<void> Executor::execute(std::uint32_t heeded, Bytes& requests, std::size_t& added,
                               std::vector<ResultPart>& results) {
  std::atomic_thread_fence(std::memory_order_release);
  results_ = &results;
  while (!requests.empty()) {
    const auto request = read_request(requests, memory_.plan());
    if (!request)
      return Error{Errc::refused, "it is malformed: the memory of that rank is damaged"};
    if (is_late(request->request, heeded)) [[unlikely]] {
      drop(request->request);
    } else {
      const Result<bool> executed = execute(*request, added);
      if (!executed) return executed.error();
      if (!*executed) return {};
    }
    added = 0;
    requests = requests.subspan(request->size());
  }
  return {};
}

// Whether the request would change the memory of a process that has died, or of its replacement.
bool Executor::is_late(const Request& request, std::uint32_t heeded) const {
  const bool reads = request.kind == RequestKind::read || request.kind == RequestKind::get_packed;
  return deaths_.size() > heeded && !reads && deaths_.place_of(request.target().rank) > heeded;
}

// The sender gets a result, which it does not use: its call fails.
void Executor::drop(const Request& request) {
  const bool is_of_heap =
      request.kind == RequestKind::allocate || request.kind == RequestKind::release;
  const bool has_word = request.kind == RequestKind::atomic && request.size > 0;
  if (is_of_heap || has_word) results_->push_back({.word = 0});
}

void Executor::abandon(Bytes requests, std::size_t added) {
  const auto first = read_request(requests, memory_.plan());
  if (first && is_pass(first->request.kind) && added != 0) spaces_.abandon(added);
}

// False: an accumulate must wait.
Result<bool> Executor::execute(const ReceivedRequest& received, std::size_t& added) {
  if (received.request.kind == RequestKind::message)
    return Error{Errc::refused, "it is a message among other requests"};
  if (received.request.target().is_arena()) return execute_in_arena(received, added);
  return execute_on_device(received, added);
}

bool Executor::execute_in_arena(const ReceivedRequest& received, std::size_t& added) {
  const Request& request = received.request;
  switch (request.kind) {
    case RequestKind::store:
      store(request, {reinterpret_cast<const std::byte*>(&request.operand), request.size});
      break;
    case RequestKind::write:
      store(request, received.payload);
      break;
    case RequestKind::read:
      read(request);
      break;
    case RequestKind::put_packed:
      put_packed(received);
      break;
    case RequestKind::get_packed:
      get_packed(received);
      break;
    case RequestKind::accumulate:
      return accumulate(received, added);
    case RequestKind::atomic:
      update(received);
      break;
    case RequestKind::allocate:
    case RequestKind::release:
      manage_block(request);
      break;
    case RequestKind::message:
    case RequestKind::pass_to_device:
    case RequestKind::pass_to_arena:
      break;
  }
  return true;
}

Result<bool> Executor::execute_on_device(const ReceivedRequest& received, std::size_t& added) {
  const Request& request = received.request;
  ResultWord old = 0;
  has_passed_ = has_passed_ || is_pass(request.kind);
  Result<bool> executed = spaces_.execute(received, added, old);
  if (!executed || !*executed) return executed;
  if (request.kind == RequestKind::read) read(request);
  if (request.kind == RequestKind::get_packed) get_packed(received);
  if (request.kind == RequestKind::atomic && request.size > 0) results_->push_back({.word = old});
  return executed;
}

void Executor::store(const Request& request, Bytes bytes) {
  std::atomic_thread_fence(std::memory_order_release);
  copy_to_peer(place_of(request), bytes.data(), bytes.size());
  note_written(request.target().rank, request.offset, bytes.size());
}

void Executor::put_packed(const ReceivedRequest& received) {
  std::atomic_thread_fence(std::memory_order_release);
  const Rank to = received.request.target().rank;
  std::byte* arena = memory_.window(to);
  const std::byte* packed = received.packed().data();
  for (std::size_t i = 0; i < received.runs(); ++i) {
    const PackedRun run = received.run(i);
    copy_pieces({arena + run.offset, run.stride}, {packed, std::ptrdiff_t{run.size}}, run.size,
                run.count);
    packed += run.bytes();
    note_written(to, run);
  }
}

void Executor::read(const Request& request) {
  const auto size = static_cast<std::uint32_t>(request.operand);
  results_->push_back({request.target(), {.offset = request.offset, .size = size, .count = 1}});
}

void Executor::get_packed(const ReceivedRequest& received) {
  for (std::size_t i = 0; i < received.runs(); ++i)
    results_->push_back({received.request.target(), received.run(i)});
}

// Adds the part after the first `added` bytes. Ranks of this node add to the same elements under
// the same locks. False: a process of this node holds a lock.
bool Executor::accumulate(const ReceivedRequest& received, std::size_t& added) {
  const Rank to = received.request.target().rank;
  const Accumulation sum = Accumulation::unscaled(received.element());
  const std::size_t element = width(sum.type());
  std::byte* arena = memory_.window(to);
  HeldStripes stripes(memory_.page(to).accumulate_locks);
  std::size_t begin = 0;  // start of the piece in the packed bytes
  for (std::size_t i = 0; i < received.runs(); ++i) {
    const PackedRun run = received.run(i);
    std::uint64_t offset = run.offset;
    for (std::size_t piece = 0; piece < run.count; ++piece, begin += run.size) {
      while (added < begin + run.size) {
        const std::size_t done = added - begin;
        const std::size_t size = HeldStripes::next_part(offset + done, run.size - done, element);
        if (!stripes.try_move_to(offset + done, size)) return false;
        sum.add(arena + offset + done, received.packed().data() + added, size);
        added += size;
      }
      offset += static_cast<std::uint64_t>(run.stride);
    }
    note_written(to, run);
  }
  return true;
}

void Executor::update(const ReceivedRequest& received) {
  const Request& request = received.request;
  AtomicRequest atomic{request.op, request.type, request.operand};
  if (!received.payload.empty())
    std::memcpy(&atomic.compare, received.payload.data(), sizeof(atomic.compare));
  const ResultWord old = find_executor(request.op, request.type)(place_of(request), atomic);
  if (request.op != AtomicOp::fetch)
    note_written(request.target().rank, request.offset, width(request.type));
  if (request.size > 0) results_->push_back({.word = old});
}

void Executor::manage_block(const Request& request) {
  const Rank rank = request.target().rank;
  const ResultWord result =
      request.kind == RequestKind::allocate
          ? allocate_block(memory_, rank, request.operand, BlockOwner{request.offset})
          : static_cast<ResultWord>(memory_.remote_heap(rank).release(request.offset));
  results_->push_back({.word = result});
}

void Executor::pack(const ResultPart& part, std::byte* message) {
  const PackedRun& run = part.run;
  if (run.count == 0)
    std::memcpy(message, &part.word, sizeof(part.word));
  else if (part.at.is_arena())
    copy_pieces({message, std::ptrdiff_t{run.size}},
                {memory_.window(part.at.rank) + run.offset, run.stride}, run.size, run.count);
  else
    spaces_.read(part.at, run, message);
}

// Merges repeated writes, because a batch often writes the same place again.
void Executor::note_written(Rank rank, std::uint64_t offset, std::size_t size) {
  if (!written_.empty()) {
    const Written& last = written_.back();
    if (last.rank == rank && last.offset == offset && last.size == size) return;
  }
  written_.push_back({rank, offset, size});
}

void Executor::note_written(Rank rank, const PackedRun& run) {
  const std::ptrdiff_t distance = run.stride * (static_cast<std::ptrdiff_t>(run.count) - 1);
  const auto below = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(-distance, 0));
  note_written(rank, run.offset - below, static_cast<std::size_t>(std::abs(distance)) + run.size);
}

void Executor::ring() {
  for (const Written& each : written_)
    memory_.data_bell(each.rank).ring_if_watched(each.offset, each.size);
  written_.clear();
}

}  // namespace gondwana::remote
