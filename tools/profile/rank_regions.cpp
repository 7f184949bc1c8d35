#include "rank_regions.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/ticks.hpp"

namespace gondwana::profile {
namespace {

constexpr std::size_t max_names = 1000;
constexpr std::size_t longest_name = 47;  // the same limit as in traces

struct OpenRegion {
  std::uint64_t session;
  std::uint64_t began;
  std::string name;
};

std::vector<OpenRegion>& open_regions() {
  thread_local std::vector<OpenRegion> own;
  return own;
}

}  // namespace

void RankRegions::begin(std::uint64_t session, const char* name) {
  const std::string_view text = name != nullptr ? name : "region";
  open_regions().push_back({session, ticks(), std::string(text.substr(0, longest_name))});
}

void RankRegions::end(std::uint64_t session) {
  std::vector<OpenRegion>& open = open_regions();
  if (open.empty()) return;
  const std::uint64_t passed = ticks() - open.back().began;
  if (session != 0 && open.back().session == session) add(open.back().name, passed);
  open.pop_back();
}

void RankRegions::add(std::string_view name, std::uint64_t ticks) {
  const std::lock_guard lock(mutex_);
  auto total = totals_.find(name);
  if (total == totals_.end()) {
    if (totals_.size() == max_names) return;
    total = totals_.emplace(name, Total()).first;
  }
  ++total->second.times;
  total->second.ticks += ticks;
}

Json RankRegions::as_json(double nanoseconds_per_tick) {
  const std::lock_guard lock(mutex_);
  Json regions = Json::array();
  for (const auto& [name, total] : totals_)
    regions.push_back(
        {name, total.times, std::llround(static_cast<double>(total.ticks) * nanoseconds_per_tick)});
  return regions;
}

void RankRegions::clear() {
  const std::lock_guard lock(mutex_);
  totals_.clear();
}

}  // namespace gondwana::profile
