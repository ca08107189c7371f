// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/clock.h>
#include <remote/base/paths.h>
#include <remote/base/text.h>
#include <remote/transport/ssh_authenticate.h>
#include <remote/transport/ssh_host_key.h>
#include <remote/transport/ssh_session.h>
#include <remote/transport/ssh_transport.h>
#include <remote/transport/tcp_connect.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>

namespace rankscope {
namespace {

constexpr const char* kContext = "SshTransport";
constexpr double kConnectTimeout = 10;
constexpr long kCallTimeout = 20;  // of one blocking libssh call, seconds

class SshChannel : public Channel {
public:
    SshChannel(std::shared_ptr<ssh_session_struct> session, ssh_channel channel)
        : session_(std::move(session)), channel_(channel) {}
    SshChannel(const SshChannel&) = delete;
    SshChannel& operator=(const SshChannel&) = delete;
    ~SshChannel() override {
        ssh_channel_close(channel_);
        ssh_channel_free(channel_);
    }

    Read read(std::string& out) override { return read_from(out, 0); }
    Read read_error(std::string& out) override { return read_from(out, 1); }
    std::ptrdiff_t write(std::string_view bytes) override;
    void close_input() override { ssh_channel_send_eof(channel_); }
    void wait(bool for_writing, int timeout_ms, int wake_fd) override;
    std::optional<int> exit_status() override;

private:
    Read read_from(std::string& out, int is_stderr);

    std::shared_ptr<ssh_session_struct> session_;
    ssh_channel channel_;
};

Channel::Read SshChannel::read_from(std::string& out, int is_stderr) {
    std::array<char, 65536> bytes;
    const int got = ssh_channel_read_nonblocking(channel_, bytes.data(), bytes.size(), is_stderr);
    if (got > 0) {
        out.append(bytes.data(), static_cast<std::size_t>(got));
        return Read::Data;
    }
    if (got == SSH_ERROR || got == SSH_EOF || ssh_channel_is_eof(channel_) != 0 ||
        ssh_channel_is_closed(channel_) != 0 || ssh_is_connected(session_.get()) == 0) {
        return Read::Closed;
    }
    return Read::Nothing;
}

std::ptrdiff_t SshChannel::write(std::string_view bytes) {
    constexpr std::size_t kPiece = 32768;
    if (ssh_channel_window_size(channel_) == 0) {
        return ssh_is_connected(session_.get()) != 0 ? 0 : -1;
    }
    const int put =
        ssh_channel_write(channel_, bytes.data(), static_cast<std::uint32_t>(std::min(bytes.size(), kPiece)));
    if (put == SSH_AGAIN) {
        return 0;
    }
    return put < 0 ? -1 : put;
}

void SshChannel::wait(bool for_writing, int timeout_ms, int wake_fd) {
    // libssh may hold bytes it has read already: then poll(2) on the socket would sleep over them.
    if (ssh_channel_poll(channel_, 0) > 0 || ssh_channel_poll(channel_, 1) > 0) {
        return;
    }
    short events = POLLIN;
    const bool pending = (ssh_get_poll_flags(session_.get()) & SSH_WRITE_PENDING) != 0;
    if (pending || (for_writing && ssh_channel_window_size(channel_) > 0)) {
        events |= POLLOUT;
    }
    std::array<pollfd, 2> fds{{{ssh_get_fd(session_.get()), events, 0}, {wake_fd, POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), timeout_ms);
    if (pending) {
        ssh_blocking_flush(session_.get(), 0);
    }
}

std::optional<int> SshChannel::exit_status() {
    // It arrives shortly after the end of the streams.
    const double deadline = monotonic_s() + 2;
    for (;;) {
        const int status = ssh_channel_get_exit_status(channel_);
        if (status >= 0) {
            return status;
        }
        if (monotonic_s() > deadline || ssh_is_connected(session_.get()) == 0 ||
            ssh_channel_is_closed(channel_) != 0) {
            return std::nullopt;
        }
        std::string ignored;
        read_from(ignored, 0);
        wait(false, 20, -1);
    }
}

class SshTransport : public Transport {
public:
    SshTransport(SshSession session, SshTarget target, ConnectionInfo info)
        : session_(std::move(session)), target_(std::move(target)), info_(std::move(info)) {}

    Result<std::unique_ptr<Channel>> exec(const std::string& command) override;
    const ConnectionInfo& info() const override { return info_; }

private:
    std::shared_ptr<ssh_session_struct> session_;
    SshTarget target_;
    ConnectionInfo info_;
};

Result<std::unique_ptr<Channel>> SshTransport::exec(const std::string& command) {
    ssh_set_blocking(session_.get(), 1);
    ssh_channel channel = ssh_channel_new(session_.get());
    int code = channel != nullptr ? ssh_channel_open_session(channel) : SSH_ERROR;
    if (code == SSH_OK) {
        code = ssh_channel_request_exec(channel, command.c_str());
    }
    ssh_set_blocking(session_.get(), 0);
    if (code != SSH_OK) {
        Failure failure{
            "ssh-exec", target_.node, text(kContext, "The node does not let a command be started."),
            text(kContext, "Check ForceCommand, MaxSessions and the login shell of %1.", {target_.account()}),
            ssh_get_error(session_.get())};
        if (channel != nullptr) {
            ssh_channel_free(channel);
        }
        return failure;
    }
    return std::unique_ptr<Channel>(std::make_unique<SshChannel>(session_, channel));
}

std::string option(ssh_session session, ssh_options_e which) {
    char* value = nullptr;
    if (ssh_options_get(session, which, &value) != SSH_OK || value == nullptr) {
        return {};
    }
    std::string result = value;
    ssh_string_free_char(value);
    return result;
}

void set(ssh_session session, ssh_options_e which, const std::string& value) {
    ssh_options_set(session, which, value.c_str());
}

// What is asked for, in the order of precedence: the inventory, ~/.ssh/config, /etc/ssh/ssh_config, defaults.
SshTarget configure(ssh_session session, const NodeSpec& node) {
    const auto ssh_dir = home_dir() / ".ssh";
    set(session, SSH_OPTIONS_SSH_DIR,
        ssh_dir.string());  // libssh asks the password file, everybody else $HOME
    set(session, SSH_OPTIONS_HOST, node.host);
    for (const std::string& file : {(ssh_dir / "config").string(), std::string("/etc/ssh/ssh_config")}) {
        if (::access(file.c_str(), R_OK) == 0) {
            ssh_options_parse_config(session, file.c_str());
        }
    }
    const bool off = false;
    ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
    if (node.port != 0) {
        ssh_options_set(session, SSH_OPTIONS_PORT, &node.port);
    }
    if (!node.user.empty()) {
        set(session, SSH_OPTIONS_USER, node.user);
    }
    if (!node.identity_file.empty()) {
        set(session, SSH_OPTIONS_IDENTITY, expand_home(node.identity_file).string());
    }
    if (option(session, SSH_OPTIONS_USER).empty()) {
        const char* user = std::getenv("USER");
        ssh_options_set(session, SSH_OPTIONS_USER, user != nullptr && user[0] != '\0' ? user : nullptr);
    }
    if (!node.proxy_jump.empty()) {
        set(session, SSH_OPTIONS_PROXYCOMMAND, "ssh -W '[%h]:%p' -- " + node.proxy_jump);
    }
    const long timeout = kCallTimeout;
    ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &timeout);
    SshTarget target;
    target.node = node.name;
    target.host = option(session, SSH_OPTIONS_HOST);
    unsigned port = 22;
    ssh_options_get_port(session, &port);
    target.port = static_cast<int>(port);
    target.user = option(session, SSH_OPTIONS_USER);
    target.proxy_command = option(session, SSH_OPTIONS_PROXYCOMMAND);
    return target;
}

Failure handshake_failed(ssh_session session, const SshTarget& target) {
    const std::string detail = ssh_get_error(session);
    const std::string where = target.host + ':' + std::to_string(target.port);
    if (detail.find("kex error") != std::string::npos) {
        return {"ssh-algorithms", target.node,
                text(kContext, "%1 and this program share no algorithm.", {where}),
                text(kContext, "Update the SSH server there, or allow an algorithm both have."), detail};
    }
    if (detail.find("imeout") != std::string::npos) {
        return {"ssh-timeout", target.node,
                text(kContext, "%1 accepts the connection, but says nothing.", {where}),
                text(kContext, "Is this the SSH port? `ssh -v -p %1 %2` shows where it stops.",
                     {std::to_string(target.port), target.account()}),
                detail};
    }
    return {"ssh-protocol", target.node,
            text(kContext, "%1 closed the connection while it was set up.", {where}),
            text(kContext,
                 "Common causes: MaxStartups or fail2ban on the node, or another service on that port; see "
                 "`journalctl -u ssh` there."),
            detail};
}

}  // namespace

Result<std::unique_ptr<Transport>> open_ssh_transport(
    const NodeSpec& node, const Prompter& prompter, std::stop_token stop,
    const std::function<void(const std::string&)>& progress) {
    static std::once_flag once;
    std::call_once(once, [] { ssh_init(); });
    const double begin = monotonic_s();
    SshSession session(ssh_new());
    SshTarget target = configure(session.get(), node);
    if (progress) {
        progress(text(kContext, "connecting to %1", {target.account()}));
    }
    ConnectionInfo info;
    int fd = -1;
    if (target.proxy_command.empty()) {
        auto connection = tcp_connect(node.name, target.host, target.port, kConnectTimeout, stop);
        if (!connection) {
            return connection.failure();
        }
        info.peer_address = connection->peer_address;
        info.local_address = connection->local_address;
        set_nonblocking(connection->fd.get(), false);
        fd = connection->fd.release();  // libssh closes it with the session
        ssh_options_set(session.get(), SSH_OPTIONS_FD, &fd);
    }
    // The only way to end a blocking libssh call from outside: cut its socket.
    const std::stop_callback on_stop(stop, [fd] {
        if (fd >= 0) {
            ::shutdown(fd, SHUT_RDWR);
        }
    });
    const auto failed = [&](Failure failure) -> Result<std::unique_ptr<Transport>> {
        return stop.stop_requested() ? cancelled(node.name) : std::move(failure);
    };
    ssh_set_blocking(session.get(), 1);
    if (ssh_connect(session.get()) != SSH_OK) {
        return failed(handshake_failed(session.get(), target));
    }
    if (auto known = check_host_key(session.get(), target, prompter); !known) {
        return failed(known.failure());
    }
    auto method = authenticate(session.get(), target, node, prompter, progress);
    if (!method) {
        return failed(method.failure());
    }
    if (stop.stop_requested()) {
        return cancelled(node.name);
    }
    ssh_set_blocking(session.get(), 0);
    info.description = target.account() + ':' + std::to_string(target.port) +
                       (node.proxy_jump.empty() ? "" : " through " + node.proxy_jump) + " (" + *method + ')';
    info.connect_s = monotonic_s() - begin;
    return std::unique_ptr<Transport>(
        std::make_unique<SshTransport>(std::move(session), std::move(target), std::move(info)));
}

}  // namespace rankscope
