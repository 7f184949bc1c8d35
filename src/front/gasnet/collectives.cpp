// GASNet-EX 0.19, Collectives Part II and III.
#include "front/gasnet/collectives.hpp"

#include <algorithm>
#include <utility>

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
    if (dest != source) team.door->devices().copy(call, dest, source, size);
    return GEX_EVENT_INVALID;
  }
  const auto on_host =
      HostArrays::of(*team.door, call, source, size, dest, flow.ends_at(team.rank) ? size : 0);
  const staged::Reduction what{
      .flow = flow, .operation = *operation, .count = count, .source = source, .dest = dest};
  StagedCollectives& collectives = collectives_of(team, call);
  if (on_host != nullptr) [[unlikely]] {
    on_host->take();
    staged::Chain chain;
    collectives.reduce(call, what, [&](auto step) { chain.add(std::move(step)); });
    chain.add(GiveBack{on_host});
    return begin(*team.door, std::move(chain));
  }
  return collectives.reduce(call, what,
                            [&](auto step) { return begin(*team.door, std::move(step)); });
}

}  // namespace

StagedCollectives& collectives_of(Team& team, CallName call) {
  if (team.door->checks() && context().handler != nullptr)
    give_up(call, "a handler may not start a collective");
  if (team.is_pair())
    give_up(call, "a team that gex_TM_Pair made is for point-to-point calls only");
  return *team.collectives;
}

std::shared_ptr<HostArrays> HostArrays::of(Door& door, CallName call, const std::byte*& source,
                                           std::size_t source_size, std::byte*& dest,
                                           std::size_t dest_size) {
  const bool has_source = source_size > 0 && door.devices().may_hold(source);
  const bool has_dest = dest_size > 0 && door.devices().may_hold(dest);
  if (!has_source && !has_dest) [[likely]]
    return nullptr;
  const std::shared_ptr<HostArrays> arrays(new HostArrays(door, call));
  const bool is_in_place = source == dest;
  if (has_dest) {
    arrays->dest_.resize(dest_size);
    arrays->result_ = std::exchange(dest, arrays->dest_.data());
  }
  if (!has_source) return arrays;
  std::vector<std::byte>& copy = is_in_place && has_dest ? arrays->dest_ : arrays->source_;
  copy.resize(std::max(copy.size(), source_size));
  arrays->taken_ = copy.data();
  arrays->from_ = std::exchange(source, copy.data());
  arrays->size_ = source_size;
  if (is_in_place && has_dest) dest = copy.data();
  return arrays;
}

std::shared_ptr<HostArrays> HostArrays::of(const Team& team, CallName call,
                                           staged::Movement& what) {
  const std::size_t all = times(what.block, team.size);
  const std::size_t given = what.apart ? all : what.block;
  const std::size_t taken = what.flow.from ? what.block : all;
  return of(*team.door, call, what.source, what.flow.starts_at(team.rank) ? given : 0, what.dest,
            what.flow.ends_at(team.rank) ? taken : 0);
}

void HostArrays::take() const {
  if (from_ != nullptr) door_.devices().copy(call_, taken_, from_, size_);
}

bool HostArrays::give_back() {
  if (result_ == nullptr) return true;
  if (!std::exchange(gives_back_, true)) {
    const auto done_of = [this](Kind& kind) -> Completion& {
      kind_ = &kind;
      return given_back_;
    };
    check(door_.engine().kind_access()->any_memory().begin_copy(result_, dest_.data(), dest_.size(),
                                                                AnyMemory::Passing::no, done_of));
  }
  if (kind_ == nullptr) return true;
  if (!kind_->test(given_back_)) return false;
  check(kind_->complete(given_back_));
  return true;
}

void HostArrays::check(const Result<void>& copied) const {
  if (!copied) give_up(call_, copied.error().text);
}

gex_Event_t begin_movement(Team& team, CallName call, const staged::Movement& named) {
  staged::Movement what = named;
  if (const auto on_host = HostArrays::of(team, call, what); on_host != nullptr) [[unlikely]] {
    on_host->take();
    staged::Chain chain;
    collectives_of(team, call).move(call, what, [&](auto step) { chain.add(std::move(step)); });
    chain.add(GiveBack{on_host});
    return begin(*team.door, std::move(chain));
  }
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
