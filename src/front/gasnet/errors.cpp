#include "front/gasnet/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "core/print_error.hpp"
#include "front/gasnet/door.hpp"
#include "gasnet/system.h"
#include "process/program_place.hpp"

namespace gondwana::gasnet {
namespace {

constinit std::atomic<bool> is_verbose{true};

struct ErrorText {
  int code;
  const char* name;
  const char* description;
};

constexpr std::array error_texts{
    ErrorText{GASNET_OK, "GASNET_OK", "no error"},
    ErrorText{GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT", "the library is not initialized"},
    ErrorText{GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE", "a resource is exhausted"},
    ErrorText{GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG", "an argument is invalid"},
    ErrorText{GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "the operation is not complete"},
    ErrorText{GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH",
              "barrier ids did not match"}};

ErrorText text_of(int error) {
  const auto* const found = std::ranges::find(error_texts, error, &ErrorText::code);
  if (found != error_texts.end()) return *found;
  return {error, "no such GASNet error code", "no such GASNet error code"};
}

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
  return gondwana::gasnet::text_of(error).name;
}

const char* gasnet_ErrorDesc(int error) {
  return gondwana::gasnet::text_of(error).description;
}

int gex_System_GetVerboseErrors(void) {
  return gondwana::gasnet::verbose_errors() ? 1 : 0;
}

void gex_System_SetVerboseErrors(int enable) {
  gondwana::gasnet::set_verbose_errors(enable != 0);
}
