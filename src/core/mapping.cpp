#include "core/mapping.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

namespace gondwana {
namespace {

Error no_address_space(std::size_t length) {
  return {Errc::out_of_memory,
          fmt::format("cannot map {} of address space: {}; is it limited (ulimit -v)?",
                      format_size(length), std::strerror(errno))};
}

// Maps at `wanted`, or anywhere if it is null. The system may choose another place.
void* reserve_at(std::byte* wanted, std::size_t length) {
  return ::mmap(wanted, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// Keeps `length` of `length` + `spare` bytes, with `aligned_byte` at a multiple of `alignment`.
Mapping trim(std::byte* start, std::size_t length, std::size_t spare, std::size_t alignment,
             std::size_t aligned_byte) {
  const auto address = reinterpret_cast<std::uintptr_t>(start) + aligned_byte;
  const std::size_t before = round_up(address, alignment) - address;
  if (before > 0) ::munmap(start, before);
  if (spare > before) ::munmap(start + before + length, spare - before);
  return Mapping(start + before, length);
}

// Fixes its length for good. Best effort: on a kernel that cannot seal, memory is still shared only
// within the job.
void seal(const UniqueFd& memory) {
  ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
}

// The kernel reserves the pages of a shared mapping when it makes the mapping. The reservation
// belongs to the memory and lasts until the memory is gone.
bool promise_pages(const UniqueFd& memory, std::size_t length) {
  void* start = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (start == MAP_FAILED) return false;
  ::munmap(start, length);
  return true;
}

// The kernel counts shared memory as a file. This raises the limit of file sizes to the user's
// maximum during its life.
class RaisedFileSize {
 public:
  explicit RaisedFileSize(std::size_t length) {
    if (::getrlimit(RLIMIT_FSIZE, &before_) != 0 || before_.rlim_cur >= length ||
        before_.rlim_max < length)
      return;
    const rlimit raised{before_.rlim_max, before_.rlim_max};
    is_raised_ = ::setrlimit(RLIMIT_FSIZE, &raised) == 0;
  }
  ~RaisedFileSize() {
    if (is_raised_) ::setrlimit(RLIMIT_FSIZE, &before_);
  }
  RaisedFileSize(const RaisedFileSize&) = delete;
  RaisedFileSize& operator=(const RaisedFileSize&) = delete;

 private:
  rlimit before_{};
  bool is_raised_ = false;
};

// A length beyond the limit of file sizes gives an error. The signal that the kernel also sends is
// suppressed.
bool set_length(const UniqueFd& memory, std::size_t length) {
  const RaisedFileSize raised(length);
  sigset_t too_large;
  sigset_t before;
  ::sigemptyset(&too_large);
  ::sigaddset(&too_large, SIGXFSZ);
  ::pthread_sigmask(SIG_BLOCK, &too_large, &before);
  const bool is_set = ::ftruncate(memory.get(), static_cast<off_t>(length)) == 0;
  const int error = errno;
  constexpr timespec at_once{};
  if (!is_set && error == EFBIG) ::sigtimedwait(&too_large, nullptr, &at_once);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return is_set;
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

Mapping Mapping::zeros(std::size_t length) {
  void* start = ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return start == MAP_FAILED ? Mapping() : Mapping(static_cast<std::byte*>(start), length);
}

Result<Mapping> Mapping::reserve(std::byte* wanted, std::size_t length, std::size_t alignment,
                                 std::size_t aligned_byte) {
  if (wanted != nullptr) {
    // Not MAP_FIXED_NOREPLACE: ThreadSanitizer changes the address and keeps the flag.
    void* start = reserve_at(wanted, length);
    if (start == wanted) return Mapping(wanted, length);
    if (start != MAP_FAILED) ::munmap(start, length);
  }
  const std::size_t spare = alignment - page_size();
  void* start = reserve_at(nullptr, length + spare);
  if (start == MAP_FAILED) return no_address_space(length);
  return trim(static_cast<std::byte*>(start), length, spare, alignment, aligned_byte);
}

Result<Mapping> Mapping::shared(const UniqueFd& memory, std::size_t length) {
  void* start =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.get(), 0);
  if (start == MAP_FAILED) return no_address_space(length);
  return Mapping(static_cast<std::byte*>(start), length);
}

Result<void> Mapping::overlay(std::size_t offset, const UniqueFd& memory, std::size_t length,
                              std::size_t from, Sight sight) const {
  GONDWANA_ASSERT(offset + length <= length_, offset, length, length_);
  // Processors treat writable pages as readable.
  const int protection = sight == Sight::open ? PROT_READ | PROT_WRITE : PROT_WRITE;
  void* start = ::mmap(start_ + offset, length, protection, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                       memory.get(), static_cast<off_t>(from));
  if (start == MAP_FAILED) return no_address_space(length);
  return {};
}

void Mapping::uncover(std::size_t offset, std::size_t length) const {
  GONDWANA_ASSERT(offset + length <= length_, offset, length, length_);
  if (length == 0) return;
  [[maybe_unused]] const void* reserved =
      ::mmap(start_ + offset, length, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

Result<UniqueFd> create_memfd(const char* label, std::size_t length) {
  UniqueFd memory(::memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) {
    return Error{Errc::refused,
                 fmt::format("cannot create shared memory: {}{}", std::strerror(errno),
                             errno == EMFILE ? "; raise ulimit -n" : "")};
  }
  if (!set_length(memory, length)) {
    return Error{Errc::out_of_memory,
                 fmt::format("cannot extend shared memory to {}: {}{}", format_size(length),
                             std::strerror(errno),
                             errno == EFBIG ? "; the kernel counts it as a file: raise ulimit -f "
                                              "and, before that, its hard limit (ulimit -H -f)"
                                            : "")};
  }
  seal(memory);
  return memory;
}

Result<UniqueFd> create_huge_memfd(const char* label, std::size_t length) {
  constexpr unsigned of_two_mib = 21U << 26;  // MFD_HUGE_2MB
  UniqueFd memory(
      ::memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB | of_two_mib));
  if (!memory)
    return Error{Errc::missing, fmt::format("cannot use huge pages: {}", std::strerror(errno))};
  if (!set_length(memory, length) || !promise_pages(memory, length)) {
    return Error{Errc::out_of_memory, fmt::format("cannot reserve {} of huge pages: {}",
                                                  format_size(length), std::strerror(errno))};
  }
  seal(memory);
  return memory;
}

__attribute__((no_sanitize("address"))) bool is_all_zero(Bytes page) {
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(page.data());
  for (std::size_t i = 0; i < page.size() / sizeof(*words); ++i)
    if (words[i] != 0) return false;
  return true;
}

namespace {

__attribute__((no_sanitize("address"))) void copy_page(std::byte* to, Bytes page) {
  auto* target = reinterpret_cast<volatile std::uint64_t*>(to);
  const auto* words = reinterpret_cast<const volatile std::uint64_t*>(page.data());
  for (std::size_t i = 0; i < page.size() / sizeof(*words); ++i) target[i] = words[i];
}

}  // namespace

void copy_to_zero_pages(std::byte* to, Bytes from) {
  const std::size_t page = page_size();
  for (std::size_t at = 0; at < from.size(); at += page) {
    const Bytes bytes = from.subspan(at, page);
    if (!is_all_zero(bytes)) copy_page(to + at, bytes);
  }
}

bool give_back_pages(MutableBytes pages) {
  if (pages.empty()) return true;
  // Process emulators (qemu) ignore the advice and report success.
  pages.front() = std::byte{1};
  return ::madvise(pages.data(), pages.size(), MADV_REMOVE) == 0 && pages.front() == std::byte{0};
}

bool empty_pages(const UniqueFd& file, std::size_t offset, std::size_t size) {
  return ::fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     static_cast<off_t>(offset), static_cast<off_t>(size)) == 0;
}

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string format_size(std::size_t bytes) {
  constexpr std::size_t address_space = std::size_t{1} << 48;
  if (bytes > ~std::size_t{0} - address_space)
    return fmt::format("a negative size ({})", static_cast<std::int64_t>(bytes));
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  double value = static_cast<double>(bytes);
  for (; value >= 1024.0 && unit + 1 < units.size(); ++unit) value /= 1024.0;
  const bool whole = value == static_cast<double>(static_cast<std::size_t>(value));
  return fmt::format("{:.{}f} {}", value, whole ? 0 : 1, units.at(unit));
}

std::string format_size_option(std::size_t bytes) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  return bytes >= mib ? fmt::format("{}M", bytes / mib) : fmt::format("{}K", bytes >> 10);
}

}  // namespace gondwana
