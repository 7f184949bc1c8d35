// The groups that programs hold.
#pragma once

#include "front/armci/door.hpp"

namespace gondwana::armci {

// With the door. Closed before it.
void open_groups(Door& door);
void close_groups();

Group& group_of(const Entry& here, const ARMCI_Group* handle);
// For calls that the members make. Ends the job if the caller is none.
Group& member_group(const Entry& here, const ARMCI_Group* handle);

}  // namespace gondwana::armci
