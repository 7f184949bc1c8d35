// The options by which users say on which hosts to look.
#pragma once

#include <string>
#include <string_view>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "hosts/job_view.hpp"

namespace gondwana::hosts {

// Whether `word` is one of these options. `next` takes the word behind it.
Result<bool> take_option(std::string_view word, FunctionRef<std::string()> next, Choice& choice);

}  // namespace gondwana::hosts
