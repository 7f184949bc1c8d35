// The state of a NodeAgent: its endpoint, the memory that it serves, and its clients. agent.cpp has
// the main loop and watches nodes; requests.cpp executes requests; answers.cpp sends answers;
// passed_messages.cpp passes messages on to ranks; carries.cpp carries messages; left_batches.cpp
// sends batches that ranks leave open; ask_nodes.cpp finds that the job cannot go on.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/function_ref.hpp"
#include "core/unique_fd.hpp"
#include "memory/file_windows.hpp"
#include "network/endpoint.hpp"
#include "remote/agent/agent.hpp"
#include "remote/agent/inquiry.hpp"
#include "remote/agent/space_requests.hpp"
#include "remote/in_order.hpp"
#include "remote/protocol.hpp"
#include "sync/doorbell.hpp"
#include "sync/record_ring.hpp"

namespace gondwana {

class NodeAgent::Implementation {
 public:
  static Result<std::unique_ptr<Implementation>> open(const Setup& setup);

  const NodeContact& contact() const { return contact_; }
  void serve(int control);
  Dropped dropped() const {
    return {endpoint_->refused(), dropped_.repeated, dropped_.misdirected};
  }

 private:
  using Peer = network::Peer;
  using Control = remote::Control;
  using ReceivedBatch = remote::ReceivedBatch;
  using ReceivedRequest = remote::ReceivedRequest;
  using Reply = remote::Reply;
  using Request = remote::Request;
  using Row = remote::Row;

  // A word, or pieces of memory that are packed once there is room to send them.
  struct Part {
    Space at{Rank(0)};
    Row row = {};  // count 0: a word
    remote::ResultWord word = 0;

    std::size_t size() const { return row.count == 0 ? sizeof(word) : row.bytes(); }
  };
  struct Answer {
    Reply reply;
    std::vector<Part> parts = {};
  };
  // A message in flight to a process, by its number.
  struct SendBuffer : network::Operation {
    std::uint32_t to = 0;
    std::size_t size = 0;
    bool is_carried = false;       // for a rank of this node
    BatchSlot* slot = nullptr;     // its bytes leave, and it is emptied then
    std::vector<std::byte> bytes;  // without a slot; keeps its capacity

    Bytes message() const {
      return slot != nullptr ? Bytes(slot->bytes).first(size) : Bytes(bytes).first(size);
    }
  };
  // The rest of a batch whose next request is an accumulate that waits for a lock.
  struct Stalled {
    remote::Batch batch;
    std::vector<std::byte> requests;
    std::size_t added;  // bytes of that request
    std::vector<Part> results;
  };
  // A process that sends batches, or a rank of this node. `done`: its last executed batch.
  struct Client {
    Peer peer = network::no_peer;
    std::uint32_t incarnation = 0;
    std::uint32_t done = 0;
    bool owed = false;  // an answer is due
    remote::InOrder order;
    std::optional<Stalled> stalled = {};       // batches after it wait
    std::list<Answer> answers;                 // takes no memory while empty
    std::list<std::vector<std::byte>> passed;  // batches of messages that wait
    std::size_t leaving = 0;                   // bytes that have not left
  };
  // A written range of a rank's arena.
  struct Written {
    Rank rank;
    std::uint64_t offset;
    std::size_t size;
  };
  // A rank of this node whose messages the agent carries.
  struct Carried {
    RecordReader from_rank;
    RecordWriter to_rank;
    Doorbell<RealAtomics>& bell;
    std::deque<std::vector<std::byte>> waiting = {};  // packets that wait for room
    bool has_news = false;
  };
  // Another node that a rank of this node talks to. It must answer from time to time.
  struct Watched {
    Peer peer = network::no_peer;
    bool has_answered = false;
    std::uint64_t heard_ns = 0;
    std::uint32_t beats = 0;
  };

  explicit Implementation(const Setup& setup)
      : memory_(setup.memory),
        kinds_(setup.kinds ? setup.kinds : std::make_shared<Kinds>()),
        spaces_(*memory_, *kinds_),
        files_(*memory_),
        tag_(setup.job_tag),
        may_spin_(setup.may_spin),
        peer_timeout_ns_(std::uint64_t{setup.peer_timeout_s} * 1'000'000'000),
        on_shortened_file_(setup.on_shortened_file),
        inquiry_(setup.memory->roster().node(), setup.memory->roster().nodes(), peer_timeout_ns_) {
    seen_batches_.resize(setup.memory->roster().slots());
    if (setup.carries) carry_from_now();
  }

  Result<void> open_endpoint(const network::Settings& settings);
  NodeContact make_contact() const;
  bool yields_until(FunctionRef<bool()> done) const;
  bool step();
  void show_load() const;  // to tools
  bool network_stirs() const;
  void wait();
  void on_message(Bytes bytes);
  void on_packet(std::uint32_t to, Bytes packet);
  void on_control(const remote::ReceivedControl& received);
  void meet(const remote::ReceivedControl& hello);
  void take_turn(const ReceivedBatch& received, Bytes bytes);
  void execute_kept(Client& client);
  void execute(const ReceivedBatch& received, std::size_t added = 0);
  bool execute(const ReceivedRequest& received, std::size_t& added);
  Result<bool> execute_on_device(const ReceivedRequest& received, std::size_t& added);
  void refuse(const remote::Batch& batch, const std::string& why);
  void store(const Request& request, Bytes bytes);
  void put_packed(const ReceivedRequest& received);
  void get_packed(const ReceivedRequest& received);
  bool accumulate(const ReceivedRequest& received, std::size_t& added);
  void stall(const remote::Batch& batch, Bytes requests, std::size_t added);
  void resume_stalled();
  void resume(std::uint32_t from);
  void update(const ReceivedRequest& received);
  void pass_messages(const ReceivedBatch& received, Bytes bytes);
  void send_passed();
  bool send_passed_to(std::uint32_t rank);
  void tell_undelivered(std::uint32_t rank, const std::string& why);
  Result<Posted> pass_to(std::uint32_t rank, Bytes batch);
  Result<Posted> meet_rank(std::uint32_t rank);
  void owe(std::uint32_t from, std::uint32_t number);
  void note_written(Rank rank, std::uint64_t offset, std::size_t size);
  void note_written(Rank rank, const Row& row);
  void answer(std::uint32_t from, Answer answer);
  void send_answers();
  bool send_answers_to(std::uint32_t number);
  Result<Posted> send_results(std::uint32_t number, const Answer& answer);
  void pack(const Answer& answer, std::byte* message);
  bool has_room(const Client& client, std::size_t size) const;
  bool is_stuck(std::uint32_t number) const;
  bool has_answers() const;
  SendBuffer& take_buffer(std::uint32_t to, std::size_t size, BatchSlot* slot = nullptr);
  Result<Posted> send(Peer peer, SendBuffer& buffer);
  void has_left(SendBuffer& buffer);
  void has_failed(const network::Operation* operation, const std::string& why);
  void carry_from_now();
  void listen_to_ranks();
  bool carry();
  bool pass_on(std::uint32_t rank, const RecordReader::Record& message);
  Result<Peer> peer_of(std::uint32_t node);
  Result<Posted> send_on(std::uint32_t node, Bytes message, BatchSlot* slot = nullptr);
  void deliver(Rank to, Bytes packet);
  static bool hand_over(Carried& rank, Bytes packet);
  static void deliver_waiting(Carried& rank);
  bool has_to_carry() const;
  void follow_files();
  void follow_file(Rank rank, std::size_t number);
  void look_at_files();
  int longest_sleep_beside_ranks();
  void look_at_batches();
  bool look_at_each_batch();
  bool send_taken_batches();
  void look_at_batch(Rank rank, std::size_t number);
  bool send_batch(BatchSlot& slot);
  bool has_open_batch() const;
  std::chrono::nanoseconds longest_sleep_beside_batches() const;
  void ring();
  void watch_nodes();
  bool all_have_answered() const;
  void greet(std::uint32_t node, Watched& watched);
  void introduce(std::uint32_t node, Peer peer);
  void lose(std::uint32_t node, NodeState how);
  void look_at_ranks();
  void look_for_lost_ranks();
  remote::NodeReport report_of_own() const;
  void begin_round();
  void go_on_asking();
  bool ask(std::uint32_t node);
  void answer_ask(const Control& ask);
  void hear_report(const Control& control, Bytes text);
  void send_alarms();
  bool tell(std::uint32_t node, Control control, const std::string& text);
  void tell_farewell();
  void declare_over(const std::string& why);
  std::byte* place_of(const Request& request) const {
    return memory_->window(request.target().rank) + request.offset;
  }

  std::shared_ptr<NodeMemory> memory_;
  std::shared_ptr<Kinds> kinds_;
  remote::SpaceRequests spaces_;
  FileWindows files_;
  std::uint32_t files_asked_ = 0;
  std::uint64_t tag_;
  bool may_spin_;
  std::uint64_t peer_timeout_ns_;  // 0: no limit
  std::uint64_t next_watch_ns_ = 0;
  std::function<void(Rank)> on_shortened_file_;
  std::uint64_t next_file_look_ns_ = 0;
  std::optional<Rank> shortened_;             // at the last look
  std::map<std::uint32_t, Watched> watched_;  // by node
  std::uint64_t next_look_ns_ = 0;            // at the ranks of the node
  remote::Inquiry inquiry_;
  std::string alarm_;                    // why the job is over
  std::vector<std::uint32_t> to_alarm_;  // nodes that must still get it
  NodeContact contact_;
  // By number: of a rank, or agent_number(). They have sent requests or get carried messages.
  std::unordered_map<std::uint32_t, Client> clients_;
  std::vector<Carried> carried_;          // by rank of the node; empty if ranks have endpoints
  std::map<std::uint32_t, Peer> others_;  // agents, by node
  // By rank of the node: the last generation of each of its slots that was open at a look.
  std::vector<std::array<std::uint64_t, BatchPlace::count>> seen_batches_;
  std::vector<BatchSlot*> taken_batches_;  // they wait for the network
  std::uint64_t next_batch_look_ns_ = 0;
  std::uint64_t last_open_batch_ns_ = 0;
  bool is_blocked_ = false;   // a message to carry waits for the network
  std::size_t carrying_ = 0;  // carried buffers in flight
  std::vector<std::uint32_t> owed_;
  std::vector<Part> results_;             // of the batch that is executed
  std::vector<Written> written_;          // wakes the ranks that sleep on it
  std::vector<std::uint32_t> to_answer_;  // processes whose answers wait
  std::vector<std::uint32_t> stalled_;    // ranks with a stalled batch
  std::vector<std::uint32_t> to_pass_;    // ranks of this node whose messages wait
  std::deque<SendBuffer> buffers_;        // must not move
  std::vector<SendBuffer*> free_buffers_;
  std::size_t leaving_ = 0;          // bytes of buffers in flight
  std::vector<std::byte> injected_;  // room for one message
  Dropped dropped_;                  // except what the endpoint has refused
  UniqueFd sleeper_;                 // an epoll of all events that end a sleep
  // Last, so that they are closed before the memory that they send from.
  std::unique_ptr<network::Endpoint> endpoint_;
  std::unique_ptr<network::Registration> registration_;
};

}  // namespace gondwana
