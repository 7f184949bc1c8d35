// The process that connects to another host: ssh, srun in an allocation, or our own command if the
// host is this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "link/host.hpp"

namespace gondwana::link {

// True for "localhost" and for this host's own names: ssh is not needed.
bool is_this_host(const std::string& name);

// The command line that runs gondwana with `words` on that host; no shell changes the words.
std::vector<std::string> remote_command(const Host& host, std::uint32_t peer_timeout_s,
                                        const std::vector<std::string>& words);

// The command line that runs the words in a terminal, which the remote command also gets. Not
// available with srun.
std::vector<std::string> remote_terminal_command(const Host& host,
                                                 const std::vector<std::string>& words);

// The timeout for the first message of the other host after that process has started. A login may
// take longer than a reply. The connect timeout of ssh is shorter, so that ssh itself reports why
// it cannot connect.
std::uint32_t start_limit_s(std::uint32_t peer_timeout_s);

// The name of that process in messages: "ssh", "srun", "its launcher".
const char* transport_name(const Host& host);

// The exit status of ssh if it cannot connect; leads_by_ssh() tells whether ssh is used.
inline constexpr int ssh_cannot_connect = 255;
bool leads_by_ssh(const Host& host);

// Joins what the process has printed on standard error into one line.
std::string one_line(std::string text);

}  // namespace gondwana::link
