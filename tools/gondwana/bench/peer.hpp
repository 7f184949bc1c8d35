// Another OpenSHMEM library to compare with: its compiler and launcher, and our measuring program
// built for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace gondwana::bench {

struct PeerCommands {
  std::string compiler;  // empty: there is no peer
  std::string launcher;
};

// "oshcc=/usr/bin/oshcc,oshrun=/usr/bin/oshrun"
Result<PeerCommands> parse_peer(std::string_view text);

// The measuring program in a folder of its own below TMPDIR, which goes with this object.
class PeerProgram {
 public:
  // `sources`: the folder that has user/NAME.c
  static Result<PeerProgram> build(const PeerCommands& commands, const std::string& sources,
                                   std::string_view name);
  PeerProgram(PeerProgram&& other) noexcept;
  PeerProgram& operator=(PeerProgram&&) = delete;
  PeerProgram(const PeerProgram&) = delete;
  PeerProgram& operator=(const PeerProgram&) = delete;
  ~PeerProgram();

  // The first words of the command that runs it.
  std::vector<std::string> job(std::uint32_t ranks) const;

 private:
  PeerProgram(std::string folder, std::string launcher, std::string_view name);
  std::string path() const;

  std::string folder_;
  std::string launcher_;
  std::string name_;
};

}  // namespace gondwana::bench
