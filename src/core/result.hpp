// Result<T>: a value, or an Error whose message is ready for the user.
//
// The code that finds an error writes the whole message. Code that passes it on adds nothing.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/assert.hpp"

namespace gondwana {

enum class Errc {
  invalid_argument,  // the caller asked for something impossible
  out_of_memory,     // heap, descriptors, address space
  refused,           // the system or the launcher refused
  peer_lost,         // a rank or its launcher is gone
  malformed,         // invalid bytes from outside
  missing,           // not implemented; the message says so
};

struct Error {
  Errc code;
  std::string text;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(state_); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return std::get<T>(state_); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &std::get<T>(state_); }

  const Error& error() const {
    GONDWANA_ASSERT(!*this, *this ? 1 : 0);
    return std::get<Error>(state_);
  }

 private:
  T& value() {
    GONDWANA_ASSERT(static_cast<bool>(*this), state_.index());
    return std::get<T>(state_);
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)
      : error_(std::move(error)), ok_(false) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_{};
  bool ok_ = true;
};

}  // namespace gondwana
