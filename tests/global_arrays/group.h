// Processor groups whose members every rank knows.
#ifndef GONDWANA_TESTS_GLOBAL_ARRAYS_GROUP_H
#define GONDWANA_TESTS_GLOBAL_ARRAYS_GROUP_H

#include "patch.h"

enum { max_members = 64 };

typedef struct {
  int handle;
  int count;
  int members[max_members];  // absolute ranks, in ascending order
} Group;

static inline int is_member(const Group* group) {
  for (int i = 0; i < group->count; ++i)
    if (group->members[i] == me) return 1;
  return 0;
}

static inline Group world(void) {
  Group group = {.handle = GA_Pgroup_get_world(), .count = ranks};
  for (int i = 0; i < ranks; ++i) group.members[i] = i;
  return group;
}

// All ranks create the group of the ranks first, first + step, and so on below `end`.
static inline Group created(int first, int end, int step) {
  Group group = {.count = 0};
  for (int rank = first; rank < end && rank < ranks; rank += step)
    group.members[group.count++] = rank;
  if (group.count > 0) group.handle = GA_Pgroup_create(group.members, group.count);
  return group;
}

#endif  // GONDWANA_TESTS_GLOBAL_ARRAYS_GROUP_H
