// Variables of the environment that the tools themselves ask for.
#pragma once

#include <optional>
#include <string_view>

namespace gondwana::gasnet::tools {

// Yes or no as users spell it.
std::optional<bool> parse_switch(std::string_view text);

// Whether a variable says yes. Never reports and never fails: what cannot be read is no.
bool is_on(const char* name);

// The same, reported with GASNET_VERBOSEENV, and what cannot be read ends the program.
bool reported_switch(const char* name);

}  // namespace gondwana::gasnet::tools
