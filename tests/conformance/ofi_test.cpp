// libfabric, configured as the agents of tests use it.
#include "conformance/endpoint_suite.hpp"
#include "network/networks.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

Result<std::unique_ptr<network::Endpoint>> open(const network::Receives& receives) {
  static const bool is_here = has_network("ofi");
  if (!is_here) return Error{Errc::missing, "no libfabric here"};
  return network::open_endpoint(loopback_network("ofi"), receives);
}

INSTANTIATE_TEST_SUITE_P(Ofi, EndpointSuite, testing::Values(Candidate{"ofi", open}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace gondwana::test
