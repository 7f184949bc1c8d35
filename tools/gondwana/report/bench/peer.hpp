// Other libraries to compare with: how each compiles our measuring programs, and starts them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"
#include "report/bench/door.hpp"
#include "report/bench/temporary_folder.hpp"

namespace gondwana::bench {

struct Peer {
  std::string key;                         // names its columns: "mpich-rma"
  Door door = Door::shmem;                 // the door that it is compared with
  std::string definition = {};             // "-DDOOR_MPI": the calls it has instead of the door's
  std::vector<std::string> programs = {};  // those it has; empty: all of the door
  std::vector<std::string> compiler = {};  // {} stands for options and files
  std::vector<std::string> launcher = {};  // {} stands for the number of ranks
  std::string hosts_option = {};           // takes "a:1,b:1"; empty: one host only
  std::vector<std::string> version_words = {};  // a command that prints its name and version first

  bool has_program(std::string_view program) const;
};

// Parses the words of --peer: "oshcc=/usr/bin/oshcc,oshrun=/usr/bin/oshrun", "sos=DIR" or
// "gasnet=DIR".
Result<Peer> parse_peer(std::string_view text);

// The program of a peer and its version: "oshrun (OpenRTE) 4.1.4".
std::string name_of(const Peer& peer);

// Our measuring programs built for peers. Each is built on first use, in a folder that this object
// owns.
class PeerPrograms {
 public:
  // `sources` is the folder that contains user/NAME.c.
  static Result<PeerPrograms> prepare(std::string sources);

  // The path of a program.
  Result<std::string> program(const Peer& peer, std::string_view name) const;

 private:
  PeerPrograms(std::string sources, TemporaryFolder folder)
      : sources_(std::move(sources)), folder_(std::move(folder)) {}

  std::string sources_;
  TemporaryFolder folder_;
};

// The command line that runs a program on `hosts`, in Open MPI's notation, or on this machine if
// that is empty.
std::vector<std::string> job_of(const Peer& peer, const std::string& program, std::uint32_t ranks,
                                const std::string& hosts);

}  // namespace gondwana::bench
