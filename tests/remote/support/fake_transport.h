// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/transport.h>

#include <poll.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>

namespace rankscope::test {

/// What a node does with one command: prints, then ends with a status, or stays open for ever.
struct FakeCommand {
    std::string output;
    std::string errors;
    std::optional<int> status;  ///< nothing: a signal, or the link was lost
    bool stays_open = false;
};

class FakeChannel : public Channel {
public:
    explicit FakeChannel(FakeCommand command) : command_(std::move(command)) {}

    Read read(std::string& out) override {
        if (!command_.output.empty()) {
            // A few bytes at a time: nothing may depend on the pieces.
            const std::size_t size = std::min<std::size_t>(command_.output.size(), 5);
            out += command_.output.substr(0, size);
            command_.output.erase(0, size);
            return Read::Data;
        }
        return command_.stays_open ? Read::Nothing : Read::Closed;
    }
    Read read_error(std::string& out) override {
        if (command_.errors.empty()) {
            return Read::Closed;
        }
        out += std::exchange(command_.errors, "");
        return Read::Data;
    }
    std::ptrdiff_t write(std::string_view bytes) override {
        return static_cast<std::ptrdiff_t>(bytes.size());
    }
    void close_input() override {}
    void wait(bool, int timeout_ms, int wake_fd) override {
        pollfd fd{wake_fd, POLLIN, 0};
        ::poll(&fd, 1, timeout_ms);
    }
    std::optional<int> exit_status() override { return command_.status; }

private:
    FakeCommand command_;
};

/// Answers the first command with the first entry, and so on.
class FakeTransport : public Transport {
public:
    explicit FakeTransport(std::deque<FakeCommand> commands) : commands_(std::move(commands)) {}

    Result<std::unique_ptr<Channel>> exec(const std::string&) override {
        if (commands_.empty()) {
            return Failure{"ssh-exec", "", "No further command was expected.", "", ""};
        }
        auto channel = std::make_unique<FakeChannel>(std::move(commands_.front()));
        commands_.pop_front();
        return std::unique_ptr<Channel>(std::move(channel));
    }
    const ConnectionInfo& info() const override { return info_; }

private:
    std::deque<FakeCommand> commands_;
    ConnectionInfo info_;
};

/// Passes everything on, but changes what is written.
class DamagingTransport : public Transport {
public:
    enum class Damage { FlipAByte, LoseTheEnd };

    DamagingTransport(std::unique_ptr<Transport> inner, Damage damage)
        : inner_(std::move(inner)), damage_(damage) {}

    Result<std::unique_ptr<Channel>> exec(const std::string& command) override {
        auto channel = inner_->exec(command);
        if (!channel) {
            return channel;
        }
        return std::unique_ptr<Channel>(std::make_unique<DamagingChannel>(std::move(*channel), damage_));
    }
    const ConnectionInfo& info() const override { return inner_->info(); }

private:
    class DamagingChannel : public Channel {
    public:
        DamagingChannel(std::unique_ptr<Channel> inner, Damage damage)
            : inner_(std::move(inner)), damage_(damage) {}
        Read read(std::string& out) override { return inner_->read(out); }
        Read read_error(std::string& out) override { return inner_->read_error(out); }
        std::ptrdiff_t write(std::string_view bytes) override {
            if (damage_ == Damage::LoseTheEnd && written_ > 100000) {
                return static_cast<std::ptrdiff_t>(bytes.size());  // swallowed
            }
            std::string changed(bytes);
            if (damage_ == Damage::FlipAByte && written_ == 0) {
                changed.front() = static_cast<char>(changed.front() ^ 1);
            }
            const auto put = inner_->write(changed);
            written_ += put > 0 ? static_cast<std::size_t>(put) : 0;
            return put;
        }
        void close_input() override { inner_->close_input(); }
        void wait(bool for_writing, int timeout_ms, int wake_fd) override {
            inner_->wait(for_writing, timeout_ms, wake_fd);
        }
        std::optional<int> exit_status() override { return inner_->exit_status(); }

    private:
        std::unique_ptr<Channel> inner_;
        Damage damage_;
        std::size_t written_ = 0;
    };

    std::unique_ptr<Transport> inner_;
    Damage damage_;
};

}  // namespace rankscope::test
