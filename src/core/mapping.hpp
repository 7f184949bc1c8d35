// Address space and shared memory: what mmap and memfd_create give, owned and with sentences.
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

  // Reserves address space that nothing may touch yet, at `wanted` if that is free, else anywhere
  // with byte `aligned_byte` at a multiple of `alignment`: a power of two, a page at least.
  static Result<Mapping> reserve(std::byte* wanted, std::size_t length,
                                 std::size_t alignment = page_size(), std::size_t aligned_byte = 0);

  // Private memory, all zero, of which untouched pages cost nothing; no data where it cannot be
  // had.
  static Mapping zeros(std::size_t length);

  // Maps all of `memory`, `length` bytes, anywhere, shared.
  static Result<Mapping> shared(const UniqueFd& memory, std::size_t length);

  // Lays `length` bytes of `memory`, those from `from` on, over [offset, offset + length) of this
  // reservation. `hidden`: no tool that goes by the protection of pages reads there by itself.
  enum class Sight : std::uint8_t { open, hidden };
  Result<void> overlay(std::size_t offset, const UniqueFd& memory, std::size_t length,
                       std::size_t from = 0, Sight sight = Sight::open) const;
  // The range is as reserve() left it again. Nothing happens where the kernel refuses.
  void uncover(std::size_t offset, std::size_t length) const;

 private:
  std::byte* start_ = nullptr;
  std::size_t length_ = 0;
};

// Shared memory without a name: sparse, `length` bytes long for ever (sealed), close-on-exec.
// `label` shows in /proc/PID/maps only. Gone when the last process that has it is gone.
Result<UniqueFd> create_memfd(const char* label, std::size_t length);

// The same on huge pages that were set aside, of which `length` is a multiple; all of them are
// promised to it, so that a later access finds it. An error where there are fewer.
Result<UniqueFd> create_huge_memfd(const char* label, std::size_t length);

// Gives whole pages of shared memory back to the system; they read as zero afterwards. False where
// they do not.
bool give_back_pages(MutableBytes pages);

// Whole pages, looked at and copied word by word, with what AddressSanitizer keeps between
// variables: functions of the C library would be told that they read it.
bool is_all_zero(Bytes page);
// To memory that is zero: pages that are zero are not touched there.
void copy_to_zero_pages(std::byte* to, Bytes from);

// "5.0 GiB", "64 MiB", "17 B".
std::string format_size(std::size_t bytes);
// The same, rounded down, as variables take it: "512M", "300K".
std::string format_size_option(std::size_t bytes);

}  // namespace gondwana
