#include "process/forks.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <utility>

#include "core/standard_descriptors.hpp"
#include "core/unique_fd.hpp"
#include "memory/globals.hpp"
#include "process/change_job.hpp"
#include "process/process.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

// A forked child copies the variables while the parent waits. The copy's state is global because
// fork handlers take no argument. One fork at a time: threads may fork concurrently. Neither signal
// handlers nor cancellation interrupt it.
struct Fork {
  std::mutex turn;
  int read_end = -1;
  int write_end = -1;
  sigset_t mask{};  // of the forking thread
  int cancel_state = 0;
};

Fork& present_fork() {
  static Fork instance;
  return instance;
}

void before_fork() {
  sigset_t all;
  sigset_t mask;
  int cancel_state = 0;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &mask);
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
  Fork& fork = present_fork();
  fork.turn.lock();
  fork.mask = mask;
  fork.cancel_state = cancel_state;
  int ends[2] = {-1, -1};  // NOLINT(modernize-avoid-c-arrays): pipe2 wants one
  if (::pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  fork.read_end = beyond_standard_descriptors(UniqueFd(ends[0])).release();
  fork.write_end = beyond_standard_descriptors(UniqueFd(ends[1])).release();
}

void end_fork() {
  Fork& fork = present_fork();
  const sigset_t mask = fork.mask;
  const int cancel_state = fork.cancel_state;
  fork.turn.unlock();
  ::pthread_setcancelstate(cancel_state, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

void close_if_open(int descriptor) {
  if (descriptor >= 0) ::close(descriptor);
}

void after_fork_in_parent() {
  const Fork& fork = present_fork();
  close_if_open(fork.write_end);
  char byte = 0;
  while (fork.read_end >= 0 && ::read(fork.read_end, &byte, 1) < 0 && errno == EINTR) {
  }
  close_if_open(fork.read_end);
  end_fork();
}

// The parent also sees what the child writes before it has its own variables.
void after_fork_in_child() {
  if (std::exchange(this_process().maps_variables, false))
    make_globals_private(this_process().image);
  abandon_id_servers(this_process());
  if (const auto& engine = this_process().engine) engine->program_memory().make_private();
  this_process().forked = true;
  this_process().membership.lifeline.reset();  // the node agent need not outlive the ranks
  this_process().membership.image.reset();     // the parent is the rank
  this_process().membership.control.reset();   // the job is gone when the ranks have ended
  for (const auto forget : this_process().forget_engine) forget();  // the parent owns it
  Tracer::close();                                                  // and its events
  close_if_open(present_fork().read_end);
  close_if_open(present_fork().write_end);  // end of file: the parent continues
  end_fork();
}

}  // namespace

void watch_forks() {
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace gondwana
