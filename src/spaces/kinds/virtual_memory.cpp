#include "spaces/kinds/virtual_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "spaces/kinds/descriptor_of_peer.hpp"

namespace gondwana {
namespace {

// Words of a SharedHandle, before the word of the process.
enum RecordWord : std::size_t { descriptor, mapped_size };

constexpr const char* no_calls =
    "the driver is too old to map memory that was shared by a descriptor";

}  // namespace

bool VirtualCalls::find_in(const VendorLibrary& library) {
  bool has_all = true;
  const auto find = [&](auto& call) {
    library.find_any(call.function, call.name);
    has_all = has_all && call.function != nullptr;
  };
  const auto find_all = [&](auto&... call) { (find(call), ...); };
  find_all(get_range, retain, release, share, open, reserve, unreserve, map, unmap, set_access);
  return has_all;
}

bool VirtualMemory::has_made(const SharedHandle& handle) {
  return handle[process_word] != 0;  // zero in a handle of IPC
}

void VirtualMemory::unshare(const SharedHandle& handle) {
  if (has_made(handle)) ::close(static_cast<int>(handle[descriptor]));
}

// Shares one mapping. Adjacent addresses may belong to other memory, or to none.
Result<SharedHandle> VirtualMemory::share(Bytes memory, MutableBytes& allocation) const {
  if (!is_here_) return Error{Errc::missing, no_calls};
  Address begin = 0;
  std::size_t size = 0;
  const auto address = reinterpret_cast<Address>(memory.data());
  if (const auto got = checked(calls_.get_range, &begin, &size, address); !got) return got.error();
  if (address - begin > size || memory.size() > size - (address - begin))
    return Error{Errc::refused, "it spans several adjacent allocations; share each separately"};
  Handle handle = 0;
  if (const auto kept = checked(calls_.retain, &handle, memory.data()); !kept) return kept.error();
  int file = -1;
  const Result<void> exported = checked(calls_.share, &file, handle, type_of_handles, Handle{0});
  calls_.release(handle);
  if (!exported) return exported.error();
  ::fcntl(file, F_SETFD, FD_CLOEXEC);
  allocation = {reinterpret_cast<std::byte*>(begin), size};
  SharedHandle shared{};
  shared[descriptor] = static_cast<std::uint64_t>(file);
  shared[mapped_size] = size;
  shared[process_word] = static_cast<std::uint64_t>(::getpid());
  return shared;
}

Result<VirtualMemory::Handle> VirtualMemory::fetch(const SharedHandle& handle) const {
  const Result<UniqueFd> file =
      fetch_descriptor(handle[process_word], static_cast<int>(handle[descriptor]));
  if (!file) return file.error();
  Handle memory = 0;
  // The call expects the number as a pointer.
  void* number = reinterpret_cast<void*>(static_cast<std::intptr_t>(file->get()));
  const Result<void> imported = checked(calls_.open, &memory, number, type_of_handles);
  return imported ? Result<Handle>(memory) : imported.error();
}

Result<void> VirtualMemory::map(Address address, std::size_t size, Handle memory,
                                std::uint32_t device) const {
  Result<void> mapped = checked(calls_.map, address, size, std::size_t{0}, memory, Handle{0});
  if (!mapped) return mapped;
  for (std::uint32_t each = 0; each < driver_.devices(); ++each) {
    const VirtualCalls::Access access{.device = static_cast<int>(each)};
    Result<void> is_open = checked(calls_.set_access, address, size, &access, std::size_t{1});
    if (is_open || each != device) continue;
    calls_.unmap(address, size);
    return is_open;
  }
  return mapped;
}

Result<std::byte*> VirtualMemory::open(const SharedHandle& handle, std::uint32_t device) {
  if (!is_here_) return Error{Errc::missing, no_calls};
  const std::size_t size = handle[mapped_size];
  const Result<Handle> memory = fetch(handle);
  if (!memory) return memory.error();
  Address address = 0;
  Result<void> mapped =
      checked(calls_.reserve, &address, size, std::size_t{0}, Address{0}, Handle{0});
  if (mapped) {
    mapped = map(address, size, *memory, device);
    if (!mapped) calls_.unreserve(address, size);
  }
  calls_.release(*memory);  // the mapping keeps the memory
  if (!mapped) return mapped.error();
  auto* opened = reinterpret_cast<std::byte*>(address);
  const std::scoped_lock lock(mutex_);
  opened_.emplace(opened, size);
  return opened;
}

bool VirtualMemory::close(std::byte* opened) {
  const std::scoped_lock lock(mutex_);
  const auto found = opened_.find(opened);
  if (found == opened_.end()) return false;
  const auto address = reinterpret_cast<Address>(opened);
  calls_.unmap(address, found->second);
  calls_.unreserve(address, found->second);
  opened_.erase(found);
  return true;
}

}  // namespace gondwana
