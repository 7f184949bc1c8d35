// GASNet-EX 0.19, Collectives Part II and III.
#include "front/gasnet/collectives.hpp"

#include "front/gasnet/context.hpp"
#include "front/gasnet/operators.hpp"
#include "gasnet_coll.h"

namespace gondwana::gasnet {
namespace {

gex_Event_t reduce(Team& team, CallName call, const staged::Flow& flow, void* dst, const void* src,
                   std::size_t count, const ClientOperator& client) {
  const Result<staged::Operator> operation = find_operator(client);
  if (!operation) give_up(call, operation.error().text);
  auto* dest = static_cast<std::byte*>(dst);
  const auto* source = static_cast<const std::byte*>(src);
  const std::size_t size = count * client.width;
  if (team.size == 1) {
    if (dest != source) std::memcpy(dest, source, size);
    return GEX_EVENT_INVALID;
  }
  const staged::Reduction what{
      .flow = flow, .operation = *operation, .count = count, .source = source, .dest = dest};
  return collectives_of(team, call).reduce(call, what, [&](auto step) {
    return begin(*team.door, std::move(step));
  });
}

}  // namespace

StagedCollectives& collectives_of(Team& team, CallName call) {
  if (team.door->checks() && context().handler != nullptr)
    give_up(call, "a handler may not start a collective");
  if (team.is_pair) give_up(call, "a team that gex_TM_Pair made is for point-to-point calls only");
  return *team.collectives;
}

gex_Event_t begin_movement(Team& team, CallName call, const staged::Movement& what) {
  return collectives_of(team, call).move(call, what, [&](auto step) {
    return begin(*team.door, std::move(step));
  });
}

}  // namespace gondwana::gasnet

using namespace gondwana::gasnet;  // NOLINT(google-build-using-namespace): names of C follow

gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                 size_t nbytes, gex_Flags_t /*flags*/) {
  constexpr auto call = "gex_Coll_BroadcastNB";
  Team& team = Team::of(tm);
  check_member(team, root, call, "root");
  return begin_movement(team, call,
                        {.flow = {.from = root},
                         .apart = false,
                         .block = nbytes,
                         .source = static_cast<const std::byte*>(src),
                         .dest = static_cast<std::byte*>(dst)});
}

// NOLINTBEGIN(readability-function-size): the standard chose the parameters
gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                   gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t /*flags*/) {
  constexpr auto call = "gex_Coll_ReduceToOneNB";
  Team& team = Team::of(tm);
  check_member(team, root, call, "root");
  return reduce(team, call, {.to = root}, dst, src, dt_cnt, {dt, dt_sz, op, user_op, user_cdata});
}

gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void* dst, const void* src, gex_DT_t dt,
                                   size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t /*flags*/) {
  return reduce(Team::of(tm), "gex_Coll_ReduceToAllNB", {}, dst, src, dt_cnt,
                {dt, dt_sz, op, user_op, user_cdata});
}
// NOLINTEND(readability-function-size)
