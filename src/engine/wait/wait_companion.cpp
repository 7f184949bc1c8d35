#include "engine/wait/wait_companion.hpp"

namespace gondwana {

constinit std::atomic<WaitCompanion*> WaitCompanion::of_process{nullptr};

}  // namespace gondwana
