#include "front/armci/process_door.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "core/machine.hpp"
#include "front/armci/companion.hpp"
#include "front/armci/door.hpp"
#include "front/armci/groups.hpp"
#include "front/armci/mpi.hpp"
#include "process/greeting.hpp"
#include "process/process.hpp"

namespace gondwana::armci {

constinit Door* own_door = nullptr;

namespace {

constinit int inits = 0;  // init calls without a matching finalize

// Collective.
void close_door(CallName call) {
  Door& door = *own_door;
  door.groups().world().compare(
      "ARMCI_Finalize");  // also called if a program exits without finalizing
  door.transfers().wait_for_all(call);
  door.check(call, door.engine().collectives().barrier(door.engine().teams().world(), call));
  close_groups();
  own_door = nullptr;
  delete &door;
  release_engine();
  leave_waits_alone();
}

// Finalizes a program that exits with status 0 without ARMCI_Finalize.
void finalize_at_exit(int status, void* /*unused*/) {
  if (own_door == nullptr || status != 0 || this_process().leaves_job) return;
  const Turn turn;
  inits = 0;
  announce_end();
  close_door("exit");
}

// Rank 0 prints this for all ranks.
void greet(Options options) {
  options.info |= options.armci_verbose;
  std::fputs(greeting("Gondwana " GONDWANA_VERSION ", ARMCI", options, own_environment()).c_str(),
             stdout);
  std::fflush(stdout);
}

int register_handlers() {
  this_process().forget_engine.push_back([] { own_door = nullptr; });
  return ::on_exit(finalize_at_exit, nullptr);
}

}  // namespace

int start(CallName call) {
  if (this_process().forked) give_up(call, "called in a child process that the rank forked");
  prepare_turns();
  const Turn turn;
  if (inits++ > 0) return 0;
  find_mpi(call);
  accompany_waits();
  const Result<Engine*> engine = acquire_engine(call, Threads::one_at_a_time);
  if (!engine) fail_together(call, engine.error());
  need_all_ranks(call, **engine);
  own_door = new Door(**engine, call);
  compare_with_mpi(call, *own_door);
  open_groups(*own_door);
  if (this_process().rank() == 0) greet(own_door->engine().options());
  static const int registered = register_handlers();
  static_cast<void>(registered);
  return 0;
}

int finalize(CallName call) {
  if (own_door == nullptr) return 0;
  const Turn turn;
  if (--inits > 0) return 0;
  announce_end();
  close_door(call);
  return 0;
}

int is_initialized(CallName /*call*/) {
  return own_door != nullptr ? 1 : 0;
}

void refuse_without_door(CallName call) {
  give_up(call, this_process().forked ? "called in a child process that the rank forked"
                                      : "called before ARMCI_Init or after ARMCI_Finalize");
}

}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

void ARMCI_Cleanup(void) {
  if (own_door != nullptr) Entry("ARMCI_Cleanup")->complete("ARMCI_Cleanup");
}

void ARMCI_Error(const char* msg, int code) {
  std::fprintf(stderr, "gondwana: rank %u: ARMCI_Error: %s (%d)\n", gondwana::this_process().rank(),
               msg != nullptr ? msg : "", code);
  gondwana::leave_job(code != 0 ? code : 1);
}

void armci_msg_init(int* argc, char*** argv) {
  start_mpi("armci_msg_init", argc, argv);
  start("armci_msg_init");
}

void armci_msg_finalize(void) {
  finalize("armci_msg_finalize");
  end_mpi();
}

void armci_msg_abort(int code) {
  gondwana::leave_job(code);
}

double armci_timer(void) {
  return static_cast<double>(gondwana::monotonic_ns()) / 1e9;
}

// NOLINTNEXTLINE(readability-function-size): Global Arrays chose the parameters
int dassertp_fail(const char* cond_string, const char* file, const char* func, unsigned int line,
                  int code) {
  std::fprintf(stderr, "gondwana: rank %u: %s:%u: %s: %s does not hold (%d)\n",
               gondwana::this_process().rank(), file, line, func, cond_string, code);
  gondwana::leave_job(code != 0 ? code : 1);
}

void derr_printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
}
