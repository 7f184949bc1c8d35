#include "remote/agent/space_requests.hpp"

#include <cstring>
#include <iterator>

namespace gondwana::remote {
namespace {

Result<bool> done_unless(const Result<void>& failed) {
  return failed ? Result<bool>(true) : failed.error();
}

// The pieces of a run, packed at `packed`. A put only reads this memory.
StridedRun run_of(const PackedRun& run, const std::byte* packed) {
  return {.size = run.size,
          .count = run.count,
          .there = run.offset,
          .there_stride = run.stride,
          .here = const_cast<std::byte*>(packed),
          .here_stride = std::ptrdiff_t{run.size}};
}

AtomicRequest atomic_of(const ReceivedRequest& received) {
  AtomicRequest atomic{received.request.op, received.request.type, received.request.operand};
  if (!received.payload.empty())
    std::memcpy(&atomic.compare, received.payload.data(), sizeof(atomic.compare));
  return atomic;
}

}  // namespace

void SpaceRequests::follow() {
  const std::uint32_t asked = memory_.header().files_asked.load(std::memory_order_acquire);
  if (asked == asked_) return;
  asked_ = asked;
  any_.forget_removed();
  for (const Rank rank : memory_.roster().here())
    for (std::uint32_t number = 1; number < max_spaces; ++number) {
      // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): only the arena's has a name
      const Space space{rank, SpaceId(number)};
      const SpaceRow& row = space_row(memory_.window(rank), space.id);
      if (row.version.load(std::memory_order_relaxed) == 0)
        break;  // no later number is in use either
      follow(space);
    }
}

void SpaceRequests::follow(Space space) {
  SpaceRow& row = space_row(memory_.window(space.rank), space.id);
  const std::optional<SpaceInfo> info = read_space(row);
  if (!info || info->version == (row.seen_by_agent.load(std::memory_order_relaxed) & ~1U)) return;
  const bool is_reached = static_cast<bool>(any_.check({space, 0}, info->size));
  // Pairs with OwnSpaces. The versions of complete rows are even.
  row.seen_by_agent.store(info->version + (is_reached ? 0 : 1), std::memory_order_release);
}

Result<bool> SpaceRequests::execute(const ReceivedRequest& received, std::size_t& added,
                                    ResultWord& old) {
  const Request& request = received.request;
  const Remote place{request.target(), request.offset};
  const auto* word = reinterpret_cast<const std::byte*>(&request.operand);
  switch (request.kind) {
    case RequestKind::store:
      return done_unless(any_.put(place, {word, request.size}));
    case RequestKind::write:
      return done_unless(any_.put(place, received.payload));
    case RequestKind::read:
      return done_unless(any_.check(place, request.operand));
    case RequestKind::put_packed:
      return put_rows(received);
    case RequestKind::get_packed:
      return find_rows(received);
    case RequestKind::accumulate:
      return add(received, added);
    case RequestKind::atomic:
      return any_.try_update(place, atomic_of(received), old);
    case RequestKind::pass_to_device:
    case RequestKind::pass_to_arena:
      return pass(received, added);
    case RequestKind::allocate:
    case RequestKind::release:
    case RequestKind::message:
      break;
  }
  return Error{Errc::invalid_argument,
               "a message or a request for a block goes to a rank, not to a space of it"};
}

Result<bool> SpaceRequests::put_rows(const ReceivedRequest& received) {
  const std::byte* packed = received.packed().data();
  for (std::size_t i = 0; i < received.runs(); ++i) {
    const PackedRun run = received.run(i);
    const Result<void> put = any_.put(received.request.target(), run_of(run, packed));
    if (!put) return put.error();
    packed += run.bytes();
  }
  return true;
}

Result<bool> SpaceRequests::find_rows(const ReceivedRequest& received) {
  for (std::size_t i = 0; i < received.runs(); ++i) {
    const Result<void> found =
        any_.check(received.request.target(), run_of(received.run(i), nullptr));
    if (!found) return found.error();
  }
  return true;
}

Result<bool> SpaceRequests::add(const ReceivedRequest& received, std::size_t& added) {
  const Accumulation sum = Accumulation::unscaled(received.element());
  std::size_t begin = 0;  // start of the piece in the packed bytes
  for (std::size_t i = 0; i < received.runs(); ++i) {
    const PackedRun run = received.run(i);
    std::uint64_t offset = run.offset;
    for (std::size_t piece = 0; piece < run.count; ++piece, begin += run.size) {
      if (added < begin + run.size) {
        std::size_t done = added - begin;
        const Result<bool> all = any_.try_add({received.request.target(), offset}, sum,
                                              received.packed().subspan(begin, run.size), done);
        added = begin + done;
        if (!all || !*all) return all;
      }
      offset += static_cast<std::uint64_t>(run.stride);
    }
  }
  return true;
}

// Meanwhile the agent serves others, and the network transfers the next bytes.
Result<bool> SpaceRequests::pass(const ReceivedRequest& received, std::size_t& number) {
  Result<void> begun{};
  if (number == 0) {
    forget_abandoned();
    number = ++last_;
    begun = begin(received, passing_[number]);
  }
  Passing& passing = passing_[number];
  if (passing.kind != nullptr) {
    if (begun && !passing.kind->test(passing.done)) return false;
    const Result<void> completed = passing.kind->complete(passing.done);
    if (begun) begun = completed;
  }
  passing_.erase(number);
  return done_unless(begun);
}

Result<void> SpaceRequests::begin(const ReceivedRequest& received, Passing& passing) {
  const Space space = received.request.target();
  const std::byte* packed = memory_.window(space.rank) + received.request.offset;
  const bool is_put = received.request.kind == RequestKind::pass_to_device;
  const auto done_of = [&](Kind& kind) -> Completion& {
    passing.kind = &kind;
    return passing.done;
  };
  Result<void> begun{};
  for (std::size_t i = 0; i < received.runs() && begun; ++i) {
    const StridedRun run = run_of(received.run(i), packed);
    if (run.count > 1)
      begun = is_put ? any_.put(space, run) : any_.get(space, run);
    else
      begun = is_put ? any_.begin_put(space, run, done_of) : any_.begin_get(space, run, done_of);
    packed += run.bytes();
  }
  return begun;
}

void SpaceRequests::abandon(std::size_t number) {
  abandoned_.insert(passing_.extract(number));
}

void SpaceRequests::forget_abandoned() {
  for (auto each = abandoned_.begin(); each != abandoned_.end();) {
    Passing& passing = each->second;
    const bool is_over = passing.kind == nullptr || passing.kind->test(passing.done);
    each = is_over ? abandoned_.erase(each) : std::next(each);
  }
}

SpaceRequests::~SpaceRequests() {
  passing_.merge(abandoned_);
  for (auto& [number, passing] : passing_)
    if (passing.kind != nullptr) passing.kind->wait(passing.done);
}

void SpaceRequests::read(Space from, const PackedRun& run, std::byte* message) {
  if (!any_.get(from, run_of(run, message))) std::memset(message, 0, run.bytes());
}

}  // namespace gondwana::remote
