// The process that leads to another host: ssh, srun in an allocation, or our own command where the
// host is this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "link/host.hpp"

namespace gondwana::link {

// "localhost", or as this host calls itself: reached without ssh.
bool is_this_host(const std::string& name);

// What is started so that the command gondwana runs there with `words`, which no shell changes.
std::vector<std::string> words_to_reach(const Host& host, std::uint32_t peer_timeout_s,
                                        const std::vector<std::string>& words);

// Likewise, in a terminal, which the command has there too. Not by srun.
std::vector<std::string> words_to_reach_with_terminal(const Host& host,
                                                      const std::vector<std::string>& words);

// How long it may take from the start of that process to the first word of the other host. To let
// us in may take a host longer than to answer; and ssh, which has less, says itself why it cannot
// connect.
std::uint32_t start_limit_s(std::uint32_t peer_timeout_s);

// The process in sentences: "ssh", "srun", "its launcher".
const char* name_of_way(const Host& host);

// The exit status of ssh where it cannot connect, if it is ssh.
inline constexpr int ssh_cannot_connect = 255;
bool leads_by_ssh(const Host& host);

// What the process has said on its standard error.
std::string one_line(std::string text);

}  // namespace gondwana::link
