// The first write to each page of a fresh memfd, the memory of a symmetric heap: the time per page
// of 4 KiB. Usage: page_touch [MEBIBYTES]
#include "../common/crew.h"

enum { SAMPLES = 5 };

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64) << 20;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  double* samples = new_samples(SAMPLES);
  for (int i = 0; i < SAMPLES; ++i) {
    const int fd = memfd_create("page_touch", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
      perror("page_touch: memfd");
      return 1;
    }
    volatile char* pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (pages == MAP_FAILED) {
      perror("page_touch: mmap");
      return 1;
    }
    const int64_t start = now_ns();
    for (size_t offset = 0; offset < bytes; offset += page) pages[offset] = 1;
    samples[i] = ns_per_op(now_ns() - start, bytes / page);
    munmap((void*)pages, bytes);
    close(fd);
  }
  report("page_touch", "control", samples, SAMPLES);
  return 0;
}
