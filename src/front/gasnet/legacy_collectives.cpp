// The collectives with gasnet_coll_ names.
//
// A rank reads its data once it and the owner have called. IN_MYSYNC and OUT_MYSYNC ask for this,
// and NOSYNC asks for less. ALLSYNC adds a barrier before or after.
#include "engine/collectives/staged/chain.hpp"
#include "front/gasnet/collectives.hpp"
#include "gasnet_coll.h"

namespace gondwana::gasnet {
namespace {

constexpr int in_flags = GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC;
constexpr int out_flags = GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC;

void examine(const Team& team, CallName call, gasnet_image_t root, int flags) {
  check_member(team, root, call, "image");
  if (!team.door->checks()) return;
  if (std::popcount(static_cast<unsigned>(flags & in_flags)) != 1 ||
      std::popcount(static_cast<unsigned>(flags & out_flags)) != 1)
    give_up(call, fmt::format("flags {:#x}: expected one of GASNET_COLL_IN_NOSYNC, _IN_MYSYNC, "
                              "_IN_ALLSYNC and one of _OUT_NOSYNC, _OUT_MYSYNC, _OUT_ALLSYNC",
                              flags));
}

gex_Event_t start_movement(gasnet_team_handle_t handle, CallName call,
                           const staged::Movement& named, int flags) {
  Team& team = Team::of(handle);
  examine(team, call, named.flow.from.value_or(named.flow.to.value_or(0)), flags);
  if ((flags & (GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC)) == 0)
    return begin_movement(team, call, named);
  StagedCollectives& collectives = collectives_of(team, call);
  staged::Movement what = named;
  const auto on_host = HostArrays::of(team, call, what);
  staged::Chain chain;
  const auto add = [&](auto step) { chain.add(std::move(step)); };
  if ((flags & GASNET_COLL_IN_ALLSYNC) != 0) collectives.meet(call, add);
  if (on_host != nullptr) chain.then([on_host] { on_host->take(); });
  collectives.move(call, what, add);
  if (on_host != nullptr) chain.add(GiveBack{on_host});
  if ((flags & GASNET_COLL_OUT_ALLSYNC) != 0) collectives.meet(call, add);
  return begin(*team.door, std::move(chain));
}

struct Buffers {
  void* dest;
  const void* source;
  std::size_t block;
};

enum class Blocks : std::uint8_t { same, apart };

staged::Movement movement(const staged::Flow& flow, Blocks blocks, const Buffers& buffers) {
  return {.flow = flow,
          .apart = blocks == Blocks::apart,
          .block = buffers.block,
          .source = static_cast<const std::byte*>(buffers.source),
          .dest = static_cast<std::byte*>(buffers.dest)};
}

void wait_for(gasnet_team_handle_t team, CallName call, gex_Event_t event) {
  if (event == GEX_EVENT_INVALID) return;
  Team::of(team).door->progress().wait(call, [&] { return gex_Event_Test(event) == GASNET_OK; });
}

}  // namespace
}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void* dst,
                                              gasnet_image_t srcimage, void* src, size_t nbytes,
                                              int flags) {
  return start_movement(team, "gasnet_coll_broadcast",
                        movement({.from = srcimage}, Blocks::same, {dst, src, nbytes}), flags);
}

gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void* dst,
                                            gasnet_image_t srcimage, void* src, size_t nbytes,
                                            int flags) {
  return start_movement(team, "gasnet_coll_scatter",
                        movement({.from = srcimage}, Blocks::apart, {dst, src, nbytes}), flags);
}

gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage,
                                           void* dst, void* src, size_t nbytes, int flags) {
  return start_movement(team, "gasnet_coll_gather",
                        movement({.to = dstimage}, Blocks::same, {dst, src, nbytes}), flags);
}

gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void* dst, void* src,
                                               size_t nbytes, int flags) {
  return start_movement(team, "gasnet_coll_gather_all",
                        movement({}, Blocks::same, {dst, src, nbytes}), flags);
}

gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void* dst, void* src,
                                             size_t nbytes, int flags) {
  return start_movement(team, "gasnet_coll_exchange",
                        movement({}, Blocks::apart, {dst, src, nbytes}), flags);
}

void gasnet_coll_broadcast(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                           size_t nbytes, int flags) {
  wait_for(team, "gasnet_coll_broadcast",
           gasnet_coll_broadcast_nb(team, dst, srcimage, src, nbytes, flags));
}

void gasnet_coll_scatter(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage, void* src,
                         size_t nbytes, int flags) {
  wait_for(team, "gasnet_coll_scatter",
           gasnet_coll_scatter_nb(team, dst, srcimage, src, nbytes, flags));
}

void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst, void* src,
                        size_t nbytes, int flags) {
  wait_for(team, "gasnet_coll_gather",
           gasnet_coll_gather_nb(team, dstimage, dst, src, nbytes, flags));
}

void gasnet_coll_gather_all(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                            int flags) {
  wait_for(team, "gasnet_coll_gather_all",
           gasnet_coll_gather_all_nb(team, dst, src, nbytes, flags));
}

void gasnet_coll_exchange(gasnet_team_handle_t team, void* dst, void* src, size_t nbytes,
                          int flags) {
  wait_for(team, "gasnet_coll_exchange", gasnet_coll_exchange_nb(team, dst, src, nbytes, flags));
}
