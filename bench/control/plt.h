// The control of the smallest operations: functions of another shared library, called through the
// PLT like a library's own, that check a range and then do the one thing. Nobody can do less.
#ifndef GONDWANA_BENCH_PLT_H_
#define GONDWANA_BENCH_PLT_H_

#include <stdatomic.h>
#include <stddef.h>

// The range that every call checks, and the word that plt_store_and_look looks at.
void plt_window(void* base, size_t bytes);
void plt_flag(const _Atomic int* asleep);

void plt_store(_Atomic long* target, long value);
long plt_load(const _Atomic long* source);
void plt_put8(_Atomic long* target, const long* source);
void plt_get8(long* target, const _Atomic long* source);
long plt_fetch_add(_Atomic long* target, long value);

// As plt_store; then reads a flag on another line, rarely written, that a sleeper would raise.
void plt_store_and_look(_Atomic long* target, long value);

#endif
