// A transfer of memory of a device that goes on after the call that has begun it.
#pragma once

namespace gondwana {

// One thread at a time.
class KindWork {
 public:
  KindWork() = default;
  KindWork(const KindWork&) = delete;
  KindWork& operator=(const KindWork&) = delete;
  virtual ~KindWork() = default;

  // Goes on as far as it can without waiting. True: it is over. Then it may be destroyed.
  virtual bool advance() = 0;
  // Whether a put reads its source no more.
  virtual bool has_free_source() const = 0;
};

}  // namespace gondwana
