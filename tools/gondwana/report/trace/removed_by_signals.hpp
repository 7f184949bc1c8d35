// A file that is not whole when a signal ends the process: the signal removes it. One at a time in
// a process.
#pragma once

#include <string>

namespace gondwana::trace {

class RemovedBySignals {
 public:
  // Nothing where there is no such file.
  explicit RemovedBySignals(const std::string& file);
  RemovedBySignals(const RemovedBySignals&) = delete;
  RemovedBySignals& operator=(const RemovedBySignals&) = delete;
  ~RemovedBySignals();

 private:
  bool is_set_;
};

}  // namespace gondwana::trace
