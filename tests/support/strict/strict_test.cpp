// The provider for tests detects violations: each test makes one, in its own process. All other
// tests show what it allows.
#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int every_mode =
    FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
constexpr std::uint64_t key = 7;

// The operation must succeed.
void expect_done(int outcome, const char* what) {
  if (outcome == 0) return;
  std::fprintf(stderr, "%s: %s\n", what, fi_strerror(-outcome));
  std::exit(1);
}

// An endpoint of a provider with the named demands, and memory. Nothing is ever closed.
struct Strict {
  explicit Strict(const char* modes) {
    ::setenv("FI_PROVIDER_PATH", STRICT_FOLDER, 1);
    ::setenv("FI_STRICT_MR", modes, 1);
    fi_info* hints = fi_allocinfo();
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG | FI_RMA | FI_MULTI_RECV;
    hints->domain_attr->mr_mode = every_mode;
    hints->fabric_attr->prov_name = ::strdup("strict");
    fi_info* info = nullptr;
    expect_done(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints, &info), "provider");
    expect_done(fi_fabric(info->fabric_attr, &fabric, nullptr), "fabric");
    expect_done(fi_domain(fabric, info, &domain, nullptr), "domain");
    fi_cq_attr queue_attributes{};
    queue_attributes.format = FI_CQ_FORMAT_DATA;
    expect_done(fi_cq_open(domain, &queue_attributes, &queue, nullptr), "queue");
    fi_av_attr peers_attributes{};
    expect_done(fi_av_open(domain, &peers_attributes, &peers, nullptr), "peers");
    expect_done(fi_endpoint(domain, info, &endpoint, nullptr), "endpoint");
    expect_done(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "bind queue");
    expect_done(fi_ep_bind(endpoint, &peers->fid, 0), "bind peers");
    expect_done(fi_enable(endpoint), "enable");
  }

  fid_mr* register_memory(std::uint64_t access, std::size_t size = 4096) {
    fid_mr* region = nullptr;
    expect_done(fi_mr_reg(domain, memory.data(), size, access, 0, key, 0, &region, nullptr),
                "memory");
    return region;
  }
  void send(void* descriptor) {
    fi_send(endpoint, memory.data(), memory.size(), descriptor, 0, &context);
  }
  // A multi-receive buffer.
  void receive(void* descriptor) {
    const iovec room{memory.data(), memory.size()};
    fi_msg message{};
    message.msg_iov = &room;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = FI_ADDR_UNSPEC;
    message.context = &context;
    expect_done(static_cast<int>(fi_recvmsg(endpoint, &message, FI_MULTI_RECV)), "receive");
  }

  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_cq* queue = nullptr;
  fid_av* peers = nullptr;
  fid_ep* endpoint = nullptr;
  fi_context2 context{};
  std::array<std::byte, 4096> memory{};
};

TEST(Strict, memory_of_an_operation_has_a_descriptor) {
  EXPECT_DEATH(Strict("local").send(nullptr), "a send of 4096 B at .* has no descriptor");
}

TEST(Strict, a_descriptor_ends_with_its_registration) {
  EXPECT_DEATH(
      {
        Strict strict("local");
        fid_mr* region = strict.register_memory(FI_SEND);
        void* descriptor = fi_mr_desc(region);
        fi_close(&region->fid);
        strict.send(descriptor);
      },
      "a send of 4096 B at .* has no descriptor of a registration that lives");
}

TEST(Strict, a_descriptor_is_of_all_of_the_memory) {
  EXPECT_DEATH(
      {
        Strict strict("local");
        strict.send(fi_mr_desc(strict.register_memory(FI_SEND, 4095)));
      },
      "a send of 4096 B at .* has a descriptor of 4095 B at");
}

TEST(Strict, a_descriptor_is_of_the_access_that_is_made) {
  EXPECT_DEATH(
      {
        Strict strict("local");
        strict.receive(fi_mr_desc(strict.register_memory(FI_SEND)));
      },
      "a receive at .* has a descriptor without that access");
}

TEST(Strict, a_registration_lives_until_the_operation_is_done) {
  EXPECT_DEATH(
      {
        Strict strict("local");
        fid_mr* region = strict.register_memory(FI_RECV);
        strict.receive(fi_mr_desc(region));
        fi_close(&region->fid);
      },
      "the registration of .* is closed while a receive uses it");
}

TEST(Strict, memory_is_bound_before_it_is_enabled) {
  EXPECT_DEATH(fi_mr_enable(Strict("endpoint").register_memory(FI_REMOTE_READ)),
               "is enabled before it is bound to an endpoint");
}

TEST(Strict, memory_that_is_bound_is_of_use_when_it_is_enabled) {
  EXPECT_DEATH(
      {
        Strict strict("local,endpoint");
        fid_mr* region = strict.register_memory(FI_SEND);
        fi_mr_bind(region, &strict.endpoint->fid, 0);
        strict.send(fi_mr_desc(region));
      },
      "has no descriptor of a registration that lives");
}

TEST(Strict, memory_is_there_when_it_is_registered) {
  EXPECT_DEATH(
      {
        const Strict strict("allocated");
        const auto size = static_cast<std::size_t>(::getpagesize());
        void* two = ::mmap(nullptr, 2 * size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ::munmap(static_cast<std::byte*>(two) + size, size);
        fid_mr* region = nullptr;
        fi_mr_reg(strict.domain, two, 2 * size, FI_SEND, 0, key, 0, &region, nullptr);
      },
      "is registered, but nothing is mapped at");
}

TEST(Strict, addresses_of_peers_lie_in_their_regions) {
  EXPECT_DEATH(
      {
        Strict strict("virt_addr,prov_key");
        fid_mr* region = strict.register_memory(FI_REMOTE_READ);
        fi_read(strict.endpoint, strict.memory.data(), 8, nullptr, 0, 0, fi_mr_key(region),
                &strict.context);
      },
      "remote address 0 lies before its region");
}

TEST(Strict, keys_are_its_own_where_it_says_so) {
  EXPECT_EXIT(
      {
        Strict strict("prov_key");
        std::_Exit(fi_mr_key(strict.register_memory(FI_REMOTE_READ)) == key ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Strict, a_domain_is_closed_behind_its_registrations) {
  EXPECT_DEATH(
      {
        Strict strict("local");
        strict.register_memory(FI_SEND);
        fi_close(&strict.domain->fid);
      },
      "a domain is closed before the registration of");
}

}  // namespace
