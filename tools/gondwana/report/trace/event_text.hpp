// The data of an event that a trace file shows in addition to its times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modules/perfetto/perfetto.hpp"
#include "observe/trace/node_trace.hpp"

namespace gondwana::trace {

std::string_view category_of(EventKind kind);
std::string name_of(const RankTrace& rank, const Event& event);
// The call of a wait, the bytes and the peer.
std::vector<perfetto::Argument> arguments_of(const RankTrace& rank, const Event& event);

}  // namespace gondwana::trace
