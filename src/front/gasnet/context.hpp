// The state of the calling thread, for the rules about where calls are allowed. They are checked if
// GASNET_DEBUG or GONDWANA_DEBUG asks for it. GASNet-EX 0.19, Restricted context.
#pragma once

#include <cstdint>

#include "gasnet_fwd.h"

namespace gondwana::gasnet {

struct Context {
  gex_Token_t handler = nullptr;        // token of the running handler
  gex_AM_SrcDesc_t prepared = nullptr;  // between Prepare and Commit
  std::uint32_t locks = 0;              // handler-safe locks that the thread holds
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local Context own_context;

inline Context& context() {
  return own_context;
}

class HandlerContext {
 public:
  explicit HandlerContext(gondwana_gex_token& token) : before_(context().handler) {
    context().handler = &token;
  }
  ~HandlerContext() { context().handler = before_; }
  HandlerContext(const HandlerContext&) = delete;
  HandlerContext& operator=(const HandlerContext&) = delete;

 private:
  gex_Token_t before_;
};

}  // namespace gondwana::gasnet
