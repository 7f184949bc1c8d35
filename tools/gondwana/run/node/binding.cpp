#include "run/node/binding.hpp"

#include <fmt/format.h>

#include "base/modules.hpp"

namespace gondwana::launch {
Result<std::vector<Place>> plan_binding(Binding binding, std::uint32_t ranks) {
  if (binding == Binding::none) return std::vector<Place>{};
  const Result<void*> symbol = find_in_module(binding::module, binding::places_symbol);
  if (!symbol) {
    return Error{Errc::missing,
                 fmt::format("--bind-to needs the module of Gondwana that uses hwloc: "
                             "{}; use --bind-to none",
                             symbol.error().text)};
  }
  const auto find_places = reinterpret_cast<binding::FindPlaces>(*symbol);
  Result<std::vector<Place>> places = std::vector<Place>{};
  find_places(binding, &places);
  if (!places) return places;
  if (places->empty())
    return Error{Errc::refused, "this machine has no such places; use --bind-to none"};
  std::vector<Place> plan;
  plan.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    plan.push_back((*places)[rank % places->size()]);
  return plan;
}

}  // namespace gondwana::launch
