// The front of a simulated job of several hosts: the decisions of the conductor are the real ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "run/remote/job_on_hosts.hpp"
#include "simulation/host.hpp"
#include "simulation/loop.hpp"
#include "simulation/random.hpp"

namespace gondwana::simulation {

class World;

class Front {
 public:
  explicit Front(World& world);
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  void start();
  Host& host(std::uint32_t number) { return *hosts_[number]; }
  bool is_over() const { return over_; }
  std::uint64_t sent() const { return sent_; }  // frames
  std::uint64_t received() const { return received_; }
  std::uint64_t bytes() const;  // both ways

  // Faults.
  void signal(int number);
  void lose_launcher();
  void stop(Time time);
  void lose_output(int reason);

 private:
  // What is known of a host here.
  struct Known {
    explicit Known(std::uint64_t tag) : parser(tag) {}

    launch::FrameParser parser;
    bool is_open = true;
    bool is_closed = false;  // the decisions say so
    bool has_said_hello = false;
    bool has_ended = false;
    Time heard_ns = 0;
    std::string garbage;
    bool pipe_ended = false;
    std::optional<int> wait_status;
    std::optional<std::size_t> loss;  // in the ledger
    std::optional<std::size_t> silence;
  };

  void handle(const launch::HostsEvent& event);
  void perform(const launch::HostsAction& action);
  void send(const launch::Send& send);
  void look_at_end(std::uint32_t node, const launch::End& end);
  void close(std::uint32_t node, bool is_killed);
  void explain(Time longest);

  void read_frames(std::uint32_t node);
  void on_frame(std::uint32_t node, launch::Frame& frame);
  void end_pipe(std::uint32_t node, const std::string& why);
  void on_way_ended(std::uint32_t node);
  void expect_loss(std::uint32_t node);
  void expect_loss_after_hello(std::uint32_t node);
  void expect_silence();
  Time peer_timeout_ns() const;
  void expect_timeout();
  void check_waiting_user();

  void step();
  void ping_hosts();
  std::optional<Time> next() const;
  void finish();
  launch::Job job_of(const Plan& plan) const;
  static std::string name(std::uint32_t node) { return name_of_host(node); }

  World& world_;
  Random random_;
  launch::Job job_;
  std::vector<launch::Job> parts_;
  launch::JobOnHosts decisions_;
  Loop loop_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<Known> known_;
  Time began_;
  Time ping_every_ns_;
  Time ping_at_ns_ = 0;
  Time silence_at_ns_ = 0;           // no host is silent for too long before
  std::optional<Time> asked_at_ns_;  // to end, by the user
  int asked_ = 0;                    // the last signal by which the user wants the end
  Time stopped_ns_ = 0;              // since then, by faults and explanations
  std::optional<int> output_failure_;
  std::optional<std::size_t> lost_reader_;  // in the ledger, until the decisions know it
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  bool timeout_told_ = false;
  bool over_ = false;
};

}  // namespace gondwana::simulation
