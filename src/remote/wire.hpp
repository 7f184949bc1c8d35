// Holds a transport of any type for the engine.
#pragma once

#include <memory>
#include <utility>

#include "remote/transport.hpp"

namespace gondwana {

class Wire {
 public:
  Wire() = default;

  template <Transport T>
  explicit Wire(std::unique_ptr<T> transport) : Wire(std::shared_ptr<T>(std::move(transport))) {}
  // The transport may outlive the engine.
  template <Transport T>
  explicit Wire(std::shared_ptr<T> transport)
      : impl_(std::make_unique<Holder<T>>(std::move(transport))), limits_(impl_->limits()) {}

  explicit operator bool() const { return impl_ != nullptr; }
  const Limits& limits() const { return limits_; }
  std::string_view name() const { return impl_->name(); }
  Result<Posted> put(Remote to, Bytes source, Completion& done) {
    return impl_->put(to, source, done);
  }
  Result<Posted> get(MutableBytes target, Remote from, Completion& done) {
    return impl_->get(target, from, done);
  }
  Result<Posted> put_packed(Rank to, std::span<const StridedRun> pieces, Completion& done) {
    return impl_->put_packed(to, pieces, done);
  }
  Result<Posted> get_packed(Rank from, std::span<const StridedRun> pieces, Completion& done) {
    return impl_->get_packed(from, pieces, done);
  }
  Result<Posted> accumulate(Rank to, const Accumulation& what, std::span<const StridedRun> pieces,
                            Completion& done) {
    return impl_->accumulate(to, what, pieces, done);
  }
  Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                        Completion& done) {
    return impl_->atomic(at, request, result, done);
  }
  bool has_unordered() { return impl_->has_unordered(); }
  std::uint64_t accepted() { return impl_->accepted(); }
  bool has_executed(Rank at, std::uint64_t mark) { return impl_->has_executed(at, mark); }
  Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) {
    return impl_->send_message(to, head, body, departure);
  }
  void listen(MessageReceiver receiver) { impl_->listen(std::move(receiver)); }
  bool progress() { return impl_->progress(); }
  bool departed() { return impl_->departed(); }
  bool may_sleep() { return impl_->may_sleep(); }
  void sleep(std::chrono::microseconds limit) { impl_->sleep(limit); }
  const Error* lost() { return impl_->lost(); }

 private:
  struct Interface {
    Interface() = default;
    Interface(const Interface&) = delete;
    Interface& operator=(const Interface&) = delete;
    virtual ~Interface() = default;
    virtual std::string_view name() const = 0;
    virtual Limits limits() const = 0;
    virtual Result<Posted> put(Remote to, Bytes source, Completion& done) = 0;
    virtual Result<Posted> get(MutableBytes target, Remote from, Completion& done) = 0;
    virtual Result<Posted> put_packed(Rank to, std::span<const StridedRun> pieces,
                                      Completion& done) = 0;
    virtual Result<Posted> get_packed(Rank from, std::span<const StridedRun> pieces,
                                      Completion& done) = 0;
    virtual Result<Posted> accumulate(Rank to, const Accumulation& what,
                                      std::span<const StridedRun> pieces, Completion& done) = 0;
    virtual Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                                  Completion& done) = 0;
    virtual bool has_unordered() = 0;
    virtual std::uint64_t accepted() = 0;
    virtual bool has_executed(Rank at, std::uint64_t mark) = 0;
    virtual Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) = 0;
    virtual void listen(MessageReceiver receiver) = 0;
    virtual bool progress() = 0;
    virtual bool departed() = 0;
    virtual bool may_sleep() = 0;
    virtual void sleep(std::chrono::microseconds limit) = 0;
    virtual const Error* lost() = 0;
  };

  template <Transport T>
  struct Holder final : Interface {
    explicit Holder(std::shared_ptr<T> held) : transport(std::move(held)) {}
    std::string_view name() const override { return transport->name(); }
    Limits limits() const override { return transport->limits(); }
    Result<Posted> put(Remote to, Bytes source, Completion& done) override {
      return transport->put(to, source, done);
    }
    Result<Posted> get(MutableBytes target, Remote from, Completion& done) override {
      return transport->get(target, from, done);
    }
    Result<Posted> put_packed(Rank to, std::span<const StridedRun> pieces,
                              Completion& done) override {
      return transport->put_packed(to, pieces, done);
    }
    Result<Posted> get_packed(Rank from, std::span<const StridedRun> pieces,
                              Completion& done) override {
      return transport->get_packed(from, pieces, done);
    }
    Result<Posted> accumulate(Rank to, const Accumulation& what, std::span<const StridedRun> pieces,
                              Completion& done) override {
      return transport->accumulate(to, what, pieces, done);
    }
    Result<Posted> atomic(Remote at, const AtomicRequest& request, std::byte* result,
                          Completion& done) override {
      return transport->atomic(at, request, result, done);
    }
    bool has_unordered() override { return transport->has_unordered(); }
    std::uint64_t accepted() override { return transport->accepted(); }
    bool has_executed(Rank at, std::uint64_t mark) override {
      return transport->has_executed(at, mark);
    }
    Result<Posted> send_message(Rank to, Bytes head, Bytes body, Departure departure) override {
      return transport->send_message(to, head, body, departure);
    }
    void listen(MessageReceiver receiver) override { transport->listen(std::move(receiver)); }
    bool progress() override { return transport->progress(); }
    bool departed() override { return transport->departed(); }
    bool may_sleep() override { return transport->may_sleep(); }
    void sleep(std::chrono::microseconds limit) override { transport->sleep(limit); }
    const Error* lost() override { return transport->lost(); }

    std::shared_ptr<T> transport;
  };

  std::unique_ptr<Interface> impl_;
  Limits limits_;
};

}  // namespace gondwana
