// Texts for the declarations of gasnetex.h. gasnett_format_{op,dt,ti} return the bytes that the
// text and its terminator need, and write it unless `buffer` is null. The others write it into a
// buffer of the size that their _bufsz function returns, and return `buffer`.
//
// Part of gasnet_tools.h.
#ifndef GONDWANA_GASNET_TOOLS_FORMAT_H
#define GONDWANA_GASNET_TOOLS_FORMAT_H

#include "gasnet_fwd.h"

#include "gasnet/tools_annotations.h"

GASNETT_BEGIN_EXTERNC
size_t gasnett_format_op(char* buffer, gex_OP_t operations);
size_t gasnett_format_dt(char* buffer, gex_DT_t types);
size_t gasnett_format_ti(char* buffer, gex_TI_t fields);
size_t gasnett_format_memveclist_bufsz(size_t count);
char* gasnett_format_memveclist(char* buffer, size_t count, const gex_Memvec_t* list);
size_t gasnett_format_addrlist_bufsz(size_t count);
char* gasnett_format_addrlist(char* buffer, size_t count, void* const* list, size_t length);
size_t gasnett_format_putsgets_bufsz(size_t levels);
// `unused` must be null.
char* gasnett_format_putsgets(char* buffer, void* unused, gex_TM_t team, gex_Rank_t rank,
                              void* destination, const ptrdiff_t* destination_strides, void* source,
                              const ptrdiff_t* source_strides, size_t element_size,
                              const size_t* count, size_t levels);
GASNETT_END_EXTERNC

#endif  // GONDWANA_GASNET_TOOLS_FORMAT_H
