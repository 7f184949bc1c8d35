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
      return &here.groups().world();
    case SCOPE_NODE:
      return &here.groups().of_node(call);
    case SCOPE_MASTERS:
      return here.roster().here().front() == here.rank() ? &here.groups().of_masters(call)
                                                         : nullptr;
    default:
      refuse(call, scope);
  }
}

std::vector<Rank> members_of_scope(CallName call, Door& here, int scope) {
  switch (scope) {
    case SCOPE_ALL:
      return here.groups().all_ranks();
    case SCOPE_NODE: {
      const NodeRanks node = here.roster().here();
      return {node.begin(), node.end()};
    }
    case SCOPE_MASTERS:
      return here.groups().masters();
    default:
      refuse(call, scope);
  }
}

}  // namespace gondwana::armci
