// The receive buffers of an endpoint over libfabric, given to a provider that only notes them.
#include "network/ofi/receive_buffers.hpp"

#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

#include <cstddef>
#include <vector>

namespace gondwana::ofi {
namespace {

struct Given {
  void* context;
  std::byte* bytes;
  std::size_t size;
};

// Its first member is what the library calls.
struct NotingProvider {
  fid_ep endpoint{};
  fi_ops_msg calls{};
  std::vector<Given> given;  // in order
  int outcome = 0;

  NotingProvider() {
    calls.recvmsg = [](fid_ep* endpoint, const fi_msg* message, std::uint64_t /*flags*/) {
      auto& self = *reinterpret_cast<NotingProvider*>(endpoint);
      const iovec& room = *message->msg_iov;
      if (self.outcome == 0)
        self.given.push_back(
            {message->context, static_cast<std::byte*>(room.iov_base), room.iov_len});
      return static_cast<ssize_t>(self.outcome);
    };
    endpoint.msg = &calls;
  }
};

class ReceiveBuffersOf : public testing::Test {
 protected:
  ReceiveBuffersOf() {
    library_.strerror = [](int) -> const char* { return "none left"; };
  }

  static fi_cq_data_entry message(const Given& at, std::size_t offset, std::size_t size,
                                  std::uint64_t flags = FI_RECV) {
    fi_cq_data_entry entry{};
    entry.op_context = at.context;
    entry.buf = at.bytes + offset;
    entry.len = size;
    entry.flags = flags;
    return entry;
  }

  Library library_;
  NotingProvider provider_;
  ReceiveBuffers buffers_{library_, {.buffers = 2, .longest = 1000}, provider_.endpoint, nullptr};
};

TEST_F(ReceiveBuffersOf, full_one_is_given_again) {
  ASSERT_TRUE(buffers_.post_all());
  ASSERT_EQ(provider_.given.size(), 2);
  const Given first = provider_.given[0];
  buffers_.note(message(first, 0, 1000));
  EXPECT_EQ(provider_.given.size(), 2) << "there is room in it";
  buffers_.note(message(first, 1000, first.size - 1000, FI_RECV | FI_MULTI_RECV));
  ASSERT_EQ(provider_.given.size(), 3);
  EXPECT_EQ(provider_.given[2].context, first.context);
}

TEST_F(ReceiveBuffersOf, one_with_a_message_under_way_is_replaced_until_that_has_come) {
  ASSERT_TRUE(buffers_.post_all());
  const Given first = provider_.given[0];
  buffers_.note(message(first, 1000, first.size - 1000, FI_RECV | FI_MULTI_RECV));
  ASSERT_EQ(provider_.given.size(), 3);
  EXPECT_NE(provider_.given[2].context, first.context);
  buffers_.note(message(first, 0, 1000));
  const Given second = provider_.given[1];
  buffers_.note(message(second, 1000, second.size - 1000, FI_RECV | FI_MULTI_RECV));
  ASSERT_EQ(provider_.given.size(), 4);
  EXPECT_EQ(provider_.given[3].context, first.context) << "it was spare";
}

TEST_F(ReceiveBuffersOf, those_before_one_that_received_are_full) {
  ASSERT_TRUE(buffers_.post_all());
  buffers_.note(message(provider_.given[1], 0, 10));
  EXPECT_EQ(provider_.given.size(), 3);
}

TEST_F(ReceiveBuffersOf, failure_is_of_one_only_with_its_context) {
  ASSERT_TRUE(buffers_.post_all());
  fi_cq_err_entry failure{};
  EXPECT_FALSE(buffers_.note_failure(failure));
  const Given first = provider_.given[0];
  failure.op_context = first.context;
  failure.err = FI_ECANCELED;
  EXPECT_TRUE(buffers_.note_failure(failure));
  EXPECT_EQ(provider_.given.size(), 2);
  failure.err = FI_ETRUNC;
  failure.buf = first.bytes;
  failure.len = first.size + 1;
  failure.flags = FI_MULTI_RECV;
  EXPECT_TRUE(buffers_.note_failure(failure));
  EXPECT_EQ(provider_.given.size(), 3);
}

TEST_F(ReceiveBuffersOf, provider_that_takes_none_is_an_error) {
  provider_.outcome = -FI_ENOMEM;
  const Result<void> posted = buffers_.post_all();
  ASSERT_FALSE(posted);
  EXPECT_EQ(posted.error().text, "libfabric: receive: none left");
}

}  // namespace
}  // namespace gondwana::ofi
