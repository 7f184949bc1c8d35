// A program of another runtime.
#include <stdio.h>

int other_size(void);

int main(void) {
  printf("of %d\n", other_size());
  return 0;
}
