// The control of the smallest operations: functions of another shared library, called through the
// PLT. They check a range and perform the operation. No library can do less.
#ifndef GONDWANA_BENCH_PLT_H_
#define GONDWANA_BENCH_PLT_H_

#include <stdatomic.h>
#include <stddef.h>

// The range that every call checks, and the word that plt_store_and_look reads.
void plt_window(void* base, size_t bytes);
void plt_flag(const _Atomic int* asleep);

void plt_store(_Atomic long* target, long value);
long plt_load(const _Atomic long* source);
void plt_put8(_Atomic long* target, const long* source);
void plt_get8(long* target, const _Atomic long* source);
long plt_fetch_add(_Atomic long* target, long value);

// Like plt_store, then reads a rarely written flag on another line, which a sleeper would raise.
void plt_store_and_look(_Atomic long* target, long value);

#endif
