// A transfer of device memory that continues after the call that started it.
#pragma once

namespace gondwana {

// Used by one thread at a time.
class KindWork {
 public:
  KindWork() = default;
  KindWork(const KindWork&) = delete;
  KindWork& operator=(const KindWork&) = delete;
  virtual ~KindWork() = default;

  // Advances as far as possible without waiting. True: the transfer is complete and may be
  // destroyed.
  virtual bool advance() = 0;
  // Whether the source of a put may be reused.
  virtual bool has_free_source() const = 0;
};

}  // namespace gondwana
