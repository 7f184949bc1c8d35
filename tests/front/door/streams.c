/* streams [close]: the standard descriptors that were closed when the program was started, or that
   it closes before shmem_init, get no file of the library: what is written to them reaches nobody.
 */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { right = 21, longs = 2000, rounds = 20 };

static int make_noise(void) {
  static const char noise[] = "this is not a message of the library\n";
  int written = 0;
  for (int number = 0; number < 3; ++number) written += write(number, noise, sizeof noise) > 0;
  return written;
}

/* Nothing, or what was made to be nothing. */
static int is_taken(int number) {
  char link[64];
  char file[64] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  return readlink(link, file, sizeof file - 1) > 0 && strcmp(file, "/dev/null") != 0;
}

static int work(void) {
  static long in[longs];
  static long out[longs];
  static long word;
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < longs; ++i) in[i] = me + round;
    shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, out, in, longs);
    if (out[longs - 1] != (long)ranks * (ranks - 1) / 2 + (long)ranks * round) return 9;
    shmem_long_atomic_inc(&word, (me + 1) % ranks);
    if (make_noise() > 0) return 8;
  }
  shmem_barrier_all();
  return word == rounds ? right : 7;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "close") == 0)
    for (int number = 0; number < 3; ++number) close(number);
  const int wrote_before = make_noise();
  shmem_init();
  int status = wrote_before == 0 ? work() : 6;
  for (int number = 0; number < 3; ++number)
    if (is_taken(number)) status = 10 + number;
  shmem_finalize();
  return status;
}
