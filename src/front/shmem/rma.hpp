// OpenSHMEM 1.6, section 9.5: remote memory access.
#pragma once

#include "front/shmem/checks.hpp"

namespace gondwana::shmem {

// The slow paths are out of line. A jump reaches them, so the fast paths need no frame.

template <typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] void p_elsewhere(C caller, T* dest, T value, int pe) {
  const Caller resolved = caller;
  if (!examine_value(resolved, {"dest", dest, sizeof(T)}, pe)) return;
  check(resolved,
        resolved.engine.rma().put(resolved.lane, resolved.rank_of(pe), dest, &value, sizeof(T)));
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline void p(C caller, T* dest, T value, int pe) {
  if (!caller.shortcut().try_put(rank_of(pe), dest, value)) [[unlikely]]
    p_elsewhere(caller, dest, value, pe);
}

template <typename T, AnyCaller C>
[[gnu::cold, gnu::noinline]] T g_elsewhere(C caller, const T* source, int pe) {
  const Caller resolved = caller;
  T value{};
  if (!examine_value(resolved, {"source", source, sizeof(T)}, pe)) return value;
  check(resolved,
        resolved.engine.rma().get(resolved.lane, resolved.rank_of(pe), &value, source, sizeof(T)));
  return value;
}

template <typename T, AnyCaller C>
[[gnu::always_inline]] inline T g(C caller, const T* source, int pe) {
  T value;
  if (!caller.shortcut().try_get(rank_of(pe), source, value)) [[unlikely]]
    return g_elsewhere(caller, source, pe);
  return value;
}

// The unsigned type of a width that one load and one store copy.
template <std::size_t Width>
using Word = std::conditional_t<Width == 8, std::uint64_t,
                                std::conditional_t<Width == 4, std::uint32_t, std::uint16_t>>;

// Elements of these widths are aligned to their width, so a single element is copied as a value.
template <std::size_t Width>
inline constexpr bool is_word = Width == 2 || Width == 4 || Width == 8;

// The caller is the last parameter, so that the other arguments stay in their registers.
template <std::size_t Width, Buffer Use, AnyCaller C>
[[gnu::cold, gnu::noinline]] void put_watched(void* dest, const void* source, std::size_t count,
                                              int pe, C caller) {
  const Caller resolved = caller;
  if (!examine_transfer(resolved, {"dest", dest, Width, count}, {"source", source, Width, count},
                        pe))
    return;
  check(resolved, resolved.engine.rma().put(resolved.lane, resolved.rank_of(pe), dest, source,
                                            bytes_of<Width>(count), Use));
}

template <std::size_t Width, Buffer Use, AnyCaller C>
[[gnu::noinline]] void put_many(void* dest, const void* source, std::size_t count, int pe,
                                C caller) {
  if (caller.checks_enabled()) [[unlikely]]
    return put_watched<Width, Use>(dest, source, count, pe, caller);
  const Caller resolved = caller;
  check(resolved, resolved.engine.rma().put(resolved.lane, resolved.rank_of(pe), dest, source,
                                            bytes_of<Width>(count), Use));
}

template <std::size_t Width, Buffer Use = Buffer::free_at_return, AnyCaller C>
[[gnu::always_inline]] inline void put(C caller, void* dest, const void* source, std::size_t count,
                                       int pe) {
  if constexpr (is_word<Width>) {
    if (count == 1) [[likely]] {
      if (caller.shortcut().try_put_from(rank_of(pe), static_cast<Word<Width>*>(dest), source))
          [[likely]]
        return;
    }
  }
  put_many<Width, Use>(dest, source, count, pe, caller);
}

template <std::size_t Width, Buffer Use, AnyCaller C>
[[gnu::cold, gnu::noinline]] void get_watched(void* dest, const void* source, std::size_t count,
                                              int pe, C caller) {
  const Caller resolved = caller;
  if (!examine_transfer(resolved, {"source", source, Width, count}, {"dest", dest, Width, count},
                        pe))
    return;
  check(resolved, resolved.engine.rma().get(resolved.lane, resolved.rank_of(pe), dest, source,
                                            bytes_of<Width>(count), Use));
}

template <std::size_t Width, Buffer Use, AnyCaller C>
[[gnu::noinline]] void get_many(void* dest, const void* source, std::size_t count, int pe,
                                C caller) {
  if (caller.checks_enabled()) [[unlikely]]
    return get_watched<Width, Use>(dest, source, count, pe, caller);
  const Caller resolved = caller;
  check(resolved, resolved.engine.rma().get(resolved.lane, resolved.rank_of(pe), dest, source,
                                            bytes_of<Width>(count), Use));
}

template <std::size_t Width, Buffer Use = Buffer::free_at_return, AnyCaller C>
[[gnu::always_inline]] inline void get(C caller, void* dest, const void* source, std::size_t count,
                                       int pe) {
  if constexpr (is_word<Width>) {
    if (count == 1) [[likely]] {
      if (caller.shortcut().try_get_to(dest, rank_of(pe), static_cast<const Word<Width>*>(source)))
          [[likely]]
        return;
    }
  }
  get_many<Width, Use>(dest, source, count, pe, caller);
}

// A nonblocking copy of a single value has no advantage over a blocking one.
template <std::size_t Width, AnyCaller C>
[[gnu::always_inline]] inline void put_nbi(C caller, void* dest, const void* source,
                                           std::size_t count, int pe) {
  put<Width, Buffer::kept_until_quiet>(caller, dest, source, count, pe);
}

template <std::size_t Width, AnyCaller C>
[[gnu::always_inline]] inline void get_nbi(C caller, void* dest, const void* source,
                                           std::size_t count, int pe) {
  get<Width, Buffer::kept_until_quiet>(caller, dest, source, count, pe);
}

template <std::size_t Width>
[[gnu::always_inline]] inline void iput(Caller caller, void* dest, const void* source,
                                        std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t count,
                                        int pe) {
  if (caller.examines()) [[unlikely]]
    if (!examine_strided(caller, {"dest", dest, Width, count, dst},
                         {"source", source, Width, count, sst}, pe))
      return;
  check(caller, caller.engine.rma().put_strided(caller.lane, caller.rank_of(pe), dest, source,
                                                {.width = Width,
                                                 .size = Width,
                                                 .count = count,
                                                 .strides = {.target = dst, .source = sst}}));
}

template <std::size_t Width>
[[gnu::always_inline]] inline void iget(Caller caller, void* dest, const void* source,
                                        std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t count,
                                        int pe) {
  if (caller.examines()) [[unlikely]]
    if (!examine_strided(caller, {"source", source, Width, count, sst},
                         {"dest", dest, Width, count, dst}, pe))
      return;
  check(caller, caller.engine.rma().get_strided(caller.lane, caller.rank_of(pe), dest, source,
                                                {.width = Width,
                                                 .size = Width,
                                                 .count = count,
                                                 .strides = {.target = dst, .source = sst}}));
}

inline void check_stride(const Caller& caller, const char* name, std::ptrdiff_t stride,
                         std::size_t block, std::size_t blocks) {
  if (blocks > 1 && (stride < 0 || static_cast<std::size_t>(stride) < block)) [[unlikely]]
    give_up(caller.name,
            fmt::format("{} {}: blocks of {} elements would overlap; expected {} or more", name,
                        stride, block, block));
}

// Copies blocks of `block` elements. The starts of two blocks are one stride apart.
template <std::size_t Width>
// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
void ibput(Caller caller, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
           std::size_t block, std::size_t blocks, int pe) {
  check_stride(caller, "dst", dst, block, blocks);
  check_stride(caller, "sst", sst, block, blocks);
  if (caller.examines()) [[unlikely]]
    if (!examine_strided(caller, {"dest", dest, Width, blocks, dst, block},
                         {"source", source, Width, blocks, sst, block}, pe))
      return;
  check(caller, caller.engine.rma().put_strided(caller.lane, caller.rank_of(pe), dest, source,
                                                {.width = Width,
                                                 .size = bytes_of<Width>(block),
                                                 .count = blocks,
                                                 .strides = {.target = dst, .source = sst}}));
}

template <std::size_t Width>
// NOLINTNEXTLINE(readability-function-size): the standard chose the parameters
void ibget(Caller caller, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
           std::size_t block, std::size_t blocks, int pe) {
  check_stride(caller, "dst", dst, block, blocks);
  check_stride(caller, "sst", sst, block, blocks);
  if (caller.examines()) [[unlikely]]
    if (!examine_strided(caller, {"source", source, Width, blocks, sst, block},
                         {"dest", dest, Width, blocks, dst, block}, pe))
      return;
  check(caller, caller.engine.rma().get_strided(caller.lane, caller.rank_of(pe), dest, source,
                                                {.width = Width,
                                                 .size = bytes_of<Width>(block),
                                                 .count = blocks,
                                                 .strides = {.target = dst, .source = sst}}));
}

}  // namespace gondwana::shmem
