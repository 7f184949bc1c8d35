/* The first process of an emulated machine (machine.py): checks the pages of heaps for each value
 * of GONDWANA_PREFAULT, with small, huge and reserved huge pages, and switches the machine off. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/shmem_enabled"
#define SET_ASIDE "/proc/sys/vm/nr_hugepages"

static void mount_on(const char* folder, const char* type) {
  mkdir(folder, 0755);
  if (mount(type, folder, type, 0, NULL) != 0) perror(folder);
}

static void show(const char* path) {
  char text[256] = "";
  FILE* file = fopen(path, "r");
  if (file != NULL && fgets(text, sizeof text, file) != NULL) printf("%s: %s", path, text);
  if (file != NULL) fclose(file);
  fflush(stdout);
}

static void set(const char* path, const char* word) {
  const int file = open(path, O_WRONLY);
  if (file < 0 || write(file, word, strlen(word)) < 0) perror(path);
  if (file >= 0) close(file);
}

/* Two ranks, each on a processor of its own domain. Returns the status of the job. */
static int job(const char* how, const char* pages) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    setenv("GONDWANA_PREFAULT", how, 1);
    setenv("GONDWANA_HEAP_SIZE", "32M", 1);
    setenv("GONDWANA_HUGETLB", strcmp(pages, "hugetlb") == 0 ? "yes" : "no", 1);
    execl(GONDWANA, "gondwana", "run", "-n", "2", "--bind-to", "core", PROGRAM, how, pages, NULL);
    perror(GONDWANA);
    _exit(127);
  }
  return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(void) {
  mount_on("/proc", "proc");
  mount_on("/sys", "sysfs");
  mount_on("/dev", "devtmpfs");
  mkdir("/tmp", 01777);
  show("/sys/devices/system/node/has_memory");
  show("/sys/devices/system/node/node0/cpulist");
  show("/sys/devices/system/node/node1/cpulist");
  int failed = 0;
  set(HUGE_PAGES, "never");
  failed += job("off", "small") + job("local", "small") + job("interleave", "small");
  set(HUGE_PAGES, "advise");
  failed += job("local", "huge") + job("interleave", "huge");
  set(SET_ASIDE, "48"); /* half of them on each domain */
  failed += job("off", "hugetlb") + job("local", "hugetlb") + job("interleave", "hugetlb");
  printf("jobs that failed: %d\n", failed);
  fflush(stdout);
  return reboot(RB_POWER_OFF);
}
