#include "core/mapping.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gondwana {
namespace {

Error no_address_space(std::size_t length) {
  return {Errc::out_of_memory,
          fmt::format("cannot map {} of address space: {}; is it limited (ulimit -v)?",
                      format_size(length), std::strerror(errno))};
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), length_(std::exchange(other.length_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(start_, other.start_);
  std::swap(length_, other.length_);
  return *this;
}

Mapping::~Mapping() {
  if (start_ != nullptr) ::munmap(start_, length_);
}

Result<Mapping> Mapping::reserve(std::byte* wanted, std::size_t length) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* start = MAP_FAILED;
  if (wanted != nullptr)
    start = ::mmap(wanted, length, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (start == MAP_FAILED) start = ::mmap(nullptr, length, PROT_NONE, flags, -1, 0);
  if (start == MAP_FAILED) return no_address_space(length);
  return Mapping(static_cast<std::byte*>(start), length);
}

Result<Mapping> Mapping::shared(const UniqueFd& memory, std::size_t length) {
  void* start =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.get(), 0);
  if (start == MAP_FAILED) return no_address_space(length);
  return Mapping(static_cast<std::byte*>(start), length);
}

Result<void> Mapping::overlay(std::size_t offset, const UniqueFd& memory, std::size_t length) {
  GONDWANA_ASSERT(offset + length <= length_, offset, length, length_);
  void* start = ::mmap(start_ + offset, length, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | MAP_FIXED, memory.get(), 0);
  if (start == MAP_FAILED) return no_address_space(length);
  return {};
}

Result<UniqueFd> create_memfd(const char* label, std::size_t length) {
  UniqueFd memory(::memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) {
    return Error{Errc::refused,
                 fmt::format("cannot create shared memory: {}{}", std::strerror(errno),
                             errno == EMFILE ? "; raise ulimit -n" : "")};
  }
  if (::ftruncate(memory.get(), static_cast<off_t>(length)) != 0) {
    return Error{Errc::out_of_memory,
                 fmt::format("cannot make shared memory {} long: {}; is the file size limited "
                             "(ulimit -f)?",
                             format_size(length), std::strerror(errno))};
  }
  // Best effort: a kernel that cannot seal still shares memory only within the job.
  ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return memory;
}

bool give_back_pages(MutableBytes pages) {
  if (pages.empty()) return true;
  // Emulators of processes (qemu) ignore the advice and say that it was taken.
  pages.front() = std::byte{1};
  return ::madvise(pages.data(), pages.size(), MADV_REMOVE) == 0 && pages.front() == std::byte{0};
}

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string format_size(std::size_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(bytes);
  for (; value >= 1024.0 && unit + 1 < units.size(); ++unit) value /= 1024.0;
  const bool whole = value == static_cast<double>(static_cast<std::size_t>(value));
  return fmt::format("{:.{}f} {}", value, whole ? 0 : 1, units.at(unit));
}

}  // namespace gondwana
