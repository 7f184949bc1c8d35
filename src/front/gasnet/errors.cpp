#include "front/gasnet/errors.hpp"

#include <fmt/format.h>

#include <atomic>

#include "core/print_error.hpp"
#include "front/gasnet/door.hpp"
#include "gasnet/system.h"
#include "process/program_place.hpp"

namespace gondwana::gasnet {
namespace {

constinit std::atomic<bool> is_verbose{true};

}  // namespace

bool verbose_errors() {
  return is_verbose.load(std::memory_order_relaxed);
}

void set_verbose_errors(bool yes) {
  is_verbose.store(yes, std::memory_order_relaxed);
}

int refuse(int code, CallName call, const std::string& sentence) {
  if (!verbose_errors()) return code;
  const Door* here = find_door();
  print_error("gondwana: {}{}: {} ({}){}\n",
              here == nullptr ? "" : fmt::format("rank {}: ", here->rank()), call, sentence,
              gasnet_ErrorName(code), caller_in_brackets());
  return code;
}

int refuse(const Error& error, CallName call) {
  return refuse(error.code == Errc::invalid_argument ? GASNET_ERR_BAD_ARG : GASNET_ERR_RESOURCE,
                call, error.text);
}

}  // namespace gondwana::gasnet

const char* gasnet_ErrorName(int error) {
  switch (error) {
    case GASNET_OK:
      return "GASNET_OK";
    case GASNET_ERR_NOT_INIT:
      return "GASNET_ERR_NOT_INIT";
    case GASNET_ERR_RESOURCE:
      return "GASNET_ERR_RESOURCE";
    case GASNET_ERR_BAD_ARG:
      return "GASNET_ERR_BAD_ARG";
    case GASNET_ERR_NOT_READY:
      return "GASNET_ERR_NOT_READY";
    case GASNET_ERR_BARRIER_MISMATCH:
      return "GASNET_ERR_BARRIER_MISMATCH";
    default:
      return "no such GASNet error code";
  }
}

const char* gasnet_ErrorDesc(int error) {
  switch (error) {
    case GASNET_OK:
      return "no error";
    case GASNET_ERR_NOT_INIT:
      return "the library is not initialized";
    case GASNET_ERR_RESOURCE:
      return "a resource is exhausted";
    case GASNET_ERR_BAD_ARG:
      return "an argument is invalid";
    case GASNET_ERR_NOT_READY:
      return "the operation is not complete";
    case GASNET_ERR_BARRIER_MISMATCH:
      return "barrier ids did not match";
    default:
      return "no such GASNet error code";
  }
}

int gex_System_GetVerboseErrors(void) {
  return gondwana::gasnet::verbose_errors() ? 1 : 0;
}

void gex_System_SetVerboseErrors(int enable) {
  gondwana::gasnet::set_verbose_errors(enable != 0);
}
