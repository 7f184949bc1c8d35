// The peers that the user has chosen, and the subjects that each can be compared with.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "report/bench/peer.hpp"
#include "report/bench/subject.hpp"

namespace gondwana::bench {

struct Peers {
  std::vector<Peer> given;  // --peer
  std::vector<Peer> found;  // --peers
};

Result<Peers> choose_peers(const std::vector<std::string>& given, bool with_found,
                           const std::string& hosts);

// `is_alone`: a given peer that lacks this subject or door is an error; with several subjects it is
// left out. Peers that were found are always left out then.
Result<std::vector<Peer>> peers_for(const Choices& choices, const Peers& peers, bool is_alone);

}  // namespace gondwana::bench
