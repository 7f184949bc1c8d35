// SipHash-2-4: a hash that nobody can compute without the key. A process proves with it that it has
// a unique id, and the id itself never goes over the network.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace gondwana {

using HashKey = std::array<std::uint64_t, 2>;

namespace detail {

struct SipState {
  std::array<std::uint64_t, 4> v;

  constexpr void mix(int rounds) {
    for (; rounds > 0; --rounds) {
      half_round<13, 16>(v[0], v[1], v[2], v[3]);
      half_round<17, 21>(v[2], v[1], v[0], v[3]);
    }
  }
  constexpr void add(std::uint64_t word) {
    v[3] ^= word;
    mix(2);
    v[0] ^= word;
  }

 private:
  template <int S, int T>
  static constexpr void half_round(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c,
                                   std::uint64_t& d) {
    a += b;
    c += d;
    b = std::rotl(b, S) ^ a;
    d = std::rotl(d, T) ^ c;
    a = std::rotl(a, 32);
  }
};

}  // namespace detail

// The hash of whole words, as of their bytes from the lowest to the highest.
constexpr std::uint64_t keyed_hash(const HashKey& key, std::span<const std::uint64_t> words) {
  detail::SipState state{{key[0] ^ 0x736f'6d65'7073'6575, key[1] ^ 0x646f'7261'6e64'6f6d,
                          key[0] ^ 0x6c79'6765'6e65'7261, key[1] ^ 0x7465'6462'7974'6573}};
  for (const std::uint64_t word : words) state.add(word);
  state.add(static_cast<std::uint64_t>(words.size() * sizeof(std::uint64_t)) << 56);
  state.v[2] ^= 0xff;
  state.mix(4);
  return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}

}  // namespace gondwana
