#include "front/armci/domains.hpp"

#include "front/armci/door.hpp"
#include "front/armci/groups.hpp"

namespace gondwana::armci {
namespace {

std::uint32_t checked_node(const Door& here, CallName call, int id) {
  if (id == -1) return here.roster().where(here.rank()).node;
  if (id < 0 || static_cast<std::uint32_t>(id) >= here.roster().nodes())
    give_up(call, fmt::format("node {}: the job has {}", id, here.roster().nodes()));
  return static_cast<std::uint32_t>(id);
}

}  // namespace

int is_same_node(CallName call, int proc) {
  const Entry here(call);
  const std::uint32_t node = here->roster().where(here->checked_rank(call, proc)).node;
  return node == here->roster().where(here->rank()).node ? 1 : 0;
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

int armci_domain_nprocs(armci_domain_t /*domain*/, int id) {
  constexpr auto call = "armci_domain_nprocs";
  const Entry here(call);
  return static_cast<int>(here->roster().ranks_of(checked_node(*here, call, id)).size());
}

int armci_domain_id(armci_domain_t /*domain*/, int glob_proc_id) {
  constexpr auto call = "armci_domain_id";
  const Entry here(call);
  return static_cast<int>(here->roster().where(here->checked_rank(call, glob_proc_id)).node);
}

int armci_domain_glob_proc_id(armci_domain_t /*domain*/, int id, int loc_proc_id) {
  constexpr auto call = "armci_domain_glob_proc_id";
  const Entry here(call);
  const std::uint32_t node = checked_node(*here, call, id);
  const gondwana::NodeRanks members = here->roster().ranks_of(node);
  if (loc_proc_id < 0 || static_cast<std::uint32_t>(loc_proc_id) >= members.size())
    give_up(call,
            fmt::format("process {} of node {}: it has {}", loc_proc_id, node, members.size()));
  return static_cast<int>(gondwana::index(members[static_cast<std::uint32_t>(loc_proc_id)]));
}

int armci_domain_my_id(armci_domain_t /*domain*/) {
  const Entry here("armci_domain_my_id");
  return static_cast<int>(here->roster().where(here->rank()).node);
}

int armci_domain_count(armci_domain_t /*domain*/) {
  return static_cast<int>(Entry("armci_domain_count")->roster().nodes());
}

int ARMCI_Uses_shm(void) {
  return own_door != nullptr && own_door->engine().rma().reach().covers(own_door->rank()) ? 1 : 0;
}

int ARMCI_Uses_shm_grp(ARMCI_Group* group) {
  group_of(Entry("ARMCI_Uses_shm_grp"), group);
  return ARMCI_Uses_shm();
}
