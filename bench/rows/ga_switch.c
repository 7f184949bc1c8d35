// The ARMCI functions called by single puts, gets and accumulates of Global Arrays, with a switch.
#include <armci.h>

int armci_is_off;

int ARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int levels,
               int proc) {
  return armci_is_off ? 0 : PARMCI_PutS(src, src_stride, dst, dst_stride, count, levels, proc);
}

int ARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int levels,
               int proc) {
  return armci_is_off ? 0 : PARMCI_GetS(src, src_stride, dst, dst_stride, count, levels, proc);
}

int ARMCI_AccS(int type, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
               int count[], int levels, int proc) {
  return armci_is_off
             ? 0
             : PARMCI_AccS(type, scale, src, src_stride, dst, dst_stride, count, levels, proc);
}

int ARMCI_NbPutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int levels,
                 int proc, armci_hdl_t* handle) {
  return armci_is_off
             ? 0
             : PARMCI_NbPutS(src, src_stride, dst, dst_stride, count, levels, proc, handle);
}

int ARMCI_NbGetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int levels,
                 int proc, armci_hdl_t* handle) {
  return armci_is_off
             ? 0
             : PARMCI_NbGetS(src, src_stride, dst, dst_stride, count, levels, proc, handle);
}

int ARMCI_NbAccS(int type, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                 int count[], int levels, int proc, armci_hdl_t* handle) {
  return armci_is_off ? 0
                      : PARMCI_NbAccS(type, scale, src, src_stride, dst, dst_stride, count, levels,
                                      proc, handle);
}

int ARMCI_Wait(armci_hdl_t* handle) {
  return armci_is_off ? 0 : PARMCI_Wait(handle);
}

void ARMCI_Fence(int proc) {
  if (!armci_is_off) PARMCI_Fence(proc);
}
