// Times the start of programs: starts COPIES of a command at once, waits for all, and prints the
// time from the first fork to the last exit. Discards the output of the command; reports a failure.
// Usage: fork_exec NAME SIDE COPIES SAMPLES COMMAND [ARGUMENT]...
#include "../common/crew.h"

#include <fcntl.h>

static pid_t start(char** command, int null) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(null, STDOUT_FILENO);
  execvp(command[0], command);
  perror(command[0]);
  _exit(127);
}

static int wait_for_all(const char* command) {
  int failures = 0;
  int status = 0;
  while (wait(&status) > 0) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    fprintf(stderr, "fork_exec: %s ended with status %d\n", command,
            WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    ++failures;
  }
  return failures;
}

int main(int argc, char** argv) {
  require(argc > 5, "usage: fork_exec NAME SIDE COPIES SAMPLES COMMAND [ARGUMENT]...");
  const size_t copies = argument(argc, argv, 3, 1);
  const size_t count = argument(argc, argv, 4, 10);
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  double* samples = new_samples(count);
  for (size_t i = 0; i < count; ++i) {
    const int64_t begin = now_ns();
    for (size_t copy = 0; copy < copies; ++copy) start(&argv[5], null);
    if (wait_for_all(argv[5]) != 0) return 1;
    samples[i] = (double)(now_ns() - begin);
  }
  report(argv[1], argv[2], samples, count);
  return 0;
}
