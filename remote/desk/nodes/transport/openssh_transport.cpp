// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/nodes/transport/openssh_master.h>
#include <remote/desk/nodes/transport/openssh_transport.h>
#include <remote/desk/nodes/transport/process_channel.h>
#include <remote/desk/shared/text.h>

#include <arpa/inet.h>

#include <array>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "OpenSsh";
constexpr int kSshFailed = 255;

/// A client of the master. ssh's own exit status 255 is no status of the command.
class OpenSshChannel : public Channel {
public:
    OpenSshChannel(std::shared_ptr<OpenSshMaster> master, std::unique_ptr<Program> program)
        : master_(std::move(master)), program_(std::move(program)) {}

    Read read(std::string& out) override { return program_->read(out); }
    Read read_error(std::string& out) override { return program_->read_error(out); }
    std::ptrdiff_t write(std::string_view bytes) override { return program_->write(bytes); }
    void close_input() override { program_->close_input(); }
    void wait(bool for_writing, int timeout_ms, int wake_fd) override {
        program_->wait(for_writing, timeout_ms, wake_fd);
    }
    std::optional<int> exit_status() override {
        const auto status = program_->exit_status();
        return status == kSshFailed ? std::nullopt : status;
    }

private:
    std::shared_ptr<OpenSshMaster> master_;  // lives as long as its clients
    std::unique_ptr<Program> program_;
};

class OpenSshTransport : public Transport {
public:
    OpenSshTransport(std::shared_ptr<OpenSshMaster> master, std::string node, std::string host,
                     ConnectionInfo info)
        : master_(std::move(master)),
          node_(std::move(node)),
          host_(std::move(host)),
          info_(std::move(info)) {}

    Result<std::unique_ptr<Channel>> exec(const std::string& command) override {
        auto argv = master_->client({"-T"});
        argv.insert(argv.end(), {"--", host_, command});
        auto program = start_program(argv, {{"LC_ALL", "C"}});
        if (!program) {
            Failure failure = program.failure();
            failure.where = node_;
            return failure;
        }
        return std::unique_ptr<Channel>(std::make_unique<OpenSshChannel>(master_, std::move(*program)));
    }
    const ConnectionInfo& info() const override { return info_; }

private:
    std::shared_ptr<OpenSshMaster> master_;
    std::string node_;
    std::string host_;
    ConnectionInfo info_;
};

}  // namespace

Result<std::unique_ptr<Transport>> open_openssh_transport(const NodeSpec& node, const SshTarget& target,
                                                          const std::string& why, const Prompter& prompter,
                                                          const std::stop_token& stop,
                                                          const std::vector<std::string>& extra_options) {
    const double begin = monotonic_s();
    std::vector<std::string> words = extra_options;
    const auto destination = openssh_destination(node);
    words.insert(words.end(), destination.begin(), destination.end());
    auto master = OpenSshMaster::open(words, target, prompter, stop);
    if (!master) {
        return master.failure();
    }
    ConnectionInfo info;
    info.description = text(kContext, "%1, by OpenSSH (%2)", {describe_target(target), why});
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    if (target.proxy_jump.empty() && target.proxy_command.empty() &&
        (::inet_pton(AF_INET, target.host.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, target.host.c_str(), ignored.data()) == 1)) {
        info.peer_address = target.host;
    }
    info.connect_s = monotonic_s() - begin;
    return std::unique_ptr<Transport>(
        std::make_unique<OpenSshTransport>(std::move(*master), node.name, target.alias, std::move(info)));
}

}  // namespace rankscope::inline nodes
