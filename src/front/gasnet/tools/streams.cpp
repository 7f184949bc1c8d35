// The process's streams, and yielding its processor.
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "gasnet_tools.h"

void gasnett_flush_streams() {
  // The specification ignores errors such as a closed stream or a full disk.
  (void)fflush(stdout);
  (void)fflush(stderr);
  (void)fdatasync(STDOUT_FILENO);
  (void)fdatasync(STDERR_FILENO);
}

void gasnett_close_streams() {
  (void)fclose(stdin);
  (void)fclose(stdout);
  (void)fclose(stderr);
}

void gasnett_sched_yield() {
  sched_yield();
}
