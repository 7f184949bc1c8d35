#include "engine/rma/kind_access.hpp"

#include <sched.h>

#include <utility>

#include "engine/rma/bounce/transfer.hpp"

namespace gondwana {

// The resources of transfers to and from other nodes.
struct KindAccess::Bounces {
  Bounces(RemoteAccess& remote, AnyMemory& any, Kinds& kinds)
      : landings(remote), with{remote, any, kinds, landings, staging} {}

  bounce::Landings landings;
  bounce::Staging staging;
  bounce::Resources with;
};

KindAccess::KindAccess(const NodeMemory& memory, Kinds& kinds, Rank me, const Reach& reach,
                       RemoteAccess* remote)
    : kinds_(kinds), any_(memory, kinds, me), reach_(reach), remote_(remote) {
  if (remote != nullptr) bounces_ = std::make_unique<Bounces>(*remote, any_, kinds);
}

KindAccess::~KindAccess() = default;

namespace {

// A copy within the node. Its error is stored in the lane.
class NearWork final : public KindWork {
 public:
  // `window`: the arena of a rank that may sleep until the copy is complete; null: none.
  NearWork(Lane& lane, std::byte* window) : lane_(lane), landing_(window) {}
  NearWork(const NearWork&) = delete;
  NearWork& operator=(const NearWork&) = delete;
  ~NearWork() override = default;

  Completion& of(Kind& kind) {
    kind_ = &kind;
    return done_;
  }
  bool advance() override {
    if (kind_ != nullptr && !kind_->test(done_)) return false;
    if (const Error* loss = done_.take_loss(); loss != nullptr) lane_.fail(*loss);
    if (landing_ != nullptr) Reach::wake(std::exchange(landing_, nullptr));
    return true;
  }
  bool has_free_source() const override { return done_.done(); }

 private:
  Lane& lane_;
  std::byte* landing_;
  Kind* kind_ = nullptr;  // null: already complete
  Completion done_ = {};
};

}  // namespace

bool KindAccess::put(Lane& lane, Space to, const StridedRun& pieces) {
  if (pieces.bytes() == 0) return true;
  if (!is_here(to.rank)) return move_far(lane, bounce::Way::put, to, pieces);
  if (const Result<void> put = any_.put(to, pieces); !put) return lane.fail(put.error());
  lane.counters().add_put(pieces.bytes());
  Reach::wake(reach_.window(to.rank));  // the rank may also wait for a word in device memory
  return true;
}

bool KindAccess::get(Lane& lane, Space from, const StridedRun& pieces) {
  if (pieces.bytes() == 0) return true;
  if (!is_here(from.rank)) {
    remote_->drain(lane);  // the get must see earlier puts of this rank
    return move_far(lane, bounce::Way::get, from, pieces);
  }
  if (const Result<void> got = any_.get(from, pieces); !got) return lane.fail(got.error());
  lane.counters().add_get(pieces.bytes());
  return true;
}

bool KindAccess::begin_put(Lane& lane, Space to, const StridedRun& piece) {
  if (!is_here(to.rank)) return begin_far(lane, bounce::Way::put, to, piece);
  KindCopies::Beginning copies(lane.kind_copies());
  const auto done_of = [&](Kind& kind) -> Completion& { return copies.of(kind); };
  if (const Result<void> put = any_.begin_put(to, piece, done_of); !put)
    return lane.fail(put.error());
  lane.counters().add_put(piece.size);
  Reach::wake(reach_.window(to.rank));
  copies.note_window(reach_.window(to.rank));
  return true;
}

bool KindAccess::begin_get(Lane& lane, Space from, const StridedRun& piece) {
  if (!is_here(from.rank)) return begin_far(lane, bounce::Way::get, from, piece);
  KindCopies::Beginning copies(lane.kind_copies());
  const auto done_of = [&](Kind& kind) -> Completion& { return copies.of(kind); };
  if (const Result<void> got = any_.begin_get(from, piece, done_of); !got)
    return lane.fail(got.error());
  lane.counters().add_get(piece.size);
  return true;
}

void KindAccess::complete(Lane& lane) {
  KindCopies& copies = lane.kind_copies();
  const AnyMemory::ShownWait shown = any_.show_wait();  // for tools
  if (remote_ != nullptr && copies.has_any()) {
    const std::uint64_t last = copies.last_added();
    poll_until("quiet", [&] { return copies.advance(last) == 0; });
  }
  if (const Result<void> done = copies.complete(); !done) lane.fail(done.error());
}

std::unique_ptr<KindWork> KindAccess::start_put(Lane& lane, Space to, const StridedRun& piece) {
  if (!is_here(to.rank)) return start_far(lane, bounce::Way::put, to, piece);
  auto work = std::make_unique<NearWork>(lane, reach_.window(to.rank));
  const auto done_of = [&](Kind& kind) -> Completion& { return work->of(kind); };
  if (const Result<void> put = any_.begin_put(to, piece, done_of); !put) {
    lane.fail(put.error());
    return nullptr;
  }
  lane.counters().add_put(piece.size);
  if (work->advance()) return nullptr;
  return work;
}

std::unique_ptr<KindWork> KindAccess::start_get(Lane& lane, Space from, const StridedRun& piece) {
  if (!is_here(from.rank)) return start_far(lane, bounce::Way::get, from, piece);
  auto work = std::make_unique<NearWork>(lane, nullptr);
  const auto done_of = [&](Kind& kind) -> Completion& { return work->of(kind); };
  if (const Result<void> got = any_.begin_get(from, piece, done_of); !got) {
    lane.fail(got.error());
    return nullptr;
  }
  lane.counters().add_get(piece.size);
  if (work->advance()) return nullptr;
  return work;
}

// Another rank may hold the lock for two copies. No bell rings when it is released.
std::optional<std::uint64_t> KindAccess::request(Lane& lane, Remote at,
                                                 const AtomicRequest& request) {
  if (!is_here(at.rank)) return remote_->request(lane, at, request, "atomic operation");
  std::uint64_t old = 0;
  Result<bool> done = any_.try_update(at, request, old);
  for (; done && !*done; done = any_.try_update(at, request, old)) ::sched_yield();
  if (!done) {
    lane.fail(done.error());
    return std::nullopt;
  }
  lane.counters().add(Count::atomics);
  if (request.op != AtomicOp::fetch) Reach::wake(reach_.window(at.rank));
  return old;
}

// A device does not wake a thread that sleeps on the network. Chunks arrive in quick succession, so
// a sleep between two of them would take longer than the next chunk.
void KindAccess::poll_until(CallName call, FunctionRef<bool()> is_over) {
  remote_->until(call, [&] {
    constexpr int polls_before_sleep = 64;
    for (int i = 0; i < polls_before_sleep; ++i) {
      if (is_over()) return true;
      if (!remote_->progress()) ::sched_yield();
    }
    return is_over();
  });
}

bool KindAccess::move_far(Lane& lane, bounce::Way way, Space there, const StridedRun& pieces) {
  bounce::Transfer transfer(bounces_->with, lane, way, there, pieces);
  poll_until(way == bounce::Way::put ? "put" : "get", [&] {
    const bool is_over = transfer.advance();
    if (!is_over) transfer.rest();
    return is_over;
  });
  return !transfer.has_failed();
}

std::unique_ptr<KindWork> KindAccess::start_far(Lane& lane, bounce::Way way, Space there,
                                                const StridedRun& piece) {
  auto transfer = std::make_unique<bounce::Transfer>(bounces_->with, lane, way, there, piece);
  if (transfer->advance()) return nullptr;
  return transfer;
}

bool KindAccess::begin_far(Lane& lane, bounce::Way way, Space there, const StridedRun& piece) {
  if (piece.bytes() == 0) return true;
  // Each transfer occupies host memory.
  constexpr std::size_t most = 16;
  KindCopies& copies = lane.kind_copies();
  const auto has_room = [&] { return copies.advance(copies.last_added()) < most; };
  if (!has_room()) poll_until(way == bounce::Way::put ? "put" : "get", has_room);
  if (std::unique_ptr<KindWork> work = start_far(lane, way, there, piece))
    copies.add(std::move(work));
  return !lane.failed();
}

}  // namespace gondwana
