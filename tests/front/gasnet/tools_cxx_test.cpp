// The tools in a C++ program with several threads: atomics, locks, thread keys, and the checks of
// locks.
#define GASNETT_THREAD_SAFE 1
#define GASNETT_DEBUG 1
#include <gasnet/tools_format.h>
#include <gasnet_tools.h>

#include <sys/wait.h>
#include <unistd.h>
#include <bit>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void expect(bool is_true, const char* what, int line) {
  if (is_true) return;
  std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, line, what);
  ++failures;
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

constexpr int threads = 4;
constexpr int rounds = 5000;

// Runs `work` on several numbered threads.
template <typename Work>
void on_threads(Work work) {
  std::vector<std::thread> crew;
  crew.reserve(threads);
  for (int number = 0; number < threads; ++number) crew.emplace_back(work, number);
  for (std::thread& each : crew) each.join();
}

// Whether a call ends the program with an error message that contains `words`.
template <typename Call>
bool ends_with(const std::string& words, Call call) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    call();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char part[512];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    said.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
         said.find(words) != std::string::npos;
}

gasnett_atomic_t counter = gasnett_atomic_init(-1);
gasnett_atomic64_t wide = gasnett_atomic64_init(1);
gasnett_strongatomic32_t strong = gasnett_strongatomic32_init(0);
gasnett_atomic_t zeros = gasnett_atomic_init(0);

void operations_of_threads_add_up() {
  EXPECT(gasnett_atomic_signed(gasnett_atomic_read(&counter, 0)) == -1);
  gasnett_atomic_set(&counter, threads * rounds, GASNETT_ATOMIC_REL);
  on_threads([](int) {
    for (int i = 0; i < rounds; ++i) {
      gasnett_atomic64_add(&wide, std::uint64_t{1} << 32, GASNETT_ATOMIC_MB_PRE);
      gasnett_strongatomic32_increment(&strong, GASNETT_ATOMIC_MB_POST);
      if (gasnett_atomic_decrement_and_test(&counter, GASNETT_ATOMIC_ACQ_IF_TRUE) != 0)
        gasnett_atomic_increment(&zeros, 0);
    }
  });
  EXPECT(gasnett_atomic64_read(&wide, 0) == (std::uint64_t{threads * rounds} << 32) + 1);
  EXPECT(gasnett_strongatomic32_read(&strong, 0) == threads * rounds);
  EXPECT(gasnett_atomic_read(&counter, 0) == 0 && gasnett_atomic_read(&zeros, 0) == 1);
}

gasnett_atomic32_t cell = gasnett_atomic32_init(5);

void operations_return_what_is_there_afterwards() {
  EXPECT(gasnett_atomic32_add(&cell, 3, 0) == 8);
  EXPECT(gasnett_atomic32_subtract(&cell, 9, 0) == 0xffffffffU);
  EXPECT(gasnett_atomic32_swap(&cell, 7, 0) == 0xffffffffU);  // but this one: before
  EXPECT(gasnett_atomic32_compare_and_swap(&cell, 6, 1, 0) == 0);
  EXPECT(gasnett_atomic32_compare_and_swap(&cell, 7, 1, GASNETT_ATOMIC_ACQ_IF_TRUE) != 0);
  EXPECT(gasnett_atomic32_read(&cell, GASNETT_ATOMIC_ACQ) == 1);
}

void atomics_may_lie_over_floating_point() {
  double number = 1.0;
  auto* bits = reinterpret_cast<gasnett_atomic64_t*>(&number);
  EXPECT(gasnett_atomic64_read(bits, 0) == 0x3ff0000000000000U);
  gasnett_atomic64_set(bits, 0x4000000000000000U, 0);
  EXPECT(number == 2.0);
}

gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
gasnett_cond_t condition = GASNETT_COND_INITIALIZER;
int turn = 0;

void a_mutex_and_its_condition_pass_a_turn_around() {
  on_threads([](int number) {
    for (int i = 0; i < 200; ++i) {
      gasnett_mutex_lock(&mutex);
      while (turn % threads != number) gasnett_cond_wait(&condition, &mutex);
      gasnett_mutex_assertlocked(&mutex);
      ++turn;
      gasnett_cond_broadcast(&condition);
      gasnett_mutex_unlock(&mutex);
      gasnett_mutex_assertunlocked(&mutex);
    }
  });
  EXPECT(turn == 200 * threads);
}

gasnett_rwlock_t shelf = GASNETT_RWLOCK_INITIALIZER;
int pair[2] = {0, 0};

void readers_see_whole_writes() {
  gasnett_atomic_t torn = gasnett_atomic_init(0);
  on_threads([&torn](int number) {
    for (int i = 0; i < rounds; ++i) {
      if (number == 0) {
        gasnett_rwlock_wrlock(&shelf);
        ++pair[0];
        ++pair[1];
      } else {
        gasnett_rwlock_rdlock(&shelf);
        if (pair[0] != pair[1]) gasnett_atomic_increment(&torn, 0);
      }
      gasnett_rwlock_assertlocked(&shelf);
      gasnett_rwlock_unlock(&shelf);
    }
  });
  EXPECT(gasnett_atomic_read(&torn, 0) == 0 && pair[0] == rounds);
  EXPECT(gasnett_rwlock_tryrdlock(&shelf) == 0);
  std::thread([] { EXPECT(gasnett_rwlock_trywrlock(&shelf) == EBUSY); }).join();
  gasnett_rwlock_unlock(&shelf);
}

void misused_locks_end_the_program() {
  EXPECT(ends_with("gasnett_mutex_lock: the calling thread already holds it", [] {
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_lock(&mutex);
  }));
  EXPECT(ends_with("gasnett_mutex_unlock: the calling thread does not hold it",
                   [] { gasnett_mutex_unlock(&mutex); }));
  EXPECT(ends_with("gasnett_cond_wait", [] { gasnett_cond_wait(&condition, &mutex); }));
  EXPECT(ends_with("gasnett_rwlock_wrlock: the calling thread already holds it", [] {
    gasnett_rwlock_rdlock(&shelf);
    gasnett_rwlock_wrlock(&shelf);
  }));
  EXPECT(ends_with("gasnett_rwlock_assertwrlocked: the calling thread holds it for reading", [] {
    gasnett_rwlock_rdlock(&shelf);
    gasnett_rwlock_assertwrlocked(&shelf);
  }));
}

}  // namespace

GASNETT_THREADKEY_DECLARE(tools_test_key);
GASNETT_THREADKEY_DEFINE(tools_test_key);

namespace {

void each_thread_has_a_pointer_of_its_own() {
  gasnett_threadkey_init(tools_test_key);
  on_threads([](int number) {
    EXPECT(gasnett_threadkey_get(tools_test_key) == nullptr);
    gasnett_threadkey_set(tools_test_key, &number);
    gasnett_sched_yield();
    EXPECT(gasnett_threadkey_get_noinit(tools_test_key) == &number);
  });
  EXPECT(gasnett_threadkey_get(tools_test_key) == nullptr);
}

void constants_and_lists_become_text() {
  std::string text(gasnett_format_op(nullptr, GEX_OP_ADD | GEX_OP_FCAS), '\0');
  EXPECT(gasnett_format_op(text.data(), GEX_OP_ADD | GEX_OP_FCAS) == text.size());
  EXPECT(text.c_str() == std::string("GEX_OP_ADD|GEX_OP_FCAS"));
  char small[32];
  EXPECT(gasnett_format_dt(small, 0) == 4 && small == std::string("0x0"));
  EXPECT(gasnett_format_ti(small, GEX_TI_EP | 0x100) == 16 &&
         small == std::string("GEX_TI_EP|0x100"));

  auto* end = std::bit_cast<char*>(~std::uintptr_t{0});
  const std::vector<gex_Memvec_t> pieces(3, {end, ~std::size_t{0}});
  std::string list(gasnett_format_memveclist_bufsz(pieces.size()), '\0');
  gasnett_format_memveclist(list.data(), pieces.size(), pieces.data());
  EXPECT(list.find(" 0xffffffffffffffff+18446744073709551615\0", 0, 39) != std::string::npos);

  const std::ptrdiff_t strides[] = {-8, 64};
  const std::size_t counts[] = {2, 3};
  std::string strided(gasnett_format_putsgets_bufsz(2), '\0');
  gasnett_format_putsgets(strided.data(), nullptr, nullptr, 3, end, strides, end, strides, 4,
                          counts, 2);
  EXPECT(strided.find("elements of 4 B, counts {2,3}, to 0xffffffffffffffff strides {-8,64}") !=
         std::string::npos);
}

gasnett_atomic_t flag = gasnett_atomic_init(0);
int message = 0;

void a_message_published_with_rel_is_seen_with_acq() {
  std::thread writer([] {
    for (int i = 1; i <= rounds; ++i) {
      while (gasnett_atomic_read(&flag, GASNETT_ATOMIC_ACQ) != 0) gasnett_sched_yield();
      message = i;
      gasnett_atomic_set(&flag, 1, GASNETT_ATOMIC_REL);
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    while (gasnett_atomic_read(&flag, GASNETT_ATOMIC_ACQ) == 0) gasnett_sched_yield();
    EXPECT(message == i);
    gasnett_atomic_set(&flag, 0, GASNETT_ATOMIC_REL);
  }
  writer.join();
}

}  // namespace

int main() {
  operations_of_threads_add_up();
  operations_return_what_is_there_afterwards();
  atomics_may_lie_over_floating_point();
  a_mutex_and_its_condition_pass_a_turn_around();
  readers_see_whole_writes();
  misused_locks_end_the_program();
  each_thread_has_a_pointer_of_its_own();
  constants_and_lists_become_text();
  a_message_published_with_rel_is_seen_with_acq();
  return failures == 0 ? 0 : 1;
}
