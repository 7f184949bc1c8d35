// The end of a program that cannot go on.
#pragma once

namespace gondwana::gasnet::tools {

// Whether this process has said why it ends: handlers of signals then have nothing to add.
bool is_failing();

}  // namespace gondwana::gasnet::tools
