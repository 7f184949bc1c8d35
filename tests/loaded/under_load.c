/*
 * under_load [-t SECONDS] COMMAND...: runs a command beside busy loops, four of nice 0 and two of
 * nice 15, and ends with its status. When it ends, whatever the reason, the kernel kills the loops
 * and sends SIGTERM to the command. It does the same when its parent ends. The loops end by
 * themselves after SECONDS (600).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { usual_loops = 4, all_loops = 6, niceness = 15 };

/* A child that gets `signal_at_end` when its parent ends, which may have happened already. */
static pid_t start(int signal_at_end) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    perror("under_load: cannot start a process");
    exit(125);
  }
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, signal_at_end);
  if (getppid() != parent) _exit(125);
  return 0;
}

static pid_t start_loop(int nice_by, unsigned seconds) {
  const pid_t child = start(SIGKILL);
  if (child != 0) return child;
  prctl(PR_SET_NAME, "busy_loop");
  signal(SIGALRM, SIG_DFL);
  alarm(seconds);
  if (nice_by != 0) setpriority(PRIO_PROCESS, 0, nice_by);
  for (volatile unsigned long turns = 0;; ++turns) {
  }
}

static pid_t start_command(char** words) {
  const pid_t child = start(SIGTERM);
  if (child != 0) return child;
  execvp(words[0], words);
  fprintf(stderr, "under_load: cannot run %s: %s\n", words[0], strerror(errno));
  _exit(127);
}

static int status_of(pid_t command) {
  int status = 0;
  while (waitpid(command, &status, 0) < 0)
    if (errno != EINTR) return 125;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char** words) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  unsigned seconds = 600;
  ++words;
  if (count > 2 && strcmp(words[0], "-t") == 0) {
    seconds = (unsigned)strtoul(words[1], NULL, 10);
    words += 2;
  }
  if (words[0] == NULL || seconds == 0) {
    fprintf(stderr, "usage: under_load [-t SECONDS] COMMAND...\n");
    return 125;
  }
  pid_t loops[all_loops];
  for (int i = 0; i < all_loops; ++i)
    loops[i] = start_loop(i < usual_loops ? 0 : niceness, seconds);
  const int status = status_of(start_command(words));
  for (int i = 0; i < all_loops; ++i) kill(loops[i], SIGKILL);
  for (int i = 0; i < all_loops; ++i) waitpid(loops[i], NULL, 0);
  return status;
}
