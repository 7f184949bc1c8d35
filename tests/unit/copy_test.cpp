// Copies that a peer may observe.
#include "operations/copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/access_checkers.hpp"

namespace gondwana {
namespace {

TEST(copy, all_bytes_are_copied_and_no_others_at_every_size_and_alignment) {
  constexpr std::size_t most = 70'000;
  std::vector<std::byte> source(most + 64);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 / 3);
  std::vector<std::byte> target(most + 192);
  auto* begin = target.data();
  while (reinterpret_cast<std::uintptr_t>(begin) % 64 != 0) ++begin;
  const auto is_guard = [](std::byte each) { return each == std::byte{0xa5}; };
  const auto check = [&](std::size_t to, std::size_t from, std::size_t size) {
    std::fill_n(begin, size + 128, std::byte{0xa5});
    copy_to_peer(begin + to, source.data() + from, size);
    ASSERT_TRUE(std::all_of(begin, begin + to, is_guard));
    ASSERT_TRUE(std::equal(begin + to, begin + to + size, source.data() + from))
        << size << " bytes from " << from << " to " << to;
    ASSERT_TRUE(std::all_of(begin + to + size, begin + size + 128, is_guard));
  };
  for (std::size_t size = 0; size <= 600; ++size)
    for (const std::size_t from : {0UL, 1UL, 3UL, 8UL})
      for (std::size_t to = 0; to < 16; ++to) check(to, from, size);
  for (const std::size_t size : {1'000UL, 4'096UL, 24'575UL, 24'576UL, 24'700UL, 65'537UL, most})
    for (const std::size_t from : {0UL, 1UL, 8UL, 13UL})
      for (std::size_t to = 0; to < 64; to += 3) check(to, from, size);
}

// Pages that are closed until the first store to each. Every store that opens one checks all words
// written so far. All bytes are equal before a copy, and different after it.
class WatchedPages {
 public:
  static constexpr std::size_t size = 64 * 1024;

  WatchedPages() : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    begin_ = static_cast<std::byte*>(
        ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    watched = this;
    struct sigaction act{};
    act.sa_sigaction = [](int, siginfo_t* info, void*) {
      watched->open(static_cast<std::byte*>(info->si_addr));
    };
    act.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &act, &before_);
  }
  ~WatchedPages() {
    ::sigaction(SIGSEGV, &before_, nullptr);
    ::munmap(begin_, size);
    watched = nullptr;
  }
  WatchedPages(const WatchedPages&) = delete;
  WatchedPages& operator=(const WatchedPages&) = delete;

  std::byte* begin() const { return begin_; }
  void close() const {
    ::mprotect(begin_, size, PROT_READ | PROT_WRITE);
    std::memset(begin_, 0, size);
    ::mprotect(begin_, size, PROT_NONE);
  }
  void look(const std::byte* end) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(begin_);
    const auto count = static_cast<std::size_t>(end - begin_) / sizeof(std::uint64_t);
    torn += static_cast<std::size_t>(std::count_if(words, words + count, [](std::uint64_t word) {
      return word != (word & 0xff) * 0x0101'0101'0101'0101;
    }));
  }

  std::size_t torn = 0;  // words

 private:
  // Pages are opened in order.
  void open(const std::byte* place) {
    const auto at = static_cast<std::size_t>(place - begin_);
    if (at >= size) std::abort();
    const std::size_t pages = at / page_ * page_;
    look(begin_ + pages);
    ::mprotect(begin_, pages + page_, PROT_READ | PROT_WRITE);
  }

  static WatchedPages* watched;

  std::size_t page_;
  std::byte* begin_;
  struct sigaction before_{};
};
WatchedPages* WatchedPages::watched = nullptr;

TEST(copy, no_word_is_seen_half_written) {
  if (has_address_sanitizer()) GTEST_SKIP() << "AddressSanitizer wants memcpy";
  WatchedPages pages;
  const std::vector<std::byte> source(WatchedPages::size, std::byte{7});
  for (const std::size_t size : {5'000UL, 16'000UL, 20'000UL, 60'000UL})
    for (const std::size_t to : {0UL, 8UL, 40UL})
      for (std::size_t from = 0; from < 64; from += 7) {
        pages.close();
        copy_to_peer(pages.begin() + to, source.data() + from, size / 8 * 8);
        pages.look(pages.begin() + to + size / 8 * 8);
        ASSERT_EQ(pages.torn, 0U) << size << " bytes from " << from << " to " << to;
      }
}

}  // namespace
}  // namespace gondwana
