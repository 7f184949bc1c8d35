// The calls of armci.h for puts, gets and accumulates.
#include <cstring>

#include "front/armci/profiled.hpp"
#include "front/armci/rma.hpp"

namespace gondwana::armci {
namespace {

template <typename T>
void put_value(CallName name, T value, void* target, int proc) {
  if (try_put(target, &value, sizeof(value), proc)) return;
  const Call call{open_door(name), name, proc, strided::End::target};
  move_piece(call, target, &value, sizeof(value));
}

template <typename T>
T get_value(CallName name, void* source, int proc) {
  T value;
  if (try_get(&value, source, sizeof(value), proc)) return value;
  const Call call{open_door(name), name, proc, strided::End::source};
  move_piece(call, &value, source, sizeof(value));
  return value;
}

}  // namespace
}  // namespace gondwana::armci

using namespace gondwana::armci;  // NOLINT(google-build-using-namespace): names of C follow
using gondwana::strided::End;

// NOLINTBEGIN(readability-function-size): the interface chose the parameters

int PARMCI_Put(void* src, void* dst, int size, int target) {
  if (size > 0 && try_put(dst, src, static_cast<std::size_t>(size), target)) return 0;
  const Call call{open_door("ARMCI_Put"), "ARMCI_Put", target, End::target};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_Put", size)));
  return 0;
}

int PARMCI_Get(void* src, void* dst, int size, int target) {
  if (size > 0 && try_get(dst, src, static_cast<std::size_t>(size), target)) return 0;
  const Call call{open_door("ARMCI_Get"), "ARMCI_Get", target, End::source};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_Get", size)));
  return 0;
}

int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
  if (bytes > 0 && try_add(datatype, scale, dst, src, static_cast<std::size_t>(bytes), proc))
    return 0;
  const Call call{open_door("ARMCI_Acc"), "ARMCI_Acc", proc, End::target,
                  accumulation_of("ARMCI_Acc", datatype, scale)};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_Acc", bytes)));
  return 0;
}

int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc) {
  const std::size_t size = size_of_piece(count, stride_levels);
  if (size > 0 && try_put(dst_ptr, src_ptr, size, proc)) return 0;
  const Call call{open_door("ARMCI_PutS"), "ARMCI_PutS", proc, End::target};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  return 0;
}

int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
                int stride_levels, int proc) {
  const std::size_t size = size_of_piece(count, stride_levels);
  if (size > 0 && try_get(dst_ptr, src_ptr, size, proc)) return 0;
  const Call call{open_door("ARMCI_GetS"), "ARMCI_GetS", proc, End::source};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  return 0;
}

int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
                int dst_stride_ar[], int count[], int stride_levels, int proc) {
  const std::size_t size = size_of_piece(count, stride_levels);
  if (size > 0 && try_add(datatype, scale, dst_ptr, src_ptr, size, proc)) return 0;
  const Call call{open_door("ARMCI_AccS"), "ARMCI_AccS", proc, End::target,
                  accumulation_of("ARMCI_AccS", datatype, scale)};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  return 0;
}

int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc) {
  const Call call{open_door("ARMCI_PutV"), "ARMCI_PutV", proc, End::target};
  move_list(call, iov, iov_len);
  return 0;
}

int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc) {
  const Call call{open_door("ARMCI_GetV"), "ARMCI_GetV", proc, End::source};
  move_list(call, iov, iov_len);
  return 0;
}

int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc) {
  const Call call{open_door("ARMCI_AccV"), "ARMCI_AccV", proc, End::target,
                  accumulation_of("ARMCI_AccV", datatype, scale)};
  move_list(call, iov, iov_len);
  return 0;
}

int PARMCI_PutValueInt(int src, void* dst, int proc) {
  put_value("ARMCI_PutValueInt", src, dst, proc);
  return 0;
}

int PARMCI_PutValueLong(long src, void* dst, int proc) {
  put_value("ARMCI_PutValueLong", src, dst, proc);
  return 0;
}

int PARMCI_PutValueFloat(float src, void* dst, int proc) {
  put_value("ARMCI_PutValueFloat", src, dst, proc);
  return 0;
}

int PARMCI_PutValueDouble(double src, void* dst, int proc) {
  put_value("ARMCI_PutValueDouble", src, dst, proc);
  return 0;
}

int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
  if (bytes > 0 && try_put(dst, src, static_cast<std::size_t>(bytes), proc)) {
    Transfers::note_done(hdl);
    return 0;
  }
  const Call call{open_door("ARMCI_NbPut"), "ARMCI_NbPut", proc, End::target};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_NbPut", bytes)));
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
  if (bytes > 0 && try_get(dst, src, static_cast<std::size_t>(bytes), proc)) {
    Transfers::note_done(hdl);
    return 0;
  }
  Transfers::note_done(hdl);
  const Call call{open_door("ARMCI_NbGet"), "ARMCI_NbGet", proc, End::source, {}, false, hdl};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_NbGet", bytes)));
  return 0;
}

int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                 armci_hdl_t* hdl) {
  if (bytes > 0 && try_add(datatype, scale, dst, src, static_cast<std::size_t>(bytes), proc)) {
    Transfers::note_done(hdl);
    return 0;
  }
  const Call call{open_door("ARMCI_NbAcc"), "ARMCI_NbAcc", proc, End::target,
                  accumulation_of("ARMCI_NbAcc", datatype, scale)};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_NbAcc", bytes)));
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
  const std::size_t size = size_of_piece(count, stride_levels);
  if (size > 0 && try_put(dst_ptr, src_ptr, size, proc)) {
    Transfers::note_done(hdl);
    return 0;
  }
  const Call call{open_door("ARMCI_NbPutS"), "ARMCI_NbPutS", proc, End::target};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                  int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
  const std::size_t size = size_of_piece(count, stride_levels);
  if (size > 0 && try_get(dst_ptr, src_ptr, size, proc)) {
    Transfers::note_done(hdl);
    return 0;
  }
  Transfers::note_done(hdl);
  const Call call{open_door("ARMCI_NbGetS"), "ARMCI_NbGetS", proc, End::source, {}, false, hdl};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  return 0;
}

int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
                  int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
  const std::size_t size = size_of_piece(count, stride_levels);
  if (size > 0 && try_add(datatype, scale, dst_ptr, src_ptr, size, proc)) {
    Transfers::note_done(hdl);
    return 0;
  }
  const Call call{open_door("ARMCI_NbAccS"), "ARMCI_NbAccS", proc, End::target,
                  accumulation_of("ARMCI_NbAccS", datatype, scale)};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  const Call call{open_door("ARMCI_NbPutV"), "ARMCI_NbPutV", proc, End::target};
  move_list(call, iov, iov_len);
  Transfers::note_done(handle);
  return 0;
}

int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* handle) {
  Transfers::note_done(handle);
  const Call call{open_door("ARMCI_NbGetV"), "ARMCI_NbGetV", proc, End::source, {}, false, handle};
  move_list(call, iov, iov_len);
  return 0;
}

int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                  armci_hdl_t* handle) {
  const Call call{open_door("ARMCI_NbAccV"), "ARMCI_NbAccV", proc, End::target,
                  accumulation_of("ARMCI_NbAccV", datatype, scale)};
  move_list(call, iov, iov_len);
  Transfers::note_done(handle);
  return 0;
}

int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl) {
  put_value("ARMCI_NbPutValueInt", src, dst, proc);
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl) {
  put_value("ARMCI_NbPutValueLong", src, dst, proc);
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl) {
  put_value("ARMCI_NbPutValueFloat", src, dst, proc);
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl) {
  put_value("ARMCI_NbPutValueDouble", src, dst, proc);
  Transfers::note_done(hdl);
  return 0;
}

int PARMCI_GetValueInt(void* src, int proc) {
  return get_value<int>("ARMCI_GetValueInt", src, proc);
}

long PARMCI_GetValueLong(void* src, int proc) {
  return get_value<long>("ARMCI_GetValueLong", src, proc);
}

float PARMCI_GetValueFloat(void* src, int proc) {
  return get_value<float>("ARMCI_GetValueFloat", src, proc);
}

double PARMCI_GetValueDouble(void* src, int proc) {
  return get_value<double>("ARMCI_GetValueDouble", src, proc);
}

int PARMCI_Put_flag(void* src, void* dst, int size, int* flag, int value, int proc) {
  const Call call{open_door("ARMCI_Put_flag"), "ARMCI_Put_flag", proc, End::target};
  move_piece(call, dst, src, static_cast<std::size_t>(checked_size("ARMCI_Put_flag", size)));
  store_flag(call, flag, value);
  return 0;
}

int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                     int count[], int stride_levels, int* flag, int value, int proc) {
  const Call call{open_door("ARMCI_PutS_flag"), "ARMCI_PutS_flag", proc, End::target};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  store_flag(call, flag, value);
  return 0;
}

int PARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                         int count[], int stride_levels, int* flag, int value, int proc) {
  const Call call{open_door("ARMCI_PutS_flag_dir"), "ARMCI_PutS_flag_dir", proc, End::target};
  move_section(call, {src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels});
  store_flag(call, flag, value);
  return 0;
}

// NOLINTEND(readability-function-size)

GONDWANA_PROFILED(Put);
GONDWANA_PROFILED(Get);
GONDWANA_PROFILED(Acc);
GONDWANA_PROFILED(PutS);
GONDWANA_PROFILED(GetS);
GONDWANA_PROFILED(AccS);
GONDWANA_PROFILED(PutV);
GONDWANA_PROFILED(GetV);
GONDWANA_PROFILED(AccV);
GONDWANA_PROFILED(PutValueInt);
GONDWANA_PROFILED(PutValueLong);
GONDWANA_PROFILED(PutValueFloat);
GONDWANA_PROFILED(PutValueDouble);
GONDWANA_PROFILED(NbPut);
GONDWANA_PROFILED(NbGet);
GONDWANA_PROFILED(NbAcc);
GONDWANA_PROFILED(NbPutS);
GONDWANA_PROFILED(NbGetS);
GONDWANA_PROFILED(NbAccS);
GONDWANA_PROFILED(NbPutV);
GONDWANA_PROFILED(NbGetV);
GONDWANA_PROFILED(NbAccV);
GONDWANA_PROFILED(NbPutValueInt);
GONDWANA_PROFILED(NbPutValueLong);
GONDWANA_PROFILED(NbPutValueFloat);
GONDWANA_PROFILED(NbPutValueDouble);
GONDWANA_PROFILED(GetValueInt);
GONDWANA_PROFILED(GetValueLong);
GONDWANA_PROFILED(GetValueFloat);
GONDWANA_PROFILED(GetValueDouble);
GONDWANA_PROFILED(Put_flag);
GONDWANA_PROFILED(PutS_flag);
GONDWANA_PROFILED(PutS_flag_dir);
