// OpenSHMEM 1.6, section 9.1: set-up, exit and query.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

void init(CallName name);
void start_pes(CallName name, int pes);
// Returns 1 if `requested` is not a thread level, else 0.
int init_thread(CallName name, int requested, int* provided);
// For a process that has joined another job: a forked child forgets the calls of its parent.
void forget_parent();
void query_thread(Caller caller, int* provided);
void query_initialized(CallName name, int* initialized);
// Excess calls, after the one that matches the first init, have no effect.
void finalize(CallName name);
// The last step of shmemx_leave, once the launcher knows of it. Returns 0 when the others do.
int end_part(const Caller& caller);
[[noreturn]] void global_exit(Caller caller, int status);

void info_get_version(CallName name, int* major, int* minor);
void info_get_name(CallName name, char* text);

inline int my_pe(Caller caller) {
  return static_cast<int>(index(caller.engine.rank()));
}
inline int n_pes(Caller caller) {
  return static_cast<int>(caller.engine.ranks());
}

inline int pe_accessible(Caller caller, int pe) {
  const bool is_known = static_cast<std::uint32_t>(pe) < caller.engine.ranks();
  return is_known || caller.engine.rma().late().has_joined(rank_of(pe)) ? 1 : 0;
}

inline int addr_accessible(Caller caller, const void* address, int pe) {
  return pe_accessible(caller, pe) != 0 &&
                 caller.engine.rma().has_counterpart(caller.rank_of(pe), address)
             ? 1
             : 0;
}

inline void* ptr(Caller caller, const void* object, int pe) {
  return caller.engine.rma().pointer_to(rank_of(pe), object);
}

}  // namespace gondwana::shmem
