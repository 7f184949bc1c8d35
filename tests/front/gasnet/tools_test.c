// The tools in a C program with one thread: numbers, variables, bytes, time, backtraces.
#define _DEFAULT_SOURCE 1
#define GASNETT_THREAD_SINGLE 1
#include <gasnet_tools.h>

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures = 0;

#define EXPECT(condition)                                                                     \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, __func__, #condition); \
      ++failures;                                                                             \
    }                                                                                         \
  } while (0)

// The result of a function that runs in its own process.
static struct {
  int status;
  char errors[8192];
} child;

static void in_a_child(void (*function)(void)) {
  int ends[2];
  size_t length = 0;
  ssize_t got;
  pid_t process;
  fflush(NULL);
  if (pipe(ends) != 0 || (process = fork()) < 0) abort();
  if (process == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    function();
    _exit(0);
  }
  close(ends[1]);
  while ((got = read(ends[0], child.errors + length, sizeof child.errors - 1 - length)) > 0)
    length += (size_t)got;
  child.errors[length] = '\0';
  close(ends[0]);
  waitpid(process, &child.status, 0);
}

static int child_said(const char* text) {
  return strstr(child.errors, text) != NULL;
}
static int child_aborted(void) {
  return WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGABRT;
}
static int child_succeeded(void) {
  return WIFEXITED(child.status) && WEXITSTATUS(child.status) == 0;
}

static int reads_back(int64_t value, int is_size) {
  char text[64];
  return gasnett_parse_int(gasnett_format_number(value, text, sizeof text, is_size), is_size) ==
         value;
}

static void numbers_are_read_back_as_they_are_written(void) {
  int bit;
  for (bit = 0; bit < 63; ++bit) {
    const int64_t power = INT64_C(1) << bit;
    EXPECT(reads_back(power, 0) && reads_back(power, 1));
    EXPECT(reads_back(power - 1, 0) && reads_back(power - 1, 1));
    EXPECT(reads_back(-power, 0) && reads_back(-power, 1));
  }
  EXPECT(reads_back(INT64_MIN, 0) && reads_back(INT64_MIN, 1));
}

static void sizes_may_have_fractions_and_units(void) {
  char text[8];
  EXPECT(gasnett_parse_int("1.5MB", 1) == 3 << 19);
  EXPECT(gasnett_parse_int("64k", 1) == 65536);
  EXPECT(gasnett_parse_int("2 GiB", 1) == INT64_C(1) << 31);
  EXPECT(gasnett_parse_int("3", 1024) == 3072);
  EXPECT(gasnett_parse_int("3B", 1024) == 3);
  EXPECT(gasnett_parse_int("0x10", 0) == 16);
  EXPECT(gasnett_parse_int(" -7 ", 0) == -7);
  EXPECT(!strcmp(gasnett_format_number(3 << 20, text, sizeof text, 1), "3 MB"));
  EXPECT(!strcmp(gasnett_format_number(123456789, text, sizeof text, 0), "1234567"));
}

static void parse_text(void) {
  (void)gasnett_parse_int("8q", 1);
}
static void parse_large(void) {
  (void)gasnett_parse_int("9223372036854775808", 0);
}
static void read_yes_or_no(void) {
  gasnett_setenv("GASNET_TEST_SWITCH", "maybe");
  (void)gasnett_getenv_yesno_withdefault("GASNET_TEST_SWITCH", 0);
}
static void what_cannot_be_read_ends_the_program(void) {
  in_a_child(parse_text);
  EXPECT(child_aborted() && child_said("\"8q\": expected a size"));
  in_a_child(parse_large);
  EXPECT(child_aborted());
  in_a_child(read_yes_or_no);
  EXPECT(child_aborted() && child_said("GASNET_TEST_SWITCH \"maybe\": expected yes or no"));
}

static void variables_are_read_or_have_defaults(void) {
  gasnett_unsetenv("GASNET_TEST_A");
  EXPECT(gasnett_getenv("GASNET_TEST_A") == NULL);
  EXPECT(!strcmp(gasnett_getenv_withdefault("GASNET_TEST_A", "b"), "b"));
  EXPECT(gasnett_getenv_yesno_withdefault("GASNET_TEST_A", 1) == 1);
  EXPECT(gasnett_getenv_int_withdefault("GASNET_TEST_A", -3, 0) == -3);
  EXPECT(gasnett_getenv_dbl_withdefault("GASNET_TEST_A", 2.5) == 2.5);
  gasnett_setenv("GASNET_TEST_A", "3/8");
  EXPECT(!strcmp(gasnett_getenv_withdefault("GASNET_TEST_A", "b"), "3/8"));
  EXPECT(gasnett_getenv_dbl_withdefault("GASNET_TEST_A", 0) == 0.375);
  gasnett_setenv("GASNET_TEST_A", "No");
  EXPECT(gasnett_getenv_yesno_withdefault("GASNET_TEST_A", 1) == 0);
  gasnett_setenv("GASNET_TEST_A", "2");
  EXPECT(gasnett_getenv_int_withdefault("GASNET_TEST_A", 0, 1 << 20) == 2 << 20);
}

static void read_verbosely(void) {
  gasnett_setenv("GASNET_VERBOSEENV", "1");
  gasnett_setenv("GASNET_TEST_SIZE", "0.5MB");
  (void)gasnett_getenv_int_withdefault("GASNET_TEST_SIZE", 0, 1);
  (void)gasnett_getenv_int_withdefault("GASNET_TEST_SIZE", 0, 1);
  (void)gasnett_getenv_yesno_withdefault("GASNET_TEST_NOTHING", 0);
}
static void variables_are_reported_once(void) {
  const char* first;
  in_a_child(read_verbosely);
  EXPECT(child_succeeded() && child_said("GASNET_TEST_NOTHING = NO (default)\n"));
  first = strstr(child.errors, "GASNET_TEST_SIZE = 512 KB\n");
  EXPECT(first != NULL && strstr(first + 1, "GASNET_TEST_SIZE") == NULL);
}

static void zeros_are_counted_at_every_alignment(void) {
  unsigned char data[96];
  unsigned char copy[sizeof data];
  uint32_t random = 20251;  // fixed: the same bytes in each run
  size_t start;
  size_t end;
  size_t i;
  for (i = 0; i < sizeof data; ++i)
    data[i] = (random = random * 1664525 + 1013904223) >> 30 ? (unsigned char)(random >> 16) : 0;
  for (start = 0; start < 9; ++start)
    for (end = start; end <= sizeof data; ++end) {
      size_t zeros = 0;
      for (i = start; i < end; ++i) zeros += data[i] == 0;
      memset(copy, 1, sizeof copy);
      EXPECT(gasnett_count0s(data + start, end - start) == zeros);
      EXPECT(gasnett_count0s_copy(copy, data + start, end - start) == zeros);
      EXPECT(memcmp(copy, data + start, end - start) == 0);
      EXPECT(end == sizeof data || copy[end - start] == 1);
    }
  EXPECT(gasnett_count0s_uint64_t(UINT64_C(0x0100800000ff0000)) == 5);
  EXPECT(gasnett_count0s_uint32_t(0x00010000) == 3 &&
         gasnett_count0s_uintptr_t(0) == sizeof(void*));
}

static void checksums_depend_on_each_bit_and_the_length(void) {
  unsigned char data[40] = {0};
  int bit;
  const uint64_t sum = gasnett_checksum(data, sizeof data);
  EXPECT(sum == gasnett_checksum(data, sizeof data));
  EXPECT(sum != gasnett_checksum(data, sizeof data - 1));
  for (bit = 0; bit < 8 * (int)sizeof data; ++bit) {
    data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    EXPECT(gasnett_checksum(data, sizeof data) != sum);
    data[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
}

static void sleep_lasts_at_least_that_long(void) {
  const gasnett_tick_t begin = gasnett_ticks_now();
  EXPECT(gasnett_nsleep(3000000) == 0);
  EXPECT(gasnett_ticks_to_us(gasnett_ticks_now() - begin) >= 3000);
  EXPECT(gasnett_tick_granularityus() > 0 && gasnett_tick_overheadus() > 0);
}

static int was_asked = 0;
static int print_nothing(int fd) {
  (void)fd;
  ++was_asked;
  return was_asked == 1 ? 0 : 1;
}
gasnett_backtrace_type_t gasnett_backtrace_user = {"MINE", &print_nothing, 1};

static void print_twice(void) {
  gasnett_backtrace_init("tools_test");
  if (gasnett_print_backtrace(STDERR_FILENO) != 0) _exit(2);
  fputs("between\n", stderr);
  if (gasnett_print_backtrace(STDERR_FILENO) != 0) _exit(3);
}
static void the_own_backtrace_stands_in_for_one_that_fails(void) {
  in_a_child(print_twice);
  EXPECT(child_succeeded());
  EXPECT(!strncmp(child.errors, "between\n", 8) && child_said("the stack of process"));
}

static void raise_signal_of_user(void) {
  gasnett_setenv("GASNET_BACKTRACE_TYPE", "GDB,EXECINFO");
  gasnett_setenv("GASNET_BACKTRACE_SIGNAL", "usr1");
  gasnett_backtrace_init("tools_test");
  raise(SIGUSR1);
  fputs("goes on\n", stderr);
}
static void a_signal_prints_a_backtrace_and_the_program_goes_on(void) {
  in_a_child(raise_signal_of_user);
  EXPECT(child_succeeded() && child_said("the stack of process") && child_said("goes on"));
}

static void fail(void) {
  gasnett_setenv("GASNET_BACKTRACE", "1");
  gasnett_setenv("GASNET_BACKTRACE_NODES", "1-3");
  gasnett_fatalerror("%d apples", 3);
}
static void a_fatal_error_says_where_it_was(void) {
  in_a_child(fail);
  EXPECT(child_aborted() && child_said("fatal error in fail (") && child_said("): 3 apples\n"));
  EXPECT(!child_said("the stack of process"));  // not of these ranks
}

static volatile int frozen = 0;
static void thaw(int number) {
  (void)number;
  frozen = 0;
}
static void freeze(void) {
  gasnett_reghandler(SIGALRM, thaw);
  ualarm(30000, 0);
  gasnett_freezeForDebuggerNow(&frozen, "frozen");
}
static void a_frozen_process_goes_on_when_its_flag_is_cleared(void) {
  in_a_child(freeze);
  EXPECT(child_succeeded() && child_said("waits for a debugger") &&
         child_said("set var frozen = 0"));
}

static void the_machine_is_known(void) {
  gasnett_heapstats_t heap;
  void* volatile block = malloc(1 << 22);  // volatile: not optimised away
  char* pages = (char*)gasnett_mmap(GASNETT_PAGESIZE);
  EXPECT(gasnett_cpu_count() > 0 && gasnett_getPhysMemSz(1) > 1 << 20);
  EXPECT(*gasnett_gethostname() != '\0' && *gasnett_exe_name() == '/');
  EXPECT(gasnett_release_version() == 2025080000);
  EXPECT(!strcmp(gasnett_release_version_str(), "2025.8.0"));
  EXPECT(pages != NULL && (uintptr_t)pages % GASNETT_PAGESIZE == 0 && *pages == 0);
  gasnett_getheapstats(&heap);
  EXPECT(heap.total_bytes >= heap.live_bytes);
  // The malloc of a sanitizer does not report its size.
  EXPECT(heap.live_bytes == 0 || heap.live_bytes >= 1 << 22);
  EXPECT(gasnett_set_affinity(-1) != 0);
  free(block);
}

int main(void) {
  numbers_are_read_back_as_they_are_written();
  sizes_may_have_fractions_and_units();
  what_cannot_be_read_ends_the_program();
  variables_are_read_or_have_defaults();
  variables_are_reported_once();
  zeros_are_counted_at_every_alignment();
  checksums_depend_on_each_bit_and_the_length();
  sleep_lasts_at_least_that_long();
  the_own_backtrace_stands_in_for_one_that_fails();
  a_signal_prints_a_backtrace_and_the_program_goes_on();
  a_fatal_error_says_where_it_was();
  a_frozen_process_goes_on_when_its_flag_is_cleared();
  the_machine_is_known();
  return failures == 0 ? 0 : 1;
}
