// The streams of the process, and its place on the processor.
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "gasnet_tools.h"

void gasnett_flush_streams() {
  // A stream that is closed, or a disk that is full: nobody is told, as the specification has it.
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
