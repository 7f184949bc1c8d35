// Process infos that foreign launchers deliver: any bytes give an info or an offer within its
// limits, or an error message.
#include <algorithm>
#include <string>

#include "bootstrap/process_info.hpp"
#include "core/assert.hpp"
#include "fuzz/target.hpp"

namespace gondwana {
namespace {

template <typename T>
bool accept(const Result<T>& result) {
  if (!result) GONDWANA_ASSERT(!result.error().text.empty(), 0);
  return static_cast<bool>(result);
}

void check_card(std::string_view text) {
  const Result<ProcessInfo> info = read_info(text, 3);
  if (!accept(info)) return;
  if (info->invitation) GONDWANA_ASSERT(info->invitation->tag != 0, text);
  const Result<ProcessInfo> again = read_info(write_info(*info), 3);
  GONDWANA_ASSERT(again && again->node == info->node && again->node_ranks == info->node_ranks,
                  text);
}

void check_offer(std::string_view text) {
  const Result<NodeOffer> offer = read_offer(text, 3);
  if (!accept(offer)) return;
  const NodeContact& contact = offer->contact;
  GONDWANA_ASSERT(contact.address().size() <= NodeInfo::longest_address, text);
  GONDWANA_ASSERT(contact.key().size() <= NodeInfo::longest_key, text);
  GONDWANA_ASSERT(contact.info().host.back() == '\0', text);
  GONDWANA_ASSERT(read_offer(write_offer(*offer), 3), text);
}

}  // namespace
}  // namespace gondwana

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Half of the limit of launchers, so that it can be written back.
  const std::string_view text(reinterpret_cast<const char*>(data),
                              std::min<std::size_t>(size, 800));
  // Unchanged, and with a valid checksum, to reach the checks after it.
  for (const std::string& said : {std::string(text), gondwana::seal(std::string(text))}) {
    gondwana::check_card(said);
    gondwana::check_offer(said);
  }
  return 0;
}
