#include "run/node/binding.hpp"

#include <fmt/format.h>

#include "binding_module/topology.hpp"
#include "modules.hpp"

namespace gondwana::launch {
namespace {

Result<void*> find_module_function(const char* name) {
  return find_in_module("libgondwana_binding.so", name);
}

}  // namespace

Result<std::vector<Place>> plan_binding(Binding binding, std::uint32_t ranks) {
  if (binding == Binding::none) return std::vector<Place>{};
  const Result<void*> symbol = find_module_function(places_symbol);
  if (!symbol) {
    return Error{Errc::missing,
                 fmt::format("--bind-to needs the module of Gondwana that uses hwloc: "
                             "{}; use --bind-to none",
                             symbol.error().text)};
  }
  const auto find_places = reinterpret_cast<FindPlaces>(*symbol);
  Result<std::vector<Place>> places = std::vector<Place>{};
  find_places(binding, &places);
  if (!places) return places;
  if (places->empty())
    return Error{Errc::refused, "this machine shows no such places to bind to; use --bind-to none"};
  std::vector<Place> plan;
  plan.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    plan.push_back((*places)[rank % places->size()]);
  return plan;
}

Result<Shape> find_shape() {
  const Result<void*> symbol = find_module_function(shape_symbol);
  if (!symbol) {
    return Error{Errc::missing, fmt::format("the module of Gondwana that uses hwloc is missing: {}",
                                            symbol.error().text)};
  }
  Result<Shape> shape = Shape{};
  reinterpret_cast<FindShape>(*symbol)(&shape);
  return shape;
}

std::string format_processors(const cpu_set_t& processors) {
  std::string text;
  for (std::size_t first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &processors)) continue;
    std::size_t last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &processors)) ++last;
    if (!text.empty()) text += ", ";
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    first = last;
  }
  return text;
}

}  // namespace gondwana::launch
