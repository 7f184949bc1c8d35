// The cost of a hello world without any library. fork_exec starts it.
#include <stdio.h>

int main(void) {
  puts("hello");
  return 0;
}
