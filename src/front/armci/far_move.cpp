#include "front/armci/far_move.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "front/armci/near_move.hpp"

namespace gondwana::armci {
namespace {

// Puts or gets pieces of a process out of reach. `tell(pieces)` moves all of them.
template <typename Tell>
void tell_far(const Call& call, Rank rank, const Tell& tell) {
  Door& door = call.door;
  if (is_put(call))
    door.order(call.name);
  else
    door.check(call.name, door.engine().rma().deliver(door.lane()));
  auto pieces = std::make_unique<FarPieces>(door.engine().remote(), door.lane(), rank, call.side,
                                            RemoteAccess::NoRoom::wait);
  if (is_put(call)) pieces->need_not_arrive();
  tell(*pieces);
  if (is_put(call) || call.waits)
    return door.check(call.name, pieces->finish(call.name) == RemoteAccess::Begun::pending);
  pieces->begin();
  door.transfers().keep(call.handle, std::move(pieces));
}

}  // namespace

void accumulate_far(const Call& call, Rank rank, std::span<const StridedRun> runs) {
  Door& door = call.door;
  door.order(call.name);
  Lane& lane = door.lane();
  door.check(call.name, door.engine().remote().begin_accumulate(lane, rank, *call.adds, runs,
                                                                lane.posted().pending()) ==
                            RemoteAccess::Begun::pending);
}

void move_far(const Call& call, Rank rank, std::span<const StridedRun> runs) {
  if (call.adds) return accumulate_far(call, rank, runs);
  tell_far(call, rank, [&](FarPieces& pieces) {
    for (const StridedRun& run : runs) pieces.move(run);
  });
}

void move_section_far(const Call& call, Rank rank, const strided::Transfer& transfer,
                      std::uint64_t offset, std::byte* own) {
  if (!call.adds)
    return tell_far(call, rank, [&](FarPieces& pieces) {
      gondwana::move_section(pieces, transfer, offset, own);
    });
  std::vector<StridedRun> runs;  // the maximum of one message
  for_each_run(transfer, call.side, offset, own, [&](const StridedRun& run) {
    runs.push_back(run);
    if (runs.size() < max_runs) return;
    accumulate_far(call, rank, runs);
    runs.clear();
  });
  accumulate_far(call, rank, runs);
}

}  // namespace gondwana::armci
