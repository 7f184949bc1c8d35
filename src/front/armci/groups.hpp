// The groups that programs hold.
#pragma once

#include "front/armci/door.hpp"

namespace gondwana::armci {

// Call open_groups() with the door open, and close_groups() before the door closes.
void open_groups(Door& door);
void close_groups();

Group& group_of(const Entry& here, const ARMCI_Group* handle);
// For calls of members. Ends the job if the caller is not a member.
Group& member_group(const Entry& here, const ARMCI_Group* handle);

}  // namespace gondwana::armci
