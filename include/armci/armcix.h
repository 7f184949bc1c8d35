// Names that clients of ARMCI know from other implementations.
#ifndef GONDWANA_ARMCIX_H
#define GONDWANA_ARMCIX_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

// Collective over the parent. Processes of one color, 0 or above, form a group, in the order of
// their keys. A process with a negative color joins none.
int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group);
int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group);
// Nothing has to be called for others to go on.
void ARMCIX_Progress(void);

#ifdef __cplusplus
}
#endif

#endif  // GONDWANA_ARMCIX_H
