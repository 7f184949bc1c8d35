// What is behind Ofi: the endpoint of a rank, the agents of other nodes and the ranks there, and
// what is under way to them.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/ofi/endpoint.hpp"
#include "transport/ofi/mail_room.hpp"
#include "transport/ofi/message.hpp"
#include "transport/ofi/ofi.hpp"

namespace gondwana {

class Ofi::Implementation {
 public:
  static Result<std::unique_ptr<Implementation>> open(const Setup& setup);

  Limits limits() const {
    return {.largest_message = endpoint_->largest_message(),
            .single_store = true,
            .atomics = true,
            .copies_up_to = eager_limit_,
            .packs_up_to = packed_limit,
            .longest_mail = ofi::longest_mail};
  }
  Result<Posted> put(Remote to, Bytes source, Completion& done);
  Result<Posted> get(MutableBytes target, Remote from, Completion& done);
  Result<Posted> spread(Rank to, std::span<const Pieces> pieces, Completion& done);
  Result<Posted> gather(Rank from, std::span<const Pieces> pieces, Completion& done);
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done);
  bool has_unordered() const { return writes_ > 0; }
  Result<Posted> send_mail(Rank to, Bytes head, Bytes body);
  void listen(MailReceiver receiver) { mail_.listen(std::move(receiver)); }
  bool progress();
  bool departed() const;
  void sleep(std::chrono::microseconds limit);
  const Error* lost() const { return lost_ ? &*lost_ : nullptr; }
  std::uint64_t refused() const { return refused_; }

 private:
  // Bytes of one spread or gather.
  static constexpr std::size_t packed_limit = ofi::longest_write;

  // A request under way.
  struct Unanswered {
    Completion* done;
    std::byte* word = nullptr;        // where the answer's goes; null: nobody wants it
    std::size_t size = 0;             // of the word
    std::vector<Pieces> pieces = {};  // where its bytes go; none once they have come
  };
  // Somebody whom messages go to.
  struct Line {
    std::uint32_t node;
    ofi::Peer peer = FI_ADDR_UNSPEC;
    bool may_inject = false;
    Completion leaving;  // messages that are not injected
  };
  // The agent of another node, once it was talked to.
  struct Link : Line {
    bool introduced = false;
    std::uint32_t sent = 0;      // the number of the last request
    std::uint32_t answered = 0;  // the last before those that are unanswered
    std::size_t executed = 0;    // of the unanswered; some wait for their bytes
    std::deque<Unanswered> unanswered;
  };
  // Another rank, once mail was to go there. Its address is on a card in its arena, which is
  // fetched again where nothing is written on it yet, and once more where something is: what was
  // written before the size was seen is there whole.
  struct Pair : Line {
    enum class State : std::uint8_t { unknown, asked, known };
    struct Card {
      std::uint64_t size = 0;
      std::array<std::byte, NodeCard::longest_address> address;
    };
    State state = State::unknown;
    Card card;
    Completion fetching;
    bool is_written = false;
    std::uint64_t ask_ns = 0;  // not before
    std::uint32_t sent = 0;    // the number of the last mail
  };
  // A put, a get or a message under way. The context comes first: libfabric gives it back.
  struct Operation {
    ofi::Context context;
    Completion* done;
    std::uint32_t node;
    bool is_write = false;
    std::vector<std::byte> message;  // keeps its room
    std::size_t size = 0;            // of the message
  };
  enum class Direction : std::uint8_t { there, here };
  using Parts = std::initializer_list<Bytes>;
  using Write = FunctionRef<void(std::byte*)>;  // writes a message

  explicit Implementation(const Setup& setup)
      : memory_(setup.memory),
        me_(setup.me),
        tag_(setup.job_tag),
        eager_limit_(std::min(setup.eager_limit, ofi::longest_write)),
        links_(memory_->plan().nodes) {}

  void write_card() const;

  std::uint32_t node_of(Rank rank);
  const NodeCard& card(std::uint32_t node) const { return memory_->entry(node).card; }
  std::uint64_t place_in(std::uint32_t node, Remote place) const {
    const NodeCard& its = card(node);
    return its.arenas + (index(place.rank) - its.first) * its.stride + place.offset;
  }
  Result<Link*> link_to(std::uint32_t node);
  Result<Posted> introduce(Link& link);
  Result<Posted> request(ofi::Request request, Unanswered unanswered, Bytes behind = {});
  Result<Posted> request(ofi::Request request, Unanswered unanswered, std::size_t behind,
                         Write write_behind);
  Result<Posted> send(Line& line, Parts parts);
  Result<Posted> send(Line& line, std::size_t size, Write write);
  template <typename Post>
  Result<Posted> transfer(Direction direction, Remote place, Completion& done, const Post& post);
  Pair& pair_with(Rank rank);
  Result<Posted> find(Rank rank, Pair& pair);
  Result<Posted> ask(Rank rank, Pair& pair);
  Result<Posted> learn(Rank rank, Pair& pair);
  void receive(Bytes bytes);
  bool take_answer(const ofi::ReceivedReply& answer);
  static bool take_result(Unanswered& asked, const ofi::ReceivedReply& answer);
  void finish(ofi::Context* context);
  void fail(ofi::Context* context, const std::string& why);
  void lose(std::uint32_t node, const std::string& why);
  void look_for_losses();

  Operation& take_operation(Completion& done, std::uint32_t node);
  void give_back(Operation& operation);
  void end(Operation& operation);

  std::shared_ptr<NodeMemory> memory_;
  Rank me_;
  std::uint64_t tag_;
  std::size_t eager_limit_;                   // bytes of a put that goes as a request
  std::vector<std::uint32_t> first_of_;       // rank of each node; filled by the first operation
  std::vector<std::unique_ptr<Link>> links_;  // by node; null: never talked to
  std::map<std::uint32_t, Pair> pairs_;       // by rank; of those that mail went to
  ofi::MailRoom mail_;
  std::deque<Operation> operations_;  // they must not move
  std::vector<Operation*> free_;
  std::uint32_t writes_ = 0;         // under way
  std::size_t leaving_ = 0;          // bytes of messages that have not left
  std::vector<std::byte> injected_;  // room for one message, in one piece
  std::optional<Error> lost_;
  std::uint32_t polls_ = 0;
  std::uint64_t refused_ = 0;                // messages that are none of this job's
  std::unique_ptr<ofi::Endpoint> endpoint_;  // last, so that it is closed before what it writes to
};

}  // namespace gondwana
