// A C++ program of NVSHMEM that uses the CUDA runtime, here a replacement over emulated devices. It
// initialises with a communicator of an MPI that consists of two functions.
#include <nvshmem.h>
#include <nvshmemx.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

static int me;
static int pes;
static int failures = 0;

static void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "PE %d: not so: %s\n", me, what);
}

// As MPICH has them, where a communicator is an int.
// NOLINTBEGIN(readability-identifier-naming): MPI chose the names
extern "C" {
int MPI_Comm_rank(int communicator, int* rank) {
  *rank = communicator == 1 ? nvshmem_my_pe() : nvshmem_n_pes() - 1 - nvshmem_my_pe();
  return 0;
}
int MPI_Comm_size(int, int* size) {
  *size = nvshmem_n_pes();
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)

template <typename T>
static std::vector<T> read(const T* block, std::size_t count) {
  std::vector<T> values(count);
  expect(cudaMemcpy(values.data(), block, count * sizeof(T), cudaMemcpyDefault) == cudaSuccess,
         "memory can be copied");
  return values;
}

// 1, 0.5 and 1/3 are halves or round to one; sums are of few members.
static void halves_are_reduced() {
  auto* source = static_cast<half*>(nvshmem_malloc(4 * sizeof(half)));
  const half terms[4] = {{0x3c00}, {0x3800}, {0x3555}, {0x0001}};  // 1, 0.5, 0.33325, 2^-24
  nvshmem_putmem(source, terms, sizeof(terms), me);
  nvshmem_half_sum_reduce(NVSHMEM_TEAM_WORLD, source, source, 4);  // in place
  const std::vector<half> sums = read(source, 4);
  const unsigned one[4] = {0, 0x3c00, 0x4000, 0x4200};
  const unsigned third[4] = {0, 0x3555, 0x3955, 0x3c00};
  if (pes < 4) {
    expect(sums[0].bits == one[pes], "ones are added");
    expect(sums[2].bits == third[pes], "a sum is rounded to the nearest");
    expect(sums[3].bits == static_cast<unsigned>(pes), "the smallest halves are added");
  }
  nvshmem_barrier_all();
  auto* brains = reinterpret_cast<__nv_bfloat16*>(source);
  const __nv_bfloat16 brain = {static_cast<uint16_t>(0x3f80 + 0x80 * (me % 2))};  // 1 or 2
  nvshmem_bfloat16_p(brains, brain, me);
  nvshmem_bfloat16_max_reduce(NVSHMEM_TEAM_WORLD, brains + 1, brains, 1);
  expect(read(brains, 2)[1].bits == (pes > 1 ? 0x4000 : 0x3f80), "the largest is found");
  nvshmem_free(source);
}

// A ring: each PE passes an array on, after the work of a stream.
static void a_stream_hands_on() {
  constexpr std::size_t count = 1000;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  auto* source = static_cast<float*>(nvshmem_malloc(count * sizeof(float)));
  auto* dest = static_cast<float*>(nvshmem_malloc(count * sizeof(float)));
  float* own = nullptr;
  expect(cudaMalloc(reinterpret_cast<void**>(&own), count * 4) == cudaSuccess, "memory is had");
  std::vector<float> values(count, static_cast<float>(me));
  cudaMemcpyAsync(source, values.data(), count * 4, cudaMemcpyHostToDevice, stream);
  nvshmemx_float_put_on_stream(dest, source, count, (me + 1) % pes, stream);
  nvshmemx_barrier_all_on_stream(stream);
  cudaMemcpyAsync(own, dest, count * 4, cudaMemcpyDeviceToDevice, stream);
  nvshmemx_float_get_on_stream(own, dest, 1, (me + 1) % pes, stream);  // device to device
  cudaStreamSynchronize(stream);
  expect(read(own, count)[0] == static_cast<float>(me), "a get on a stream comes home");
  expect(cudaFree(own) == cudaSuccess, "memory is freed");
  cudaStreamSynchronize(stream);
  expect(read(dest, count)[count - 1] == static_cast<float>((me + pes - 1) % pes), "all arrives");
  nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, dest, source, count, stream);
  expect(read(dest, 1)[0] == static_cast<float>(pes * (pes - 1)) / 2, "a stream reduces");
  cudaStreamDestroy(stream);
  nvshmem_free(dest);
  nvshmem_free(source);
}

// The id travels in a file. Its name has the number of the parent, which all ranks have.
nvshmemx_uniqueid_t carried_id(const std::string& file, int rank) {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  if (rank == 0) {
    expect(nvshmemx_get_uniqueid(&id) == 0, "an id is made");
    std::ofstream(file + ".new").write(reinterpret_cast<const char*>(&id), sizeof(id));
    std::rename((file + ".new").c_str(), file.c_str());
    return id;
  }
  while (!std::ifstream(file).read(reinterpret_cast<char*>(&id), sizeof(id))) ::usleep(1000);
  return id;
}

// The ranks change their numbers.
void start_by_unique_id(const char* place, int ranks) {
  const char* number = std::getenv("GONDWANA_RANK");
  if (number == nullptr) std::abort();  // no job started it
  const int rank = ranks - 1 - std::atoi(number);
  const std::string file = std::string(place) + "." + std::to_string(::getppid());
  const nvshmemx_uniqueid_t id = carried_id(file, rank);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  expect(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0, "an id is needed");
  nvshmemx_set_attr_uniqueid_args(rank, ranks, &id, &attributes);
  expect(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) == 0, "the ranks meet");
  expect(nvshmem_my_pe() == rank && nvshmem_n_pes() == ranks, "they have the numbers they passed");
  if (rank == 0) std::remove(file.c_str());
}

// An argument of one letter: a communicator in another order; a longer one: a start by unique id.
int main(int argc, char** argv) {
  int communicator = argc == 1 ? 1 : 2;
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  attributes.mpi_comm = &communicator;
  if (argc > 1 && argv[1][1] != 0)
    start_by_unique_id(argv[1], 2);
  else
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes);
  me = nvshmem_my_pe();
  pes = nvshmem_n_pes();
  cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
  halves_are_reduced();
  a_stream_hands_on();
  nvshmem_finalize();
  return failures > 0 ? 1 : 0;
}
