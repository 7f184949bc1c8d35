#include "spaces/kinds/emulated/device.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "spaces/kinds/emulated/open.hpp"

namespace gondwana {
namespace {

// Words of a SharedHandle.
enum Word : std::size_t { process, descriptor, file_device, file_number, from_start };

std::uintptr_t begin_of(Bytes memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data());
}

// A process of the same user may open a file that another has open, so no descriptor must be
// passed. The descriptor number may by now belong to another file.
Result<UniqueFd> open_shared(const SharedHandle& handle) {
  const std::string path = fmt::format("/proc/{}/fd/{}", handle[process], handle[descriptor]);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat facts{};
  if (!file)
    return Error{Errc::refused, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  if (::fstat(file.get(), &facts) != 0 || facts.st_dev != handle[file_device] ||
      facts.st_ino != handle[file_number])
    return Error{Errc::refused, fmt::format("{} is another file: the memory was released", path)};
  return file;
}

}  // namespace

std::optional<EmulatedDevice::Found> EmulatedDevice::find(Bytes memory) const {
  const std::shared_lock lock(blocks_mutex_);
  const auto block = blocks_.upper_bound(begin_of(memory));
  if (block == blocks_.end()) return std::nullopt;
  const Mapping& shown = block->second->shown;
  const std::size_t offset = begin_of(memory) - reinterpret_cast<std::uintptr_t>(shown.data());
  if (offset >= shown.size() || memory.size() > shown.size() - offset) return std::nullopt;
  return Found{block->second, offset};
}

Result<MutableBytes> EmulatedDevice::add(UniqueFd file, std::size_t size, std::size_t from,
                                         bool is_own) {
  Result<Mapping> shown = Mapping::reserve(nullptr, size);
  if (!shown) return shown.error();
  void* backing = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                         file.get(), static_cast<off_t>(from));
  if (backing == MAP_FAILED)
    return Error{Errc::out_of_memory, fmt::format("mmap of {} of {}: {}", format_size(size),
                                                  name_of(device()), std::strerror(errno))};
  // As with a real device, a forked child does not get the memory.
  ::madvise(backing, size, MADV_DONTFORK);
  auto block = std::make_shared<Block>();
  block->shown = *std::move(shown);
  block->backing = Mapping(static_cast<std::byte*>(backing), size);
  block->is_own = is_own;
  if (is_own) block->file = std::move(file);
  const MutableBytes memory(block->shown.data(), size);
  const std::scoped_lock lock(blocks_mutex_);
  context_.bounds.include(memory);
  blocks_.emplace(begin_of(memory) + size, std::move(block));
  return memory;
}

Result<MutableBytes> EmulatedDevice::allocate(std::size_t size) {
  const std::size_t whole = round_up(std::max<std::size_t>(size, 1), page_size());
  {
    const std::scoped_lock lock(blocks_mutex_);
    if (size > settings_.memory || whole > settings_.memory - used_)
      return Error{Errc::out_of_memory,
                   fmt::format("{} on {}: {} of its {} are in use; raise "
                               "GONDWANA_EMULATED_MEMORY",
                               format_size(size), name_of(device()), format_size(used_),
                               format_size(settings_.memory))};
    used_ += whole;
  }
  Result<UniqueFd> file = create_memfd("gondwana-device", whole);
  Result<MutableBytes> memory =
      file ? add(*std::move(file), whole, 0, true) : Result<MutableBytes>(file.error());
  if (memory) return memory;
  const std::scoped_lock lock(blocks_mutex_);
  used_ -= whole;
  return memory;
}

// Finds an allocation by its start, and a mapping by any of its bytes.
bool EmulatedDevice::remove(std::byte* memory, bool is_own) {
  std::shared_ptr<const Block> block;  // unmapped after the lock is released
  const std::scoped_lock lock(blocks_mutex_);
  const auto found = blocks_.upper_bound(reinterpret_cast<std::uintptr_t>(memory));
  if (found == blocks_.end() || found->second->is_own != is_own) return false;
  const Mapping& shown = found->second->shown;
  if (is_own ? shown.data() != memory : shown.data() > memory) return false;
  if (is_own) used_ -= shown.size();
  block = std::move(found->second);
  blocks_.erase(found);
  return true;
}

bool EmulatedDevice::release(std::byte* memory) {
  return remove(memory, true);
}

void EmulatedDevice::unmap(MutableBytes memory) {
  remove(memory.data(), false);
}

Result<SharedHandle> EmulatedDevice::share(Bytes memory) const {
  const std::optional<Found> found = find(memory);
  if (!found || !found->block->is_own)
    return Error{
        Errc::invalid_argument,
        fmt::format("{} at {} are not memory of {} that this process allocated",
                    format_size(memory.size()), fmt::ptr(memory.data()), name_of(device()))};
  struct stat facts{};
  ::fstat(found->block->file.get(), &facts);
  SharedHandle handle{};
  handle[process] = static_cast<std::uint64_t>(::getpid());
  handle[descriptor] = static_cast<std::uint64_t>(found->block->file.get());
  handle[file_device] = facts.st_dev;
  handle[file_number] = facts.st_ino;
  handle[from_start] = found->offset;
  return handle;
}

// Maps whole pages, starting with the one that contains the start of the memory.
Result<MutableBytes> EmulatedDevice::map(const SharedHandle& handle, std::size_t size) {
  Result<UniqueFd> file = open_shared(handle);
  if (!file) return file.error();
  struct stat facts{};
  ::fstat(file->get(), &facts);
  const auto length = static_cast<std::size_t>(facts.st_size);
  if (handle[from_start] > length || size > length - handle[from_start] || size == 0)
    return Error{Errc::refused, "the memory of a peer is shorter than its description says"};
  const std::size_t before = handle[from_start] % page_size();
  const Result<MutableBytes> pages = add(*std::move(file), round_up(before + size, page_size()),
                                         handle[from_start] - before, false);
  if (!pages) return pages.error();
  return pages->subspan(before, size);
}

Result<void> EmulatedDevice::copy(std::byte* to, const std::byte* from, std::size_t size,
                                  Completion& done) {
  const std::optional<Found> target = find({to, size});
  const std::optional<Found> source = find({from, size});
  if (!target && !source)
    return Error{Errc::invalid_argument,
                 fmt::format("a copy of {} from {} to {}: neither is memory of {}",
                             format_size(size), fmt::ptr(from), fmt::ptr(to), name_of(device()))};
  CopyEngine::Copy copy{.to = target ? target->data() : to,
                        .from = source ? source->data() : from,
                        .size = size,
                        .done = &done,
                        .one = target ? target->block : nullptr,
                        .other = source ? source->block : nullptr};
  done.begin();
  engine_.submit(std::move(copy));
  return {};
}

namespace emulated {
namespace {

class EmulatedDevices final : public Devices {
 public:
  explicit EmulatedDevices(KindContext& context)
      : Devices(context.emulated.devices), context_(context) {}

 private:
  Result<std::unique_ptr<Kind>> make(std::uint32_t number) override {
    return std::unique_ptr<Kind>(std::make_unique<EmulatedDevice>(number, context_));
  }

  KindContext& context_;
};

}  // namespace

bool is_here(const KindContext& context) {
  return context.emulated.devices > 0;
}

Result<std::unique_ptr<Devices>> open(KindContext& context) {
  return std::unique_ptr<Devices>(std::make_unique<EmulatedDevices>(context));
}

}  // namespace emulated
}  // namespace gondwana
