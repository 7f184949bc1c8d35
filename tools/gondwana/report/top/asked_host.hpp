// Which Host header of a request means this server.
//
// A page of a foreign site in a browser can make its own name lead to the address of the server and
// then read what it answers. That request carries the name of the site.
#pragma once

#include <string_view>

namespace gondwana::top {

// An address, as "127.0.0.1:9750" or "[::1]:9750"; "localhost"; or the name of this host, whole or
// to its first dot. No foreign site is called that. An empty header comes from no browser.
bool is_asked_as(std::string_view header, std::string_view own_name);

}  // namespace gondwana::top
