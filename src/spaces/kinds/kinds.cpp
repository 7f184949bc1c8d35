#include "spaces/kinds/kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "spaces/kinds/cuda/open.hpp"
#include "spaces/kinds/emulated/open.hpp"
#include "spaces/kinds/hip/open.hpp"
#include "spaces/kinds/pinned_memory.hpp"
#include "spaces/kinds/vendor_library.hpp"
#include "spaces/kinds/ze/open.hpp"

namespace gondwana {
namespace {

struct Row {
  KindId id;
  std::string_view name;
  std::string_view more;   // how a process gets more devices of this kind
  LibraryNames libraries;  // of the vendor; empty: no library indicates the kind
  bool (*is_here)(const KindContext&);
  Result<std::unique_ptr<Devices>> (*open)(KindContext&);
  // Whether the loaded library uses a device. Null: every program that loads the library does.
  bool (*is_used)() = nullptr;
  // Likewise: whether the program has pinned host memory with it. Null: it cannot.
  bool (*has_pinned)(Bytes) = nullptr;
};

// Devices are numbered in this order.
constexpr std::array rows{
    Row{KindId::cuda, "cuda", "CUDA_VISIBLE_DEVICES selects the devices that it may use",
        cuda::libraries, cuda::is_here, cuda::open, cuda::is_used, cuda::has_pinned},
    Row{KindId::hip, "hip", "HIP_VISIBLE_DEVICES selects the devices that it may use",
        hip::libraries, hip::is_here, hip::open, nullptr, hip::has_pinned},
    Row{KindId::ze, "ze", "ZE_AFFINITY_MASK selects the devices that it may use", ze::libraries,
        ze::is_here, ze::open},
    Row{KindId::emulated,
        "emulated",
        "set GONDWANA_EMULATED_DEVICES",
        {},
        emulated::is_here,
        emulated::open},
};
static_assert(rows.size() <= Kinds::max_kinds);

const Row* row_of(KindId id) {
  const auto* const row = std::ranges::find(rows, id, &Row::id);
  return row == rows.end() ? nullptr : row;
}

// Whether a comma-separated list of names contains one.
bool has_name(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == name) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// `named`: the value of GONDWANA_KINDS; empty: not set.
bool is_possible(const Row& row, const KindContext& context, std::string_view named) {
  if (!row.libraries.empty() && !named.empty()) return has_name(named, row.name);
  return row.is_here(context) || VendorLibrary::is_loaded(row.libraries);
}

Error not_here(const Row& row) {
  if (row.libraries.empty())
    return {Errc::missing, fmt::format("this process has no {} device; {}", row.name, row.more)};
  return {Errc::missing,
          fmt::format(
              "{}: not used, because the system shows no device of this kind and the program has "
              "not loaded {}, or because GONDWANA_KINDS names others; set GONDWANA_KINDS={}",
              row.name, row.libraries.front(), row.name)};
}

std::string plural(std::uint32_t count, std::string_view kind) {
  return fmt::format("{} {}{}device{}", count, kind, kind.empty() ? "" : " ",
                     count == 1 ? "" : "s");
}

}  // namespace

std::string name_of(DeviceId device) {
  if (device.kind == KindId::host) return "host";
  const Row* row = row_of(device.kind);
  if (row != nullptr) return fmt::format("{}:{}", row->name, device.number);
  return fmt::format("a device of an unknown kind, {}", static_cast<std::uint32_t>(device.kind));
}

bool has_pinned(Bytes pages) {
  return std::ranges::any_of(rows, [pages](const Row& row) {
    return row.has_pinned != nullptr && VendorLibrary::is_loaded(row.libraries) &&
           row.has_pinned(pages);
  });
}

Result<void> Kind::complete(Completion& done) {
  wait(done);
  const Error* loss = done.take_loss();
  return loss == nullptr ? Result<void>{} : *loss;
}

Result<void> Kind::copy_now(std::byte* to, const std::byte* from, std::size_t size) {
  Completion done;
  const Result<void> copied = copy(to, from, size, done);
  const Result<void> completed = complete(done);
  return copied ? completed : copied;
}

Kinds::Kinds(const Options& options, ThreadListener on_threads) {
  context_.emulated = {options.emulated_devices, options.emulated_memory, options.emulated_latency,
                       options.emulated_bandwidth};
  context_.on_threads = std::move(on_threads);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    present_.at(i).is_possible = gondwana::is_possible(rows.at(i), context_, options.kinds);
    present_.at(i).is_named = has_name(options.kinds, rows.at(i).name);
    has_devices_ = has_devices_ || present_.at(i).is_possible;
  }
}

Result<Devices*> Kinds::open(std::size_t row) {
  Present& kind = present_.at(row);
  if (Devices* known = kind.opened.load(std::memory_order_acquire); known != nullptr) return known;
  const std::scoped_lock lock(mutex_);
  if (kind.failure) return *kind.failure;
  if (kind.devices == nullptr) {
    Result<std::unique_ptr<Devices>> devices =
        kind.is_possible ? rows.at(row).open(context_) : not_here(rows.at(row));
    if (!devices) {
      kind.failure = devices.error();
      return devices.error();
    }
    kind.devices = *std::move(devices);
    kind.opened.store(kind.devices.get(), std::memory_order_release);  // pairs with search()
  }
  return kind.devices.get();
}

std::uint32_t Kinds::devices() {
  std::uint32_t count = 0;
  for (const Listed& kind : list()) count += kind.devices;
  return count;
}

std::vector<Kinds::Listed> Kinds::list() {
  std::vector<Listed> kinds;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result<Devices*> opened = open(i);
    kinds.push_back({std::string(rows.at(i).name), opened ? (*opened)->count() : 0,
                     opened ? "" : opened.error().text});
  }
  return kinds;
}

Result<Kind*> Kinds::device(int number) {
  if (number < 0)
    return Error{Errc::invalid_argument, fmt::format("device {}: expected 0 or more", number)};
  auto left = static_cast<std::uint32_t>(number);
  std::string why_not;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!present_.at(i).is_possible) continue;
    const Result<Devices*> opened = open(i);
    const std::uint32_t count = opened ? (*opened)->count() : 0;
    if (left < count) return (*opened)->device(left);
    left -= count;
    if (!opened) why_not += "; " + opened.error().text;
  }
  return Error{Errc::invalid_argument,
               fmt::format("device {}: this process has {}{}; GONDWANA_KINDS and "
                           "GONDWANA_EMULATED_DEVICES select its devices",
                           number, plural(devices(), ""), why_not)};
}

int Kinds::number_of(const Kind& kind) {
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < rows.size() && rows.at(i).id != kind.device().kind; ++i)
    if (const Result<Devices*> opened = open(i)) before += (*opened)->count();
  return static_cast<int>(before + kind.device().number);
}

Result<Kind*> Kinds::find(DeviceId device) {
  const Row* row = row_of(device.kind);
  if (row == nullptr)
    return Error{Errc::invalid_argument, fmt::format("{} is not a device", name_of(device))};
  const Result<Devices*> opened = open(static_cast<std::size_t>(row - rows.data()));
  if (!opened) return opened.error();
  if (device.number < (*opened)->count()) return (*opened)->device(device.number);
  return Error{Errc::invalid_argument,
               fmt::format("{}: this process has {}; {}", name_of(device),
                           plural((*opened)->count(), row->name), row->more)};
}

Result<Kind*> Kinds::find(KindId kind, const void* handle) {
  const Row* row = row_of(kind);
  if (row == nullptr) return Error{Errc::invalid_argument, "host memory is not a device"};
  const Result<Devices*> opened = open(static_cast<std::size_t>(row - rows.data()));
  if (!opened) return opened.error();
  const std::optional<std::uint32_t> number = (*opened)->number_of(handle);
  if (number) return (*opened)->device(*number);
  return Error{Errc::invalid_argument,
               fmt::format("{} is not a handle of a {} device", fmt::ptr(handle), row->name)};
}

Kind* Kinds::owner_of(Bytes memory) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Present& kind = present_.at(i);
    const bool is_open = kind.opened.load(std::memory_order_acquire) != nullptr;
    if (kind.is_possible && !is_open && VendorLibrary::is_loaded(rows.at(i).libraries))
      static_cast<void>(open(i));
  }
  return of(memory);
}

// An error is reported when a device of the kind is requested.
void Kinds::open_all_used() {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Present& kind = present_.at(i);
    const Row& row = rows.at(i);
    if (!kind.is_possible || kind.opened.load(std::memory_order_acquire) != nullptr) continue;
    const bool is_used =
        VendorLibrary::is_loaded(row.libraries) && (row.is_used == nullptr || row.is_used());
    if (kind.is_named || is_used) static_cast<void>(open(i));
  }
}

Kind* Kinds::search(Bytes memory) {
  for (const Present& kind : present_) {
    Devices* devices = kind.opened.load(std::memory_order_acquire);
    if (devices == nullptr) continue;
    if (Kind* found = devices->of(memory); found != nullptr) return found;
  }
  return nullptr;
}

}  // namespace gondwana
