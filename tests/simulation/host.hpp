// One host of a simulated job as its conductor reaches it: ssh here, the connection, and the remote
// launcher there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "run/remote/frames.hpp"
#include "simulation/channel.hpp"
#include "simulation/node.hpp"
#include "simulation/process.hpp"
#include "simulation/random.hpp"

namespace gondwana::simulation {

class World;

class Host {
 public:
  Host(World& world, std::uint32_t number);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // ssh runs; the remote launcher will.
  void start();
  Channel& up() { return up_; }
  Channel& down() { return down_; }
  Process& way() { return way_; }
  Node* node() { return node_; }
  const std::string& error_text() const { return complaint_; }
  bool is_garbled() const { return is_garbled_; }

  void reset();
  void silence(bool up, bool down, Time time);
  void slow_down(Time more, Time time);
  void garble();
  void power_off();

 private:
  void connect();
  void read_task();
  void begin(launch::Task task);
  void fail(int status, std::string error_text);
  void on_remote_ended(int wait_status);

  World& world_;
  std::uint32_t number_;
  Random random_;
  Channel up_;
  Channel down_;
  Process way_;
  Node* node_ = nullptr;  // nothing: the remote launcher does not run yet, or never
  launch::FrameParser parser_;
  std::string complaint_;  // of ssh
  bool is_connected_ = false;
  bool is_garbled_ = false;
  bool is_off_ = false;
};

}  // namespace gondwana::simulation
