// A call on a stream: shmemx_call_on_stream runs the ordinary call when the stream has done all its
// earlier work.
#pragma once

#include <atomic>
#include <memory>
#include <tuple>
#include <type_traits>

#include "nvshmem_types.h"
#include "shmemx.h"

namespace gondwana::nvshmem {

// Whether nothing precedes the call: stream 0 of a process without a CUDA device.
inline bool is_done_at_once(cudaStream_t stream) {
  return stream == nullptr && shmemx_streams() == 0;
}

template <typename Result, typename... Parameters>
class CallWork {
 public:
  CallWork(Result (*function)(Parameters...), Parameters... arguments)
      : function_(function), arguments_(arguments...) {}
  Result run() const { return std::apply(function_, arguments_); }

 private:
  Result (*function_)(Parameters...);
  std::tuple<Parameters...> arguments_;
};

template <typename Result, typename... Parameters>
Result behind(cudaStream_t stream, Result (*function)(Parameters...),
              std::type_identity_t<Parameters>... arguments) {
  if (is_done_at_once(stream)) return function(arguments...);
  using Work = CallWork<Result, Parameters...>;
  const auto run = [](void* argument) {
    const std::unique_ptr<Work> work(static_cast<Work*>(argument));
    work->run();
  };
  shmemx_call_on_stream(run, new Work(function, arguments...), stream);
  return Result();
}

// For calls whose stream form returns nothing.
template <typename Result, typename... Parameters>
void behind_void(cudaStream_t stream, Result (*function)(Parameters...),
                 std::type_identity_t<Parameters>... arguments) {
  behind(stream, function, arguments...);
}

// For calls that need the result.
template <typename Result, typename... Parameters>
Result result_behind(cudaStream_t stream, Result (*function)(Parameters...),
                     std::type_identity_t<Parameters>... arguments) {
  if (is_done_at_once(stream)) return function(arguments...);
  struct Wanted {
    CallWork<Result, Parameters...> work;
    Result result = {};
    std::atomic<bool> is_there = false;
  } wanted{{function, arguments...}};
  const auto run = [](void* argument) {
    auto& of = *static_cast<Wanted*>(argument);
    of.result = of.work.run();
    of.is_there.store(true, std::memory_order_release);  // pairs with wait()
    of.is_there.notify_one();
  };
  shmemx_call_on_stream(run, &wanted, stream);
  wanted.is_there.wait(false, std::memory_order_acquire);
  return wanted.result;
}

}  // namespace gondwana::nvshmem
