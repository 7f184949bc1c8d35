// Handles of calls that do not wait; copies within this process.
#include <algorithm>
#include <cstring>

#include "front/armci/profiled.hpp"
#include "front/armci/rma.hpp"
#include "operations/strided/copy.hpp"
#include "operations/strided/optimize.hpp"

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

namespace {

// A section in memory of this process, and a buffer without gaps.
struct Packing {
  void* section;
  const int* strides;
  void* buffer;
  const int* counts;
  int levels;
};

// The strides of the buffer follow from the counts.
std::vector<int> strides_of_buffer(const Packing& packing) {
  std::vector<int> strides;
  strides.reserve(static_cast<std::size_t>(std::max(packing.levels, 0)));
  int step = 1;
  for (int i = 0; i < packing.levels; ++i) strides.push_back(step *= packing.counts[i]);
  return strides;
}

}  // namespace

void ARMCI_INIT_HANDLE(armci_hdl_t* hdl) {
  *hdl = {};
}

void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  handle->gondwana_aggregate = 1;
  handle->gondwana_transfer = 0;
}

void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle) {
  handle->gondwana_aggregate = 0;
}

int PARMCI_Wait(armci_hdl_t* hdl) {
  constexpr auto call = "ARMCI_Wait";
  door(call).transfers().wait(call, hdl);
  return 0;
}

int PARMCI_Test(armci_hdl_t* hdl) {
  constexpr auto call = "ARMCI_Test";
  return door(call).transfers().is_over(call, hdl) ? 0 : 1;
}

int PARMCI_WaitProc(int proc) {
  constexpr auto call = "ARMCI_WaitProc";
  Door& here = door(call);
  here.checked_rank(call, proc);
  here.transfers().wait_for_all(call);
  return 0;
}

int PARMCI_WaitAll(void) {
  constexpr auto call = "ARMCI_WaitAll";
  door(call).transfers().wait_for_all(call);
  return 0;
}

void PARMCI_Access_begin(void* /*ptr*/) {
  std::atomic_thread_fence(std::memory_order_acquire);
}

void PARMCI_Access_end(void* /*ptr*/) {
  std::atomic_thread_fence(std::memory_order_release);
}

void ARMCI_Copy(void* src, void* dst, int size) {
  std::memmove(dst, src, static_cast<std::size_t>(checked_size("ARMCI_Copy", size)));
}

void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf) {
  constexpr auto call = "armci_write_strided";
  const std::vector<int> packed = strides_of_buffer({ptr, stride_arr, buf, count, stride_levels});
  Door& here = door(call);
  move_section(
      {here, call, static_cast<int>(gondwana::index(here.rank())), gondwana::strided::End::source},
      {ptr, stride_arr, buf, packed.data(), count, stride_levels});
}

void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf) {
  constexpr auto call = "armci_read_strided";
  const std::vector<int> packed = strides_of_buffer({ptr, stride_arr, buf, count, stride_levels});
  Door& here = door(call);
  move_section(
      {here, call, static_cast<int>(gondwana::index(here.rank())), gondwana::strided::End::target},
      {buf, packed.data(), ptr, stride_arr, count, stride_levels});
}

GONDWANA_PROFILED(Wait);
GONDWANA_PROFILED(Test);
GONDWANA_PROFILED(WaitProc);
GONDWANA_PROFILED(WaitAll);
GONDWANA_PROFILED(Access_begin);
GONDWANA_PROFILED(Access_end);
