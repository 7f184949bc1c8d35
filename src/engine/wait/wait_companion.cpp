#include "engine/wait/wait_companion.hpp"

namespace gondwana {

constinit std::atomic<WaitCompanion*> WaitCompanion::present_{nullptr};

}  // namespace gondwana
