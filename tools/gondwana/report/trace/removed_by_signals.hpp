// An incomplete file that is removed if a signal ends the process. A process may have one at a
// time.
#pragma once

#include <string>

namespace gondwana::trace {

class RemovedBySignals {
 public:
  // Does nothing if the file does not exist.
  explicit RemovedBySignals(const std::string& file);
  RemovedBySignals(const RemovedBySignals&) = delete;
  RemovedBySignals& operator=(const RemovedBySignals&) = delete;
  ~RemovedBySignals();

 private:
  bool is_set_;
};

}  // namespace gondwana::trace
