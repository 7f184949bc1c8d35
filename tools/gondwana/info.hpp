// `gondwana info`: what this installation is and what this machine lets it do.
#pragma once

namespace gondwana {

int print_info();

}  // namespace gondwana
