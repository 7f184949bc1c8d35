#include "link/host_list.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gondwana::link {
namespace {

// "a:4 b:1", or the error message.
std::string tell(const Result<std::vector<Host>>& hosts) {
  if (!hosts) return hosts.error().text;
  std::string text;
  for (const Host& host : *hosts)
    text += (text.empty() ? "" : " ") + host.name + ":" + std::to_string(host.slots);
  return text;
}

TEST(host_list, names_come_with_their_slots_or_one) {
  EXPECT_EQ(tell(parse_hosts("a:4,b,user@c.d:2")), "a:4 b:1 user@c.d:2");
  EXPECT_EQ(tell(parse_hosts("a:2,a:2")), "a:2 a:2");
}

TEST(host_list, addresses_with_colons_stand_in_brackets) {
  EXPECT_EQ(tell(parse_hosts("[fe80::1]:4,[::1]")), "fe80::1:4 ::1:1");
  EXPECT_EQ(tell(parse_hosts("fe80::1")),
            "--hosts: host fe80::1: write an IPv6 address in brackets, [::1]:4");
  EXPECT_EQ(tell(parse_hosts("[fe80::1")), "--hosts: host [fe80::1: \"]\" is missing");
}

TEST(host_list, names_that_ssh_would_take_for_options_are_refused) {
  EXPECT_EQ(tell(parse_hosts("a,-b:1")), "--hosts: host -b: a name cannot begin with \"-\"");
  EXPECT_EQ(tell(parse_hosts("[-b]:1")), "--hosts: host -b: a name cannot begin with \"-\"");
  EXPECT_EQ(tell(parse_host_file("-oProxyCommand=x slots=1", "hosts")),
            "hosts, line 1: host -oProxyCommand=x: a name cannot begin with \"-\"");
}

TEST(host_list, what_is_no_name_or_no_number_is_refused) {
  EXPECT_FALSE(parse_hosts(""));
  EXPECT_FALSE(parse_hosts("a,"));
  EXPECT_FALSE(parse_hosts("a b"));
  EXPECT_FALSE(parse_hosts("a:"));
  EXPECT_FALSE(parse_hosts("a:-1"));
  EXPECT_FALSE(parse_hosts("a:9999999999"));
  EXPECT_FALSE(parse_hosts("[a]b"));
  EXPECT_FALSE(parse_hosts(std::string_view("a\0b", 3)));
}

TEST(host_list, lines_of_a_file_name_hosts) {
  EXPECT_EQ(tell(parse_host_file("# all\n  a slots=4 # big\n\nb:2\r\n\tc\n[::1] slots=3", "hosts")),
            "a:4 b:2 c:1 ::1:3");
}

TEST(host_list, files_of_the_mpi_operator_are_understood) {
  EXPECT_EQ(tell(parse_host_file("pi-worker-0.pi.default.svc slots=2\n", "hosts")),
            "pi-worker-0.pi.default.svc:2");
  EXPECT_EQ(tell(parse_host_file("pi-worker-0.pi.default.svc:2\n", "hosts")),
            "pi-worker-0.pi.default.svc:2");
}

TEST(host_list, a_wrong_line_is_told_by_its_number) {
  EXPECT_EQ(tell(parse_host_file("a\n\nb 4\n", "f")),
            "f, line 3: 4: expected slots=NUMBER and nothing else");
  EXPECT_EQ(tell(parse_host_file("a slots=2 slots=3", "f")),
            "f, line 1: slots=2: expected slots=NUMBER and nothing else");
  EXPECT_EQ(tell(parse_host_file("a:2 slots=2", "f")),
            "f, line 1: host a:2: its ranks are given twice");
  EXPECT_EQ(tell(parse_host_file("# nobody\n", "f")), "f: it names no host");
}

}  // namespace
}  // namespace gondwana::link
