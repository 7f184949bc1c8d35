// Another OpenSHMEM library to compare with: its compiler and launcher, and our measuring programs
// built with them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "report/bench/temporary_folder.hpp"

namespace gondwana::bench {

struct PeerCommands {
  std::string compiler;  // empty: no peer
  std::string launcher;
};

// Parses "oshcc=/usr/bin/oshcc,oshrun=/usr/bin/oshrun".
Result<PeerCommands> parse_peer(std::string_view text);

// Our measuring programs built for the peer. Each is built on first use, in a folder that this
// object owns.
class PeerPrograms {
 public:
  // `sources` is the folder that contains user/NAME.c.
  static Result<PeerPrograms> prepare(const PeerCommands& commands, std::string sources);

  // The launcher's version text: "oshrun (OpenRTE) 4.1.4".
  const std::string& name() const { return name_; }
  // The path of a program.
  Result<std::string> program(std::string_view name) const;
  // The command line that runs a program on `hosts`, in Open MPI's notation, or on this machine if
  // that is empty.
  std::vector<std::string> job(const std::string& program, std::uint32_t ranks,
                               const std::string& hosts) const;

 private:
  PeerPrograms(PeerCommands commands, std::string sources, std::string name, TemporaryFolder folder)
      : commands_(std::move(commands)),
        sources_(std::move(sources)),
        name_(std::move(name)),
        folder_(std::move(folder)) {}

  PeerCommands commands_;
  std::string sources_;
  std::string name_;
  TemporaryFolder folder_;
};

}  // namespace gondwana::bench
