// What a hello world costs without any library: fork_exec starts it.
#include <stdio.h>

int main(void) {
  puts("hello");
  return 0;
}
