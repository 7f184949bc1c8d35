// Address space and shared memory from mmap and memfd_create, with an owner and error messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/result.hpp"
#include "core/types.hpp"
#include "core/unique_fd.hpp"

namespace gondwana {

std::size_t page_size();

// A range of address space, unmapped by its destructor.
class Mapping {
 public:
  Mapping() = default;
  Mapping(std::byte* start, std::size_t length) : start_(start), length_(length) {}
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  std::byte* data() const { return start_; }
  std::size_t size() const { return length_; }

  // Reserves inaccessible address space, at `wanted` if that is free. Otherwise anywhere, with byte
  // `aligned_byte` at a multiple of `alignment`, a power of two of at least a page.
  static Result<Mapping> reserve(std::byte* wanted, std::size_t length,
                                 std::size_t alignment = page_size(), std::size_t aligned_byte = 0);

  // Private memory, zeroed. Untouched pages cost nothing. data() is null if it cannot be allocated.
  static Mapping zeros(std::size_t length);

  // Maps all of `memory`, `length` bytes, shared, anywhere.
  static Result<Mapping> shared(const UniqueFd& memory, std::size_t length);

  // Maps `length` bytes of `memory` from `from` on over [offset, offset + length) of this
  // reservation. `hidden`: tools that respect page protection do not read there.
  enum class Sight : std::uint8_t { open, hidden };
  Result<void> overlay(std::size_t offset, const UniqueFd& memory, std::size_t length,
                       std::size_t from = 0, Sight sight = Sight::open) const;
  // Returns the range to the state after reserve(). Does nothing if the kernel refuses.
  void uncover(std::size_t offset, std::size_t length) const;

 private:
  std::byte* start_ = nullptr;
  std::size_t length_ = 0;
};

// Shared memory without a name: sparse, of fixed length (sealed), close-on-exec. `label` shows in
// /proc/PID/maps only. It is gone when the last process that holds it is gone.
Result<UniqueFd> create_memfd(const char* label, std::size_t length);

// The same on huge pages that were set aside. `length` is a multiple of their size. All pages are
// reserved, so later accesses succeed. Returns an error if there are fewer.
Result<UniqueFd> create_huge_memfd(const char* label, std::size_t length);

// Returns whole pages of shared memory to the system; they then read as zero. False if they do not.
bool give_back_pages(MutableBytes pages);
// The same for pages of a memfd, wherever they are mapped.
bool empty_pages(const UniqueFd& file, std::size_t offset, std::size_t size);

// Reads and copies whole pages word by word, including the red zones of AddressSanitizer. The C
// library's functions would report these reads.
bool is_all_zero(Bytes page);
// Copies to zeroed memory: zero pages are not touched there.
void copy_to_zero_pages(std::byte* to, Bytes from);

// "5.0 GiB", "64 MiB", "17 B".
std::string format_size(std::size_t bytes);
// The same, rounded down, in the form that variables accept: "512M", "300K".
std::string format_size_option(std::size_t bytes);

}  // namespace gondwana
