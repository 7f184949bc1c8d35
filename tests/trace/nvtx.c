// Two calls of NVTX, which say what they are told.
#include <stdio.h>

int nvtxRangePushA(const char* name);
int nvtxRangePop(void);

int nvtxRangePushA(const char* name) {
  return printf("push %s\n", name);
}

int nvtxRangePop(void) {
  return puts("pop");
}
