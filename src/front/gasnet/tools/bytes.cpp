// Checksums and counts of bytes, eight at a time.
#include <cstdint>
#include <cstring>

#include "gasnet_tools.h"

namespace {

constexpr std::size_t word_size = sizeof(std::uint64_t);

std::uint64_t load(const unsigned char* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);
  return word;
}

// Mixes a word into a sum. The product carries each bit to the upper half, which is folded down.
std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15U;  // 2^64 divided by the golden ratio, odd
  return sum ^ (sum >> 32);
}

}  // namespace

std::uint64_t gasnett_checksum(const void* data, int size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  auto rest = static_cast<std::size_t>(size > 0 ? size : 0);
  std::uint64_t sum = mix(0, rest);
  for (; rest >= word_size; rest -= word_size, bytes += word_size)
    sum = mix(sum, load(bytes, word_size));
  return rest > 0 ? mix(sum, load(bytes, rest)) : sum;
}

std::size_t gasnett_count0s(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::size_t zeros = 0;
  for (; size >= word_size; size -= word_size, bytes += word_size)
    zeros += static_cast<std::size_t>(gasnett_count0s_uint64_t(load(bytes, word_size)));
  for (; size > 0; --size, ++bytes) zeros += *bytes == 0 ? 1 : 0;
  return zeros;
}

std::size_t gasnett_count0s_copy(void* destination, const void* source, std::size_t size) {
  const auto* from = static_cast<const unsigned char*>(source);
  auto* to = static_cast<unsigned char*>(destination);
  std::size_t zeros = 0;
  for (; size >= word_size; size -= word_size, from += word_size, to += word_size) {
    const std::uint64_t word = load(from, word_size);
    std::memcpy(to, &word, word_size);
    zeros += static_cast<std::size_t>(gasnett_count0s_uint64_t(word));
  }
  for (; size > 0; --size) {
    zeros += *from == 0 ? 1 : 0;
    *to++ = *from++;
  }
  return zeros;
}
