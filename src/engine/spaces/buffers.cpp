#include "engine/spaces/buffers.hpp"

#include <algorithm>
#include <utility>

namespace gondwana {

std::size_t RegisteredBuffers::find_in(const List& list, Rank rank, const void* object,
                                       std::size_t size) {
  const auto* address = static_cast<const std::byte*>(object);
  const auto after = std::ranges::upper_bound(
      list, address, {}, [](const RegisteredBuffer& each) { return each.own.data(); });
  if (after == list.begin()) return nowhere;
  const RegisteredBuffer& buffer = after[-1];
  const auto at = static_cast<std::size_t>(address - buffer.own.data());
  const BufferPart& part = buffer.parts[index(rank)];
  if (at >= buffer.own.size() || at > part.size || size > part.size - at) return nowhere;
  return part.offset + at;
}

void RegisteredBuffers::use(List list) {
  lists_.push_back(std::make_unique<const List>(std::move(list)));
  list_.store(lists_.back().get(), std::memory_order_release);  // pairs with find()
}

void RegisteredBuffers::add(const RegisteredBuffer& buffer) {
  const List* former = list_.load(std::memory_order_relaxed);
  List list = former == nullptr ? List{} : *former;
  list.insert(
      std::ranges::upper_bound(list, buffer.own.data(), {},
                               [](const RegisteredBuffer& each) { return each.own.data(); }),
      buffer);
  use(std::move(list));
}

void RegisteredBuffers::remove(const void* address) {
  List list = *list_.load(std::memory_order_relaxed);
  std::erase_if(list, [&](const RegisteredBuffer& each) { return each.own.data() == address; });
  use(std::move(list));
}

const RegisteredBuffer* RegisteredBuffers::overlapping(Bytes bytes) const {
  const List* list = list_.load(std::memory_order_relaxed);
  if (list == nullptr) return nullptr;
  for (const RegisteredBuffer& each : *list)
    if (each.own.data() < bytes.data() + bytes.size() &&
        bytes.data() < each.own.data() + each.own.size())
      return &each;
  return nullptr;
}

}  // namespace gondwana
