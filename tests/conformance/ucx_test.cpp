// UCX over the transports that UCX_TLS names. Over TCP it checks no key.
#include "conformance/endpoint_suite.hpp"
#include "network/networks.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

Result<std::unique_ptr<network::Endpoint>> open(const network::Receives& receives) {
  static const bool is_here = has_network("ucx");
  if (!is_here) return Error{Errc::missing, "no UCX here"};
  return network::open_endpoint(loopback_network("ucx"), receives);
}

INSTANTIATE_TEST_SUITE_P(Ucx, EndpointSuite, testing::Values(Candidate{"ucx", open, false}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace gondwana::test
