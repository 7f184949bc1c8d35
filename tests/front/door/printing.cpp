// printing HOW: what a rank has printed is there though it writes nothing any more.
//   kill, crash, stay: each rank prints a line by C and one by C++, and the last one ends by
//   SIGKILL or SIGSEGV, or stays until it is killed own: the same as kill, with a buffer that the
//   program has set flood, flood-crash: 100,000 lines and "the end", then as stay and crash
#include <shmem.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <string_view>

namespace {

char buffer[4096];
volatile int* nothing = nullptr;

void print_lines(std::string_view how) {
  if (how == "own") std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  std::printf("C of rank %d\n", shmem_my_pe());
  std::cout << "C++ of rank " << shmem_my_pe() << '\n';
}

void print_many() {
  for (int i = 0; i < 100000; ++i) std::printf("line %d of rank %d\n", i, shmem_my_pe());
  std::printf("the end of rank %d\n", shmem_my_pe());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view how = argc > 1 ? argv[1] : "";
  shmem_init();
  how.starts_with("flood") ? print_many() : print_lines(how);
  shmem_barrier_all();
  const bool is_last = shmem_my_pe() == shmem_n_pes() - 1;
  if (is_last && how.ends_with("crash")) *nothing = 1;
  if (is_last && (how == "kill" || how == "own")) raise(SIGKILL);
  for (;;) pause();
}
