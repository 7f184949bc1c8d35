// Formats JSON for programs and for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gondwana {

using Json = nlohmann::ordered_json;

// Writes one line. Characters outside ASCII are escaped, because a terminal may show the text.
// Bytes that are not UTF-8 become U+FFFD.
std::string to_line(const Json& value);

// Writes a line for each member, and for each item of a list of objects.
std::string to_text(const Json& value);

// Rounds to three decimal places.
double rounded(double value);

}  // namespace gondwana
