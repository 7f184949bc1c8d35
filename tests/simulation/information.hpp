// What the user is told that does not end the job. Each sentence must tell of something that has
// happened, and once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gondwana::simulation {

// If the disk is full.
inline constexpr const char* output_lost =
    "cannot write to the standard output: No space left on device";

class Information {
 public:
  static bool is_one(const std::string& sentence);

  // Something has happened: a sentence that begins so may be told once.
  void allow(const std::string& begins) { ++facts_[begins].happened; }
  // These return what is wrong. By the time of demand(), all that has happened must have been told.
  std::optional<std::string> tell(const std::string& sentence);
  std::optional<std::string> demand(const std::string& begins) const;

 private:
  struct Fact {
    std::uint32_t happened = 0;
    std::uint32_t told = 0;
  };
  std::map<std::string, Fact> facts_;
};

}  // namespace gondwana::simulation
