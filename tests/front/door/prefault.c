/* prefault off|local|interleave [huge|hugetlb]: checks with the kernel that the pages of the heap
 * are where that value of GONDWANA_PREFAULT puts them. With "huge" they must also be huge pages,
 * with "hugetlb" reserved ones. The unit of GONDWANA_HEAP_SIZE is M. */
#define _GNU_SOURCE
#include <errno.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_domains = 64, most_pages = 1 << 15, huge_page = 2 << 20 };
enum { not_mapped = -ENOENT, no_page = -EFAULT };

static size_t page;
static const char* how;
static const char* kind = "small";

_Noreturn static void fail(const char* what) {
  fprintf(stderr, "prefault: rank %d, %s: %s\n", shmem_my_pe(), how, what);
  shmem_global_exit(1);
  abort();
}

/* The domain of each page, or a negative number where there is none yet. If the kernel reports
 * no domains, there is one. */
static void find_domains(char* start, size_t count, int* domains) {
  static void* pages[most_pages];
  for (size_t i = 0; i < count; ++i) pages[i] = start + i * page;
  if (syscall(SYS_move_pages, 0, count, pages, NULL, domains, 0) != 0) {
    static unsigned char resident[most_pages];
    if (mincore(start, count * page, resident) != 0) fail("mincore does not work");
    for (size_t i = 0; i < count; ++i) domains[i] = (resident[i] & 1) != 0 ? 0 : not_mapped;
  }
}

static int own_domain(void) {
  unsigned processor = 0;
  unsigned domain = 0;
  return syscall(SYS_getcpu, &processor, &domain, NULL) == 0 ? (int)domain : 0;
}

/* Domains with memory, from a text like "0-1". */
static int count_domains(void) {
  FILE* list = fopen("/sys/devices/system/node/has_memory", "r");
  int first = 0;
  int last = 0;
  if (list == NULL) return 1;
  const int numbers = fscanf(list, "%d-%d", &first, &last);
  fclose(list);
  return numbers == 2 ? last - first + 1 : 1;
}

static size_t huge_bytes(void) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  char line[512];
  size_t kib = 0;
  size_t sum = 0;
  const int set_aside = strcmp(kind, "hugetlb") == 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (set_aside ? sscanf(line, "Shared_Hugetlb: %zu kB", &kib) == 1 ||
                        sscanf(line, "Private_Hugetlb: %zu kB", &kib) == 1
                  : sscanf(line, "ShmemPmdMapped: %zu kB", &kib) == 1)
      sum += kib << 10;
  if (maps != NULL) fclose(maps);
  return sum;
}

/* Pages alternate between the domains. With some huge and some small pages the order is unknown. */
static void expect_turns(const int* domains, size_t count) {
  const size_t huge = huge_bytes();
  if (count_domains() < 2 || (huge > 0 && huge < count * page)) return;
  const size_t step = huge > 0 ? huge_page / page : 1;
  for (size_t i = 0; i + step < count; ++i)
    if (domains[i] == domains[i + step]) fail("two neighbours lie on one domain");
}

static size_t heap_size(void) {
  const char* text = getenv("GONDWANA_HEAP_SIZE");
  const unsigned long mebibytes = text == NULL ? 0 : strtoul(text, NULL, 10);
  if (mebibytes < 1 || mebibytes > 1 << 20) fail("GONDWANA_HEAP_SIZE is not a size in M");
  return (size_t)mebibytes << 20;
}

static void expect_zero(const char* heap, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (heap[i] != 0) fail("a byte of a new heap is not zero");
}

int main(int argc, char** argv) {
  how = argc > 1 ? argv[1] : "off";
  if (argc > 2) kind = argv[2];
  const int huge = strcmp(kind, "small") != 0;
  page = (size_t)sysconf(_SC_PAGESIZE);
  shmem_init();
  const size_t size = heap_size();
  char* heap = shmem_malloc(size);
  if (heap == NULL) fail("the heap is smaller than was asked for");
  const size_t count = size / page;
  static int domains[most_pages];
  if (count > most_pages) fail("the heap has too many pages for this program");
  find_domains(heap, count, domains);
  size_t on[most_domains] = {0};
  size_t absent = 0;
  for (size_t i = 0; i < count; ++i) {
    if (domains[i] >= 0 && domains[i] < most_domains)
      ++on[domains[i]];
    else if (domains[i] == not_mapped || domains[i] == no_page)
      ++absent;
    else
      fail("the kernel says something else of a page");
  }
  printf("rank %d on domain %d, %s: %zu pages on domain 0, %zu on 1, %zu not there, %zu MiB huge\n",
         shmem_my_pe(), own_domain(), how, on[0], on[1], absent, huge_bytes() >> 20);
  fflush(stdout);
  if (strcmp(how, "off") == 0 ? absent != count : absent != 0) fail("pages are there, or are not");
  if (strcmp(how, "local") == 0 && on[own_domain()] != count) fail("a page lies elsewhere");
  if (strcmp(how, "interleave") == 0) expect_turns(domains, count);
  const int touched = strcmp(how, "off") != 0;
  if (huge && touched && huge_bytes() < size) fail("not all pages are huge");
  expect_zero(heap, size);
  memset(heap, 1, size);
  if (huge && huge_bytes() < size) fail("not all pages that were written to are huge");
  shmem_free(heap);
  heap = shmem_calloc(size, 1);
  if (heap == NULL) fail("the heap is not free again");
  expect_zero(heap, size);
  shmem_barrier_all();
  shmem_putmem(heap, "x", 1, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_putmem(heap + size - 1, "y", 1, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_barrier_all();
  if (heap[0] != 'x' || heap[size - 1] != 'y') fail("what was put did not come");
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
