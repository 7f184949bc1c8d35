#include "front/armci/scopes.hpp"

namespace gondwana::armci {
namespace {

[[noreturn]] void refuse(CallName call, int scope) {
  give_up(call, fmt::format("scope {}: expected SCOPE_ALL, SCOPE_NODE or SCOPE_MASTERS", scope));
}

}  // namespace

Group* scope_of(CallName call, Door& here, int scope) {
  switch (scope) {
    case SCOPE_ALL:
      return &here.world();
    case SCOPE_NODE:
      return &here.node_group(call);
    case SCOPE_MASTERS: {
      const bool is_first = here.ranks_of_node(here.node_of(here.rank())).front() == here.rank();
      return is_first ? &here.masters_group(call) : nullptr;
    }
    default:
      refuse(call, scope);
  }
}

std::vector<Rank> members_of_scope(CallName call, const Door& here, int scope) {
  switch (scope) {
    case SCOPE_ALL:
      return here.all_ranks();
    case SCOPE_NODE:
      return here.ranks_of_node(here.node_of(here.rank()));
    case SCOPE_MASTERS:
      return here.first_of_nodes();
    default:
      refuse(call, scope);
  }
}

}  // namespace gondwana::armci
