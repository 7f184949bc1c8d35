// Text in JSON.
#pragma once

#include <string>
#include <string_view>

namespace gondwana {

// With quotation marks. Bytes that are no text in UTF-8 become the sign for that.
std::string json_text(std::string_view text);

}  // namespace gondwana
