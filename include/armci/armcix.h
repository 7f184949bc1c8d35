// Names that ARMCI clients use from other implementations.
#ifndef GONDWANA_ARMCIX_H
#define GONDWANA_ARMCIX_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

// Collective over the parent. Processes with the same color, 0 or above, form a group, in the order
// of their keys. A process with a negative color joins no group.
int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group);
int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group);
// Has no effect: progress needs no calls.
void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif

#endif  // GONDWANA_ARMCIX_H
