#include "spaces/kinds/kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "spaces/kinds/emulated/open.hpp"

namespace gondwana {
namespace {

struct Row {
  KindId id;
  std::string_view name;
  std::string_view more;  // how a process gets more of its devices
  bool (*is_here)(const KindContext&);
  Result<std::unique_ptr<Devices>> (*open)(KindContext&);
};

// Devices are numbered in this order.
constexpr std::array rows{
    Row{KindId::emulated, "emulated", "set GONDWANA_EMULATED_DEVICES", emulated::is_here,
        emulated::open},
};
static_assert(rows.size() <= Kinds::most_kinds);

const Row* row_of(KindId id) {
  const auto* const row = std::ranges::find(rows, id, &Row::id);
  return row == rows.end() ? nullptr : row;
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

Kinds::Kinds(const Options& options, std::function<void(std::int32_t)> on_threads) {
  context_.emulated = {options.emulated_devices, options.emulated_memory, options.emulated_latency,
                       options.emulated_bandwidth};
  context_.on_threads = std::move(on_threads);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    present_.at(i).is_possible = rows.at(i).is_here(context_);
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
        kind.is_possible ? rows.at(row).open(context_)
                         : Error{Errc::missing, fmt::format("this process has no {} device; {}",
                                                            rows.at(row).name, rows.at(row).more)};
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
    return Error{Errc::invalid_argument,
                 fmt::format("device {}: devices have numbers from 0", number)};
  auto left = static_cast<std::uint32_t>(number);
  std::vector<std::string> why_not;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result<Devices*> opened = open(i);
    const std::uint32_t count = opened ? (*opened)->count() : 0;
    if (left < count) return (*opened)->device(left);
    left -= count;
    if (!opened) why_not.push_back(opened.error().text);
  }
  why_not.insert(why_not.begin(),
                 fmt::format("device {}: this process has {}", number, plural(devices(), "")));
  return Error{Errc::invalid_argument, fmt::format("{}", fmt::join(why_not, "; "))};
}

Result<Kind*> Kinds::find(DeviceId device) {
  const Row* row = row_of(device.kind);
  if (row == nullptr)
    return Error{Errc::invalid_argument, fmt::format("{} is no device", name_of(device))};
  const Result<Devices*> opened = open(static_cast<std::size_t>(row - rows.data()));
  if (!opened)
    return Error{opened.error().code, fmt::format("{}: {}", name_of(device), opened.error().text)};
  if (device.number < (*opened)->count()) return (*opened)->device(device.number);
  return Error{Errc::invalid_argument,
               fmt::format("{}: this process has {}; {}", name_of(device),
                           plural((*opened)->count(), row->name), row->more)};
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
