// Handles of nonblocking calls, and copies within this process.
#include <cstring>

#include "front/armci/rma.hpp"
#include "operations/strided/copy.hpp"

namespace gondwana::armci {
namespace {

// A copy between a section and a packed buffer, both in memory of this process.
struct Packing {
  CallName call;
  std::byte* section;
  const int* strides;
  const int* counts;
  int levels;
  std::byte* buffer;
};

// Used if device memory is involved. `side`: the side of the section.
void copy_by_kind(const Packing& packing, const strided::Transfer& transfer, strided::End side) {
  for_each_run(transfer, side, reinterpret_cast<std::uintptr_t>(packing.section), packing.buffer,
               [&](const StridedRun& run) {
                 for (std::size_t i = 0; i < run.count; ++i) {
                   const auto at = static_cast<std::ptrdiff_t>(i);
                   auto* in_section =
                       reinterpret_cast<std::byte*>(run.there) + at * run.there_stride;
                   std::byte* packed = run.here + at * run.here_stride;
                   side == strided::End::target
                       ? own_door->memory().copy(packing.call, in_section, packed, run.size)
                       : own_door->memory().copy(packing.call, packed, in_section, run.size);
                 }
               });
}

void copy(const Packing& packing, strided::End section) {
  check_shape(packing.call, packing.counts, packing.levels);
  const AllStrides apart = wide(packing.strides, packing.levels);
  AllStrides together{};
  std::ptrdiff_t stride = packing.counts[0];
  for (int i = 0; i < packing.levels; ++i) {
    together.at(static_cast<std::size_t>(i)) = stride;
    if (__builtin_mul_overflow(stride, packing.counts[i + 1], &stride))
      give_up(packing.call, "the section is larger than any memory");
  }
  const bool fills_section = section == strided::End::target;
  const Shape shape{packing.counts, packing.levels, fills_section ? apart : together,
                    fills_section ? together : apart};
  const strided::Transfer transfer = optimized(packing.call, shape, section);
  if (transfer.is_empty()) return;
  if (own_door != nullptr && (own_door->memory().may_be_on_device(packing.section) ||
                              own_door->memory().may_be_on_device(packing.buffer))) [[unlikely]]
    return copy_by_kind(packing, transfer, section);
  if (fills_section)
    strided::copy(transfer, packing.section, packing.buffer);
  else
    strided::copy(transfer, packing.buffer, packing.section);
}

}  // namespace
}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow

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

void ARMCI_Copy(void* src, void* dst, int size) {
  constexpr auto call = "ARMCI_Copy";
  const auto bytes = static_cast<std::size_t>(checked_size(call, size));
  if (own_door != nullptr) return own_door->memory().copy(call, dst, src, bytes);
  std::memmove(dst, src, bytes);
}

void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf) {
  copy({"armci_write_strided", static_cast<std::byte*>(ptr), stride_arr, count, stride_levels,
        reinterpret_cast<std::byte*>(buf)},
       gondwana::strided::End::source);
}

void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf) {
  copy({"armci_read_strided", static_cast<std::byte*>(ptr), stride_arr, count, stride_levels,
        reinterpret_cast<std::byte*>(buf)},
       gondwana::strided::End::target);
}
