// The non-blocking forms of gasnet_vis.h. They call the blocking forms.
#include "gasnet_vis.h"

namespace {

gex_Event_t event_of(int refused) {
  return refused != 0 ? GEX_EVENT_NO_OP : GEX_EVENT_INVALID;
}

}  // namespace

gex_Event_t gex_VIS_VectorGetNB(gex_TM_t tm, size_t dstcount, const gex_Memvec_t dstlist[],
                                gex_Rank_t srcrank, size_t srccount, const gex_Memvec_t srclist[],
                                gex_Flags_t flags) {
  return event_of(
      gex_VIS_VectorGetBlocking(tm, dstcount, dstlist, srcrank, srccount, srclist, flags));
}

int gex_VIS_VectorGetNBI(gex_TM_t tm, size_t dstcount, const gex_Memvec_t dstlist[],
                         gex_Rank_t srcrank, size_t srccount, const gex_Memvec_t srclist[],
                         gex_Flags_t flags) {
  return gex_VIS_VectorGetBlocking(tm, dstcount, dstlist, srcrank, srccount, srclist, flags);
}

gex_Event_t gex_VIS_VectorPutNB(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                                const gex_Memvec_t dstlist[], size_t srccount,
                                const gex_Memvec_t srclist[], gex_Flags_t flags) {
  return event_of(
      gex_VIS_VectorPutBlocking(tm, dstrank, dstcount, dstlist, srccount, srclist, flags));
}

int gex_VIS_VectorPutNBI(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                         const gex_Memvec_t dstlist[], size_t srccount,
                         const gex_Memvec_t srclist[], gex_Flags_t flags) {
  return gex_VIS_VectorPutBlocking(tm, dstrank, dstcount, dstlist, srccount, srclist, flags);
}

// NOLINTBEGIN(readability-function-size): the standard chose the parameters
gex_Event_t gex_VIS_IndexedGetNB(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                                 gex_Rank_t srcrank, size_t srccount, void* const srclist[],
                                 size_t srclen, gex_Flags_t flags) {
  return event_of(gex_VIS_IndexedGetBlocking(tm, dstcount, dstlist, dstlen, srcrank, srccount,
                                             srclist, srclen, flags));
}

int gex_VIS_IndexedGetNBI(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                          gex_Rank_t srcrank, size_t srccount, void* const srclist[], size_t srclen,
                          gex_Flags_t flags) {
  return gex_VIS_IndexedGetBlocking(tm, dstcount, dstlist, dstlen, srcrank, srccount, srclist,
                                    srclen, flags);
}

gex_Event_t gex_VIS_IndexedPutNB(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                                 void* const dstlist[], size_t dstlen, size_t srccount,
                                 void* const srclist[], size_t srclen, gex_Flags_t flags) {
  return event_of(gex_VIS_IndexedPutBlocking(tm, dstrank, dstcount, dstlist, dstlen, srccount,
                                             srclist, srclen, flags));
}

int gex_VIS_IndexedPutNBI(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount, void* const dstlist[],
                          size_t dstlen, size_t srccount, void* const srclist[], size_t srclen,
                          gex_Flags_t flags) {
  return gex_VIS_IndexedPutBlocking(tm, dstrank, dstcount, dstlist, dstlen, srccount, srclist,
                                    srclen, flags);
}

gex_Event_t gex_VIS_StridedGetNB(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                                 gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                                 size_t elemsz, const size_t count[], size_t stridelevels,
                                 gex_Flags_t flags) {
  return event_of(gex_VIS_StridedGetBlocking(tm, dstaddr, dststrides, srcrank, srcaddr, srcstrides,
                                             elemsz, count, stridelevels, flags));
}

int gex_VIS_StridedGetNBI(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                          gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                          size_t elemsz, const size_t count[], size_t stridelevels,
                          gex_Flags_t flags) {
  return gex_VIS_StridedGetBlocking(tm, dstaddr, dststrides, srcrank, srcaddr, srcstrides, elemsz,
                                    count, stridelevels, flags);
}

gex_Event_t gex_VIS_StridedPutNB(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                                 const ptrdiff_t dststrides[], void* srcaddr,
                                 const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],
                                 size_t stridelevels, gex_Flags_t flags) {
  return event_of(gex_VIS_StridedPutBlocking(tm, dstrank, dstaddr, dststrides, srcaddr, srcstrides,
                                             elemsz, count, stridelevels, flags));
}

int gex_VIS_StridedPutNBI(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                          const ptrdiff_t dststrides[], void* srcaddr, const ptrdiff_t srcstrides[],
                          size_t elemsz, const size_t count[], size_t stridelevels,
                          gex_Flags_t flags) {
  return gex_VIS_StridedPutBlocking(tm, dstrank, dstaddr, dststrides, srcaddr, srcstrides, elemsz,
                                    count, stridelevels, flags);
}
// NOLINTEND(readability-function-size)
