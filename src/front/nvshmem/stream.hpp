// Calls that take a stream: done behind its work, and later work of the stream behind them. A
// process without a driver of CUDA has no such work.
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nvshmem_types.h"

namespace gondwana::nvshmem {

// What is to be done, once.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;

  virtual void run() = 0;
};

// Whether streams of this process may have work.
bool streams_have_work();
// Whether a call is to be done at once. Ends the job where it can be done in no way.
bool is_done_at_once(cudaStream_t stream, const char* call);
// Puts it behind the work of the stream.
void enqueue(cudaStream_t stream, const char* call, std::unique_ptr<Work> work);
// Returns when it is done.
void enqueue_and_wait(cudaStream_t stream, const char* call, Work& work);
// All that was put behind streams is done.
void end_streams();

template <typename Result, typename... Parameters>
class CallWork final : public Work {
 public:
  CallWork(Result (*function)(Parameters...), Parameters... arguments)
      : function_(function), arguments_(arguments...) {}
  void run() override {
    if constexpr (std::is_void_v<Result>)
      std::apply(function_, arguments_);
    else
      result_ = std::apply(function_, arguments_);
  }
  Result result() const { return result_; }

 private:
  using Kept = std::conditional_t<std::is_void_v<Result>, char, Result>;

  Result (*function_)(Parameters...);
  std::tuple<Parameters...> arguments_;
  Kept result_{};
};

template <typename Result, typename... Parameters>
Result behind(cudaStream_t stream, const char* call, Result (*function)(Parameters...),
              std::type_identity_t<Parameters>... arguments) {
  if (is_done_at_once(stream, call)) return function(arguments...);
  enqueue(stream, call, std::make_unique<CallWork<Result, Parameters...>>(function, arguments...));
  return Result();
}

// For calls whose form with a stream has no result.
template <typename Result, typename... Parameters>
void behind_void(cudaStream_t stream, const char* call, Result (*function)(Parameters...),
                 std::type_identity_t<Parameters>... arguments) {
  behind(stream, call, function, arguments...);
}

// For calls whose result is wanted.
template <typename Result, typename... Parameters>
Result result_behind(cudaStream_t stream, const char* call, Result (*function)(Parameters...),
                     std::type_identity_t<Parameters>... arguments) {
  if (is_done_at_once(stream, call)) return function(arguments...);
  CallWork<Result, Parameters...> work(function, arguments...);
  enqueue_and_wait(stream, call, work);
  return work.result();
}

}  // namespace gondwana::nvshmem
