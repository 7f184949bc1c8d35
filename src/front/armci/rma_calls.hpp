// Puts, gets and accumulates, as declared in armci.h. With a handle, gets need not wait. All other
// calls are complete when they return.
#pragma once

#include "front/armci/rma.hpp"

namespace gondwana::armci {

// NOLINTBEGIN(readability-function-size): the interface chose the parameters

inline int done(armci_hdl_t* handle) {
  Transfers::note_done(handle);
  return 0;
}

[[gnu::always_inline]] inline int put(CallName name, void* source, void* target, int size,
                                      int proc) {
  if (size > 0 && try_put(target, source, static_cast<std::size_t>(size), proc)) return 0;
  const Call call{open_door(name), name, proc, strided::End::target};
  move_piece(call, target, source, static_cast<std::size_t>(checked_size(name, size)));
  return 0;
}
[[gnu::always_inline]] inline int put(CallName name, void* source, void* target, int size, int proc,
                                      armci_hdl_t* handle) {
  put(name, source, target, size, proc);
  return done(handle);
}

[[gnu::always_inline]] inline int get(CallName name, void* source, void* target, int size,
                                      int proc) {
  if (size > 0 && try_get(target, source, static_cast<std::size_t>(size), proc)) return 0;
  const Call call{open_door(name), name, proc, strided::End::source};
  move_piece(call, target, source, static_cast<std::size_t>(checked_size(name, size)));
  return 0;
}
[[gnu::always_inline]] inline int get(CallName name, void* source, void* target, int size, int proc,
                                      armci_hdl_t* handle) {
  if (size > 0 && try_get(target, source, static_cast<std::size_t>(size), proc))
    return done(handle);
  done(handle);
  const Call call{open_door(name), name, proc, strided::End::source, {}, false, handle};
  move_piece(call, target, source, static_cast<std::size_t>(checked_size(name, size)));
  return 0;
}

[[gnu::always_inline]] inline int accumulate(CallName name, int type, void* scale, void* source,
                                             void* target, int size, int proc) {
  if (size > 0 && try_add(type, scale, target, source, static_cast<std::size_t>(size), proc))
    return 0;
  const Call call{open_door(name), name, proc, strided::End::target,
                  accumulation_of(name, type, scale)};
  move_piece(call, target, source, static_cast<std::size_t>(checked_size(name, size)));
  return 0;
}
[[gnu::always_inline]] inline int accumulate(CallName name, int type, void* scale, void* source,
                                             void* target, int size, int proc,
                                             armci_hdl_t* handle) {
  accumulate(name, type, scale, source, target, size, proc);
  return done(handle);
}

[[gnu::always_inline]] inline int put_section(CallName name, void* source, int* source_strides,
                                              void* target, int* target_strides, int* counts,
                                              int levels, int proc) {
  const std::size_t size = size_of_piece(counts, levels);
  if (size > 0 && try_put(target, source, size, proc)) return 0;
  const Call call{open_door(name), name, proc, strided::End::target};
  move_section(call, {source, source_strides, target, target_strides, counts, levels});
  return 0;
}
[[gnu::always_inline]] inline int put_section(CallName name, void* source, int* source_strides,
                                              void* target, int* target_strides, int* counts,
                                              int levels, int proc, armci_hdl_t* handle) {
  put_section(name, source, source_strides, target, target_strides, counts, levels, proc);
  return done(handle);
}

[[gnu::always_inline]] inline int get_section(CallName name, void* source, int* source_strides,
                                              void* target, int* target_strides, int* counts,
                                              int levels, int proc) {
  const std::size_t size = size_of_piece(counts, levels);
  if (size > 0 && try_get(target, source, size, proc)) return 0;
  const Call call{open_door(name), name, proc, strided::End::source};
  move_section(call, {source, source_strides, target, target_strides, counts, levels});
  return 0;
}
[[gnu::always_inline]] inline int get_section(CallName name, void* source, int* source_strides,
                                              void* target, int* target_strides, int* counts,
                                              int levels, int proc, armci_hdl_t* handle) {
  const std::size_t size = size_of_piece(counts, levels);
  if (size > 0 && try_get(target, source, size, proc)) return done(handle);
  done(handle);
  const Call call{open_door(name), name, proc, strided::End::source, {}, false, handle};
  move_section(call, {source, source_strides, target, target_strides, counts, levels});
  return 0;
}

[[gnu::always_inline]] inline int accumulate_section(CallName name, int type, void* scale,
                                                     void* source, int* source_strides,
                                                     void* target, int* target_strides, int* counts,
                                                     int levels, int proc) {
  const std::size_t size = size_of_piece(counts, levels);
  if (size > 0 && try_add(type, scale, target, source, size, proc)) return 0;
  const Call call{open_door(name), name, proc, strided::End::target,
                  accumulation_of(name, type, scale)};
  move_section(call, {source, source_strides, target, target_strides, counts, levels});
  return 0;
}
[[gnu::always_inline]] inline int accumulate_section(CallName name, int type, void* scale,
                                                     void* source, int* source_strides,
                                                     void* target, int* target_strides, int* counts,
                                                     int levels, int proc, armci_hdl_t* handle) {
  accumulate_section(name, type, scale, source, source_strides, target, target_strides, counts,
                     levels, proc);
  return done(handle);
}

inline int put_list(CallName name, armci_giov_t* list, int length, int proc) {
  move_list({open_door(name), name, proc, strided::End::target}, list, length);
  return 0;
}
inline int put_list(CallName name, armci_giov_t* list, int length, int proc, armci_hdl_t* handle) {
  put_list(name, list, length, proc);
  return done(handle);
}

inline int get_list(CallName name, armci_giov_t* list, int length, int proc) {
  move_list({open_door(name), name, proc, strided::End::source}, list, length);
  return 0;
}
inline int get_list(CallName name, armci_giov_t* list, int length, int proc, armci_hdl_t* handle) {
  done(handle);
  move_list({open_door(name), name, proc, strided::End::source, {}, false, handle}, list, length);
  return 0;
}

inline int accumulate_list(CallName name, int type, void* scale, armci_giov_t* list, int length,
                           int proc) {
  move_list({open_door(name), name, proc, strided::End::target, accumulation_of(name, type, scale)},
            list, length);
  return 0;
}
inline int accumulate_list(CallName name, int type, void* scale, armci_giov_t* list, int length,
                           int proc, armci_hdl_t* handle) {
  accumulate_list(name, type, scale, list, length, proc);
  return done(handle);
}

template <typename T>
[[gnu::always_inline]] inline int put_value(CallName name, T value, void* target, int proc) {
  if (try_put(target, &value, sizeof(value), proc)) return 0;
  const Call call{open_door(name), name, proc, strided::End::target};
  move_piece(call, target, &value, sizeof(value));
  return 0;
}
template <typename T>
[[gnu::always_inline]] inline int put_value(CallName name, T value, void* target, int proc,
                                            armci_hdl_t* handle) {
  put_value(name, value, target, proc);
  return done(handle);
}

template <typename T>
[[gnu::always_inline]] inline T get_value(CallName name, void* source, int proc) {
  T value;
  asm("" : "=m"(value));  // no instruction; tells the compiler that the get sets it
  if (try_get(&value, source, sizeof(value), proc)) return value;
  const Call call{open_door(name), name, proc, strided::End::source};
  move_piece(call, &value, source, sizeof(value));
  return value;
}

inline int put_flag(CallName name, void* source, void* target, int size, int* flag, int value,
                    int proc) {
  const Call call{open_door(name), name, proc, strided::End::target};
  move_piece(call, target, source, static_cast<std::size_t>(checked_size(name, size)));
  store_flag(call, flag, value);
  return 0;
}

inline int put_section_flag(CallName name, void* source, int* source_strides, void* target,
                            int* target_strides, int* counts, int levels, int* flag, int value,
                            int proc) {
  const Call call{open_door(name), name, proc, strided::End::target};
  move_section(call, {source, source_strides, target, target_strides, counts, levels});
  store_flag(call, flag, value);
  return 0;
}

// NOLINTEND(readability-function-size)

}  // namespace gondwana::armci
