// Checks the Host header of a request.
//
// A page of a foreign site in a browser can make its own name resolve to the server's address and
// then read the answers. Such requests carry the name of that site.
#pragma once

#include <string_view>

namespace gondwana::top {

// Accepts an address such as "127.0.0.1:9750" or "[::1]:9750", "localhost", and this host's name,
// complete or up to the first dot. No foreign site has these names. An empty header does not come
// from a browser.
bool accepts_host(std::string_view header, std::string_view own_name);

}  // namespace gondwana::top
