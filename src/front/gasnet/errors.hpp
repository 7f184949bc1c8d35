// Errors that have a GASNet code. The call returns the code, and prints a message unless the client
// turned messages off (gex_System_SetVerboseErrors).
#pragma once

#include <string>

#include "core/result.hpp"
#include "core/types.hpp"

namespace gondwana::gasnet {

// Returns `code`.
[[gnu::cold]] int refuse(int code, CallName call, const std::string& sentence);
// Wrong arguments are GASNET_ERR_BAD_ARG, everything else GASNET_ERR_RESOURCE.
[[gnu::cold]] int refuse(const Error& error, CallName call);

bool verbose_errors();
void set_verbose_errors(bool is_verbose);

}  // namespace gondwana::gasnet
