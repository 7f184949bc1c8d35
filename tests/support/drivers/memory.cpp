#include "support/drivers/memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace standin {
namespace {

constexpr std::uint64_t magic = 0x7374616e64696e31;
constexpr std::size_t page = 4096;

std::string words(const void* address, std::size_t size) {
  std::ostringstream text;
  text << size << " B at " << address;
  return text.str();
}

}  // namespace

void give_up(const std::string& call, const std::string& why) {
  std::fprintf(stderr, "stand-in driver: %s: %s\n", call.c_str(), why.c_str());
  std::abort();
}

bool has_variable(const char* name, const char* value) {
  const char* set = std::getenv(name);
  return set != nullptr && std::strcmp(set, value) == 0;
}

bool has_client() {
  return has_variable("STANDIN_CLIENT", "yes");
}

int device_count() {
  const char* set = std::getenv("STANDIN_DEVICES");
  return set == nullptr ? 2 : std::atoi(set);
}

int injected(const char* call) {
  static std::map<std::string, int> times;
  const char* set = std::getenv("STANDIN_FAIL");
  if (set == nullptr) return 0;
  std::istringstream list(set);
  for (std::string entry; std::getline(list, entry, ',');) {
    std::istringstream fields(entry);
    std::string name;
    std::string status;
    std::string skipped = "0";
    std::getline(fields, name, ':');
    std::getline(fields, status, ':');
    std::getline(fields, skipped, ':');
    if (name != call) continue;
    const std::scoped_lock held(lock());
    if (times[name]++ >= std::atoi(skipped.c_str()))
      return static_cast<int>(std::strtol(status.c_str(), nullptr, 0));
  }
  return 0;
}

std::recursive_mutex& lock() {
  static auto& one = *new std::recursive_mutex;
  return one;
}

Memory& memory() {
  static auto& one = *new Memory;
  return one;
}

namespace {

std::size_t whole_pages(std::size_t size) {
  return (size + page - 1) / page * page;
}

// Zero at first. Stays mapped.
std::atomic<std::uint32_t>* count_of(int file, std::size_t place) {
  void* mapped =
      ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(place));
  if (mapped == MAP_FAILED) give_up("mmap", "no memory is left");
  return static_cast<std::atomic<std::uint32_t>*>(mapped);
}

}  // namespace

std::byte* Memory::add(Block block, int file) {
  const std::size_t whole = whole_pages(block.size);
  void* shown = block.shown != nullptr ? block.shown
                                       : ::mmap(nullptr, whole, PROT_NONE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* backing =
      ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (shown == MAP_FAILED || backing == MAP_FAILED) give_up("mmap", "no memory is left");
  block.shown = static_cast<std::byte*>(shown);
  block.backing = static_cast<std::byte*>(backing);
  if (block.range == nullptr) block.openers = count_of(file, whole);
  blocks_[reinterpret_cast<std::uintptr_t>(shown) + whole] = block;
  return block.shown;
}

std::byte* Memory::free_place(std::size_t size) const {
  const auto pages = [](std::size_t bytes) { return (bytes + page - 1) / page; };
  for (const auto& [end, block] : blocks_)
    if (block.is_gone && block.opened == 0 && block.range == nullptr &&
        pages(block.size) == pages(size))
      return block.shown;
  return nullptr;
}

std::byte* Memory::allocate(int device, std::size_t size) {
  if (size == 0) give_up("allocate", "0 bytes");
  if (size > of_each_device || used_[device] + size > of_each_device) return nullptr;
  used_[device] += size;
  const int file = ::memfd_create("stand-in-device", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, static_cast<off_t>(whole_pages(size) + page)) != 0)
    give_up("memfd_create", "no memory is left");
  struct stat facts{};
  ::fstat(file, &facts);
  std::byte* shown = add({.shown = has_client() ? free_place(size) : nullptr,
                          .size = size,
                          .device = device,
                          .file = file,
                          .number = facts.st_ino},
                         file);
  // Real drivers return memory with its old contents.
  const Block& block = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(shown))->second;
  std::memset(block.backing, 0xA5, std::min<std::size_t>(size, page));
  return shown;
}

void Memory::release(const char* call, const void* address) {
  const Block* found = find(call, address);
  if (found == nullptr || found->shown != address || found->opened > 0)
    give_up(call, "no allocation begins there: " + words(address, 0));
  Block& block = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address))->second;
  if (*block.openers > 0) give_up(call, "a process has it open: " + words(address, block.size));
  used_[block.device] -= block.size;
  ::munmap(block.backing, block.size);
  ::munmap(static_cast<void*>(block.openers), page);
  ::close(block.file);
  block.is_gone = true;
}

const Block* Memory::find(const char* call, const void* address) const {
  const auto found = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address));
  if (found == blocks_.end() || found->second.shown > address) return nullptr;
  const Block& block = found->second;
  if (static_cast<const std::byte*>(address) >= block.shown + block.size) return nullptr;
  if (block.is_gone && call == nullptr) return nullptr;
  if (block.is_gone) give_up(call, "the memory was freed or closed before: " + words(address, 0));
  return &block;
}

std::byte* Memory::place(const char* call, const void* address, std::size_t size) const {
  const Block* block = find(call, address);
  if (block == nullptr) return static_cast<std::byte*>(const_cast<void*>(address));
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(address) - block->shown);
  if (size > block->size - offset) give_up(call, words(address, size) + " exceed their allocation");
  if (block->is_denied) give_up(call, words(address, size) + " are for no device yet");
  return block->backing + offset;
}

Handle Memory::share(const char* call, const void* address) const {
  const Block* block = find(call, address);
  if (block == nullptr || block->shown != address || block->opened > 0)
    give_up(call, "no allocation of this process begins there: " + words(address, 0));
  return {magic,
          static_cast<std::uint64_t>(::getpid()),
          static_cast<std::uint64_t>(block->file),
          block->number,
          block->size,
          static_cast<std::uint64_t>(block->device)};
}

std::byte* Memory::open(const char* call, const Handle& handle, int here) {
  if (handle.magic != magic) give_up(call, "that is no handle");
  if (handle.process == static_cast<std::uint64_t>(::getpid()))
    give_up(call, "a process cannot open a handle that it has made");
  for (auto& [end, block] : blocks_) {
    if (block.number != handle.file || block.opened == 0 || block.is_gone) continue;
    ++block.opened;
    return block.shown;
  }
  const std::string path =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.descriptor);
  const int file = here < 0 ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : ::dup(here);
  struct stat facts{};
  if (file < 0 || ::fstat(file, &facts) != 0 || facts.st_ino != handle.file)
    give_up(call, "the memory of the handle was freed, or its process is gone");
  std::byte* shown = add({.size = handle.size,
                          .device = static_cast<int>(handle.device),
                          .number = handle.file,
                          .opened = 1},
                         file);
  ++*blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(shown))->second.openers;
  ::close(file);
  return shown;
}

void Memory::close(const char* call, const void* address) {
  const Block* found = find(call, address);
  if (found == nullptr || found->shown != address || found->opened == 0)
    give_up(call, "no opened handle begins there: " + words(address, 0));
  Block& block = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address))->second;
  if (--block.opened > 0) return;
  --*block.openers;
  ::munmap(block.backing, block.size);
  ::munmap(static_cast<void*>(block.openers), page);
  block.is_gone = true;
}

void Memory::map(std::byte* at, Block block, int file) {
  block.shown = at;
  add(block, file);
}

void Memory::unmap(const char* call, std::byte* at, std::size_t size) {
  Block& gone = block(call, at);
  if (gone.range == nullptr || gone.shown != at || gone.size != size)
    give_up(call, words(at, size) + " were not mapped at once");
  ::munmap(gone.backing, gone.size);
  gone.is_gone = true;
}

Block& Memory::block(const char* call, const void* address) {
  if (find(call, address) == nullptr) give_up(call, "that is no memory of a device");
  return blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(address))->second;
}

bool Memory::pin(const char* call, const void* address, std::size_t size) {
  const void* end = static_cast<const std::byte*>(address) + size;
  if (size == 0 || find(call, address) != nullptr) give_up(call, "that is no host memory");
  const auto next = pinned_.upper_bound(address);
  if (next != pinned_.end() && next->second < end) return false;
  pinned_[end] = address;
  return true;
}

void Memory::unpin(const char* call, const void* address) {
  const auto found = pinned_.upper_bound(address);
  if (found == pinned_.end() || found->second != address)
    give_up(call, "no memory that is pinned begins there: " + words(address, 0));
  pinned_.erase(found);
}

bool Memory::is_pinned(const void* address) const {
  const auto next = pinned_.upper_bound(address);
  return next != pinned_.end() && next->second <= address;
}

std::size_t Memory::blocks() const {
  std::size_t count = 0;
  for (const auto& [end, block] : blocks_) count += block.is_gone ? 0 : 1;
  return count;
}

}  // namespace standin

// For tests: device memory that this process has not freed or closed.
extern "C" std::size_t standin_blocks() {
  const std::scoped_lock held(standin::lock());
  return standin::memory().blocks();
}
