// Locks for the threads of one process. No thread may take one twice. In a single-threaded program
// mutexes and condition variables have no effect, unless GASNETT_USE_TRUE_MUTEXES is defined.
//
// Part of gasnet_tools.h.
#ifndef GONDWANA_GASNET_TOOLS_LOCKS_H
#define GONDWANA_GASNET_TOOLS_LOCKS_H

#if GONDWANA_GASNETT_THREADS || (defined(GASNETT_USE_TRUE_MUTEXES) && GASNETT_USE_TRUE_MUTEXES)
#include <pthread.h>

GASNETT_BEGIN_EXTERNC

typedef struct {
  pthread_mutex_t mutex;
  const void* holder;  // identifies a thread, with checks only
} gasnett_mutex_t;
typedef pthread_cond_t gasnett_cond_t;
#define GASNETT_MUTEX_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, NULL}
#define GASNETT_COND_INITIALIZER PTHREAD_COND_INITIALIZER

// With checks: misuse of a mutex ends the program with a message.
void gondwana_gasnett_mutex_lock(gasnett_mutex_t* mutex);
int gondwana_gasnett_mutex_trylock(gasnett_mutex_t* mutex);
void gondwana_gasnett_mutex_unlock(gasnett_mutex_t* mutex);
void gondwana_gasnett_mutex_destroy(gasnett_mutex_t* mutex);
void gondwana_gasnett_mutex_assert(const gasnett_mutex_t* mutex, int is_held);
void gondwana_gasnett_cond_wait(gasnett_cond_t* condition, gasnett_mutex_t* mutex);

static __inline__ void gasnett_mutex_init(gasnett_mutex_t* mutex) {
  (void)pthread_mutex_init(&mutex->mutex, NULL);
  mutex->holder = NULL;
}
static __inline__ void gasnett_mutex_lock(gasnett_mutex_t* mutex) {
  if (GONDWANA_GASNETT_CHECKS)
    gondwana_gasnett_mutex_lock(mutex);
  else
    (void)pthread_mutex_lock(&mutex->mutex);
}
static __inline__ int gasnett_mutex_trylock(gasnett_mutex_t* mutex) {
  return GONDWANA_GASNETT_CHECKS ? gondwana_gasnett_mutex_trylock(mutex)
                                 : pthread_mutex_trylock(&mutex->mutex);
}
static __inline__ void gasnett_mutex_unlock(gasnett_mutex_t* mutex) {
  if (GONDWANA_GASNETT_CHECKS)
    gondwana_gasnett_mutex_unlock(mutex);
  else
    (void)pthread_mutex_unlock(&mutex->mutex);
}
static __inline__ int gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t* mutex) {
  return pthread_mutex_destroy(&mutex->mutex);
}
static __inline__ void gasnett_mutex_destroy(gasnett_mutex_t* mutex) {
  if (GONDWANA_GASNETT_CHECKS)
    gondwana_gasnett_mutex_destroy(mutex);
  else
    (void)pthread_mutex_destroy(&mutex->mutex);
}
static __inline__ void gasnett_mutex_assertlocked(const gasnett_mutex_t* mutex) {
  if (GONDWANA_GASNETT_CHECKS) gondwana_gasnett_mutex_assert(mutex, 1);
}
static __inline__ void gasnett_mutex_assertunlocked(const gasnett_mutex_t* mutex) {
  if (GONDWANA_GASNETT_CHECKS) gondwana_gasnett_mutex_assert(mutex, 0);
}

static __inline__ void gasnett_cond_init(gasnett_cond_t* condition) {
  (void)pthread_cond_init(condition, NULL);
}
static __inline__ void gasnett_cond_destroy(gasnett_cond_t* condition) {
  (void)pthread_cond_destroy(condition);
}
// Call signal and broadcast while holding the mutex that the waiters passed.
static __inline__ void gasnett_cond_signal(gasnett_cond_t* condition) {
  (void)pthread_cond_signal(condition);
}
static __inline__ void gasnett_cond_broadcast(gasnett_cond_t* condition) {
  (void)pthread_cond_broadcast(condition);
}
static __inline__ void gasnett_cond_wait(gasnett_cond_t* condition, gasnett_mutex_t* mutex) {
  if (GONDWANA_GASNETT_CHECKS)
    gondwana_gasnett_cond_wait(condition, mutex);
  else
    (void)pthread_cond_wait(condition, &mutex->mutex);
}

#else  // single-threaded

GASNETT_BEGIN_EXTERNC

typedef struct {
  int is_held;
} gasnett_mutex_t;
typedef struct {
  int unused;
} gasnett_cond_t;
#define GASNETT_MUTEX_INITIALIZER {0}
#define GASNETT_COND_INITIALIZER {0}

// With checks: ends the program with a message if it misused a mutex.
static __inline__ void gondwana_gasnett_check(int is_right, const char* wrong) {
  if (GONDWANA_GASNETT_CHECKS && !is_right) gasnett_fatalerror_nopos("%s", wrong);
}
static __inline__ void gasnett_mutex_init(gasnett_mutex_t* mutex) {
  mutex->is_held = 0;
}
static __inline__ void gasnett_mutex_lock(gasnett_mutex_t* mutex) {
  gondwana_gasnett_check(!mutex->is_held, "gasnett_mutex_lock: the mutex is held already");
  mutex->is_held = 1;
}
static __inline__ int gasnett_mutex_trylock(gasnett_mutex_t* mutex) {
  if (mutex->is_held) return EBUSY;
  mutex->is_held = 1;
  return 0;
}
static __inline__ void gasnett_mutex_unlock(gasnett_mutex_t* mutex) {
  gondwana_gasnett_check(mutex->is_held, "gasnett_mutex_unlock: the mutex is not held");
  mutex->is_held = 0;
}
static __inline__ int gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t* mutex) {
  return mutex->is_held ? EBUSY : 0;
}
static __inline__ void gasnett_mutex_destroy(gasnett_mutex_t* mutex) {
  gondwana_gasnett_check(!mutex->is_held, "gasnett_mutex_destroy: the mutex is held");
}
static __inline__ void gasnett_mutex_assertlocked(const gasnett_mutex_t* mutex) {
  gondwana_gasnett_check(mutex->is_held, "gasnett_mutex_assertlocked: the mutex is not held");
}
static __inline__ void gasnett_mutex_assertunlocked(const gasnett_mutex_t* mutex) {
  gondwana_gasnett_check(!mutex->is_held, "gasnett_mutex_assertunlocked: the mutex is held");
}

static __inline__ void gasnett_cond_init(gasnett_cond_t* condition) {
  condition->unused = 0;
}
static __inline__ void gasnett_cond_destroy(gasnett_cond_t* condition) {
  (void)condition;
}
static __inline__ void gasnett_cond_signal(gasnett_cond_t* condition) {
  (void)condition;
}
static __inline__ void gasnett_cond_broadcast(gasnett_cond_t* condition) {
  (void)condition;
}
static __inline__ void gasnett_cond_wait(gasnett_cond_t* condition, gasnett_mutex_t* mutex) {
  (void)condition;
  (void)mutex;
  gasnett_fatalerror_nopos("gasnett_cond_wait: there is one thread, so nobody can wake it");
}
#endif

// Many readers or one writer. Space for a pthread_rwlock_t, which strict C99 does not declare.
typedef struct {
  uint64_t storage[8];
} gasnett_rwlock_t;
#define GASNETT_RWLOCK_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0}}
void gasnett_rwlock_init(gasnett_rwlock_t* lock);
#define gasnett_rwlock_destroy(lock) gondwana_gasnett_rwlock_destroy(lock, GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_rdlock(lock) gondwana_gasnett_rwlock_rdlock(lock, GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_wrlock(lock) gondwana_gasnett_rwlock_wrlock(lock, GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_unlock(lock) gondwana_gasnett_rwlock_unlock(lock, GONDWANA_GASNETT_CHECKS)
// Returns 0, EBUSY or EAGAIN.
#define gasnett_rwlock_tryrdlock(lock) \
  gondwana_gasnett_rwlock_tryrdlock(lock, GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_trywrlock(lock) \
  gondwana_gasnett_rwlock_trywrlock(lock, GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_assertrdlocked(lock) \
  gondwana_gasnett_rwlock_assert(lock, "rdlocked", GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_assertwrlocked(lock) \
  gondwana_gasnett_rwlock_assert(lock, "wrlocked", GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_assertlocked(lock) \
  gondwana_gasnett_rwlock_assert(lock, "locked", GONDWANA_GASNETT_CHECKS)
#define gasnett_rwlock_assertunlocked(lock) \
  gondwana_gasnett_rwlock_assert(lock, "unlocked", GONDWANA_GASNETT_CHECKS)
void gondwana_gasnett_rwlock_destroy(gasnett_rwlock_t* lock, int checks);
void gondwana_gasnett_rwlock_rdlock(gasnett_rwlock_t* lock, int checks);
void gondwana_gasnett_rwlock_wrlock(gasnett_rwlock_t* lock, int checks);
void gondwana_gasnett_rwlock_unlock(gasnett_rwlock_t* lock, int checks);
int gondwana_gasnett_rwlock_tryrdlock(gasnett_rwlock_t* lock, int checks);
int gondwana_gasnett_rwlock_trywrlock(gasnett_rwlock_t* lock, int checks);
void gondwana_gasnett_rwlock_assert(const gasnett_rwlock_t* lock, const char* state, int checks);

// ----------------------------------------------------------------------
// A pointer per thread, initially null. Use DEFINE in one file, outside of functions.
#if GONDWANA_GASNETT_THREADS
#define GONDWANA_GASNETT_OF_A_THREAD __thread
#else
#define GONDWANA_GASNETT_OF_A_THREAD
#endif
#define GASNETT_THREADKEY_DECLARE(key) extern GONDWANA_GASNETT_OF_A_THREAD void* key
#define GASNETT_THREADKEY_DEFINE(key) GONDWANA_GASNETT_OF_A_THREAD void* key = NULL
#define gasnett_threadkey_init(key) ((void)0)
#define gasnett_threadkey_get(key) (key)
#define gasnett_threadkey_set(key, pointer) ((void)((key) = (pointer)))
#define gasnett_threadkey_get_noinit(key) gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, pointer) gasnett_threadkey_set(key, pointer)

GASNETT_END_EXTERNC

#endif  // GONDWANA_GASNET_TOOLS_LOCKS_H
