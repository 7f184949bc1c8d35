// What happened in a simulated job: a hash of all events, and the text of the last ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gondwana::simulation {

using Nanoseconds = std::uint64_t;

// A text with places for up to three numbers. It is formatted only to be printed.
struct Event {
  const char* format;
  std::array<std::uint64_t, 3> numbers{};

  template <typename... Numbers>
  Event(const char* text, Numbers... of_it)  // NOLINT(google-explicit-constructor): as a text
      : format(text), numbers{static_cast<std::uint64_t>(of_it)...} {}
};

class Events {
 public:
  Events(std::uint64_t seed, bool is_told) : hash_(seed), is_told_(is_told) {}

  void add(Nanoseconds time, const std::string& actor, const Event& event);
  // Anything that the events do not show.
  void add(std::uint64_t number) { hash_ = (hash_ ^ number) * prime; }
  std::uint64_t hash() const { return hash_; }
  void print_last() const;

 private:
  static constexpr std::uint64_t prime = 0x100000001b3;
  static constexpr std::size_t kept = 60;

  struct Kept {
    Nanoseconds time = 0;
    std::string actor;
    Event event{""};
  };
  static void print(const Kept& event);

  std::uint64_t hash_;
  bool is_told_;
  std::array<Kept, kept> last_;
  std::size_t count_ = 0;
};

}  // namespace gondwana::simulation
