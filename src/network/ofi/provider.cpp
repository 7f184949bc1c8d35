#include "network/ofi/provider.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace gondwana::ofi {
namespace {

// In descending order of preference, hardware before sockets. Of the providers over sockets, only
// rxm over tcp reports a lost peer at once.
constexpr std::array preferred{"cxi", "efa", "psm3", "opx", "verbs;ofi_rxm", "tcp;ofi_rxm"};

// The requirements of providers on registered memory: those that we meet, and the names of the
// others.
constexpr int known_modes = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
constexpr std::array<std::pair<int, const char*>, 5> other_modes{{
    {FI_MR_RAW, "FI_MR_RAW"},
    {FI_MR_MMU_NOTIFY, "FI_MR_MMU_NOTIFY"},
    {FI_MR_RMA_EVENT, "FI_MR_RMA_EVENT"},
    {FI_MR_HMEM, "FI_MR_HMEM"},
    {FI_MR_COLLECTIVE, "FI_MR_COLLECTIVE"},
}};
constexpr int every_mode =
    std::accumulate(other_modes.begin(), other_modes.end(), known_modes | FI_MR_LOCAL,
                    [](int all, auto& mode) { return all | mode.first; });

// Higher is better; 0: unusable. A provider without IP addresses has only one network.
int fitness(const fi_info& info, const Settings& settings) {
  const std::optional<std::uint32_t> address = ipv4_of(info);
  if (settings.subnet) return address && settings.subnet->contains(*address) ? 1 : 0;
  if (!address) return info.addr_format == FI_SOCKADDR_IN6 ? 0 : 2;
  return network::Subnet{*address, ~0U}.is_loopback() ? 1 : 2;
}

const fi_info* best_of(const fi_info* found, const Settings& settings) {
  const fi_info* best = nullptr;
  int best_fitness = 0;
  for (; found != nullptr; found = found->next) {
    const int own = fitness(*found, settings);
    if (own <= best_fitness) continue;
    best = found;
    best_fitness = own;
  }
  return best;
}

void ask_for(fi_info& hints, const char* provider, int memory_modes) {
  hints.caps = FI_MSG | FI_RMA | FI_MULTI_RECV;
  hints.mode = FI_CONTEXT | FI_CONTEXT2;
  hints.ep_attr->type = FI_EP_RDM;
  hints.domain_attr->mr_mode = memory_modes;
  hints.domain_attr->threading = FI_THREAD_DOMAIN;
  hints.domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints.domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints.domain_attr->av_type = FI_AV_TABLE;
  hints.domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints.tx_attr->msg_order = FI_ORDER_SAS;
  hints.rx_attr->msg_order = FI_ORDER_SAS;
  hints.fabric_attr->prov_name = ::strdup(provider);  // freed with the hints
}

// Null if the provider is absent or requires more of memory than `memory_modes`.
Info offered(const Library& library, const std::string& provider, const Settings& settings,
             int memory_modes) {
  const Info hints(library.dupinfo(nullptr));
  if (!hints) return nullptr;
  ask_for(*hints, provider.c_str(), memory_modes);
  fi_info* found = nullptr;
  if (library.getinfo(api_version, nullptr, nullptr, 0, hints.get(), &found) != 0) return nullptr;
  const Info list(found);
  const fi_info* best = best_of(found, settings);
  return Info(best == nullptr ? nullptr : library.dupinfo(best));
}

// The requirements, not met by us, of the provider that the user named.
std::string demands_of(const Library& library, const Settings& settings) {
  std::vector<const char*> names;
  if (settings.provider.empty()) return "";
  if (const Info info = offered(library, settings.provider, settings, every_mode)) {
    for (const auto& [mode, name] : other_modes)
      if ((info->domain_attr->mr_mode & mode) != 0) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

Info first_offered(const Library& library, const Settings& settings) {
  std::vector<std::string> wanted{settings.provider};
  if (settings.provider.empty()) wanted.assign(preferred.begin(), preferred.end());
  for (const std::string& provider : wanted) {
    for (const int modes : {known_modes, known_modes | FI_MR_LOCAL})
      if (Info info = offered(library, provider, settings, modes)) return info;
  }
  return nullptr;
}

// Empty unless the network is the reason. If all nodes are this machine, the launcher or the first
// rank has chosen the network, not the user.
std::string describe_network(const Library& library, const Settings& settings) {
  Settings anywhere = settings;
  anywhere.subnet.reset();
  if (!settings.subnet || !first_offered(library, anywhere)) return "";
  if (settings.subnet->is_loopback()) return " with an address of this machine alone (127.0.0.0/8)";
  return " with an address in the network that GONDWANA_NETWORK names";
}

Error refusal(const Library& library, const Settings& settings) {
  const std::string& provider = settings.provider;
  if (const std::string demands = demands_of(library, settings); !demands.empty()) {
    return {Errc::missing,
            fmt::format("libfabric provider {} requires {} for registered memory, which Gondwana "
                        "does not support; set GONDWANA_PROVIDER to another one",
                        provider, demands)};
  }
  return {Errc::missing, fmt::format("libfabric offers no {}{} that can carry a job; `fi_info` "
                                     "lists the providers, GONDWANA_PROVIDER selects one",
                                     provider.empty() ? "provider" : "provider " + provider,
                                     describe_network(library, settings))};
}

}  // namespace

void FreeInfo::operator()(fi_info* info) const {
  if (const Result<const Library*> library = load_library(); library) (*library)->freeinfo(info);
}

Result<Info> choose_provider(const Library& library, const Settings& settings) {
  if (Info info = first_offered(library, settings)) return info;
  return refusal(library, settings);
}

std::optional<std::uint32_t> ipv4_of(const fi_info& info) {
  if (info.src_addr == nullptr || info.src_addrlen < sizeof(sockaddr_in)) return std::nullopt;
  sockaddr_in address{};
  std::memcpy(&address, info.src_addr, sizeof(address));
  if (address.sin_family != AF_INET) return std::nullopt;
  return ntohl(address.sin_addr.s_addr);
}

}  // namespace gondwana::ofi
