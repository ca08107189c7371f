// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/paths.h>
#include <base/wait_fd.h>
#include <remote/desk/nodes/transport/exec_failure.h>
#include <remote/desk/nodes/transport/openssh_errors.h>
#include <remote/desk/nodes/transport/openssh_master.h>
#include <remote/desk/nodes/transport/ssh_authenticate.h>
#include <remote/desk/nodes/transport/ssh_config_libssh.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/ssh_host_key.h>
#include <remote/desk/nodes/transport/ssh_session.h>
#include <remote/desk/nodes/transport/ssh_transport.h>
#include <remote/desk/nodes/transport/tcp_connect.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr double kConnectTimeout = 10;
constexpr double kSessionWait = 2;
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
    wait_any(fds, timeout_ms / 1000.0);
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
    SshTransport(std::shared_ptr<JumpStream> jump, SshSession session, SshTarget target, ConnectionInfo info)
        : jump_(std::move(jump)),
          session_(std::move(session)),
          target_(std::move(target)),
          info_(std::move(info)) {}

    Result<std::unique_ptr<Channel>> exec(const std::string& command) override;
    const ConnectionInfo& info() const override { return info_; }

private:
    std::shared_ptr<JumpStream> jump_;  // outlives the session that it carries
    std::shared_ptr<ssh_session_struct> session_;
    SshTarget target_;
    ConnectionInfo info_;
    bool used_ = false;
};

Result<std::unique_ptr<Channel>> SshTransport::exec(const std::string& command) {
    ssh_set_blocking(session_.get(), 1);
    // With MaxSessions 1 the server frees the place of the command before only a moment after its end.
    const double begin = monotonic_s();
    const double deadline = begin + (used_ ? kSessionWait : 0);
    ssh_channel channel = nullptr;
    int code = SSH_ERROR;
    for (;;) {
        channel = ssh_channel_new(session_.get());
        code = channel != nullptr ? ssh_channel_open_session(channel) : SSH_ERROR;
        if (code == SSH_OK || ssh_is_connected(session_.get()) == 0 || monotonic_s() >= deadline) {
            break;
        }
        ssh_channel_free(channel);
        sleep_s(0.01);
    }
    const bool opened = code == SSH_OK;
    if (opened) {
        used_ = true;
        code = ssh_channel_request_exec(channel, command.c_str());
    }
    ssh_set_blocking(session_.get(), 0);
    if (code != SSH_OK) {
        const std::string said = ssh_get_error(session_.get());
        Failure failure = explain_exec(target_, ssh_get_fd(session_.get()),
                                       opened ? ExecStep::StartCommand : ExecStep::OpenSession,
                                       monotonic_s() - begin, said);
        if (channel != nullptr) {
            ssh_channel_free(channel);
        }
        return failure;
    }
    return std::unique_ptr<Channel>(std::make_unique<SshChannel>(session_, channel));
}

/// What the session runs over: a TCP connection of our own, or a stream through a jump host.
struct Carrier {
    UniqueFd fd;
    std::shared_ptr<JumpStream> jump;
    std::string peer_address;
    std::string local_address;

    std::string said() const { return jump ? jump->said() : std::string(); }
};

void set(ssh_session session, ssh_options_e which, const std::string& value) {
    ssh_options_set(session, which, value.c_str());
}

// Only lists of algorithms that were configured; ssh's own defaults do not concern libssh.
void set_algorithms(ssh_session session, const SshTarget& target, const SshTarget& defaults) {
    constexpr std::array<std::pair<const char*, std::array<int, 2>>, 5> kLists{
        {{"ciphers", {SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C}},
         {"macs", {SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C}},
         {"kexalgorithms", {SSH_OPTIONS_KEY_EXCHANGE, -1}},
         {"hostkeyalgorithms", {SSH_OPTIONS_HOSTKEYS, -1}},
         {"pubkeyacceptedalgorithms", {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES, -1}}}};
    for (const auto& [name, options] : kLists) {
        const std::string chosen = target.option(name);
        if (chosen.empty() || chosen == defaults.option(name)) {
            continue;
        }
        for (const int option : options) {
            if (option >= 0) {
                ssh_options_set(session, static_cast<ssh_options_e>(option), chosen.c_str());
            }
        }
    }
}

void configure(ssh_session session, const SshTarget& target, const std::stop_token& stop) {
    const bool off = false;
    if (target.options.empty()) {
        read_config_with_libssh(session, target.alias);
    } else {
        ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
        set_algorithms(session, target, ssh_defaults(stop));
        if (target.is_on("compression")) {
            set(session, SSH_OPTIONS_COMPRESSION, "yes");
        }
        if (const auto agent = target.option("identityagent"); !agent.empty() && agent != "SSH_AUTH_SOCK") {
            set(session, SSH_OPTIONS_IDENTITY_AGENT,
                agent[0] == '$' ? agent : expand_ssh_path(target, agent));
        }
    }
    set(session, SSH_OPTIONS_SSH_DIR, (home_dir() / ".ssh").string());
    set(session, SSH_OPTIONS_HOST, target.host);
    ssh_options_set(session, SSH_OPTIONS_PORT, &target.port);
    set(session, SSH_OPTIONS_USER, target.user);
    set(session, SSH_OPTIONS_PROXYCOMMAND, target.proxy_command.empty() ? "none" : target.proxy_command);
    const long timeout = kCallTimeout;
    ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &timeout);
}

Failure handshake_failed(ssh_session session, const SshTarget& target, const Carrier& carrier) {
    const std::string detail = ssh_get_error(session);
    if (detail.find("kex error") != std::string::npos) {
        return no_common_algorithm(target, detail);
    }
    const bool silent = detail.find("imeout") != std::string::npos;
    if (carrier.jump) {
        return silent ? connect_failed(target.node, target.host + ':' + std::to_string(target.port),
                                       ETIMEDOUT, kCallTimeout, detail)
                      : explain_openssh(target, carrier.said() + detail);
    }
    return silent ? server_silent(target, detail) : server_closed(target, detail);
}

Result<Carrier> carry(const SshTarget& target, const Prompter& prompter, const std::stop_token& stop) {
    Carrier carrier;
    if (!target.proxy_jump.empty()) {
        auto jump = open_jump(target, prompter, stop);
        if (!jump) {
            return jump.failure();
        }
        carrier.fd = std::move(jump->fd);
        carrier.jump = std::make_shared<JumpStream>(std::move(*jump));
        return carrier;
    }
    if (!target.proxy_command.empty()) {
        return carrier;  // libssh starts it
    }
    const std::string family = target.option("addressfamily");
    auto connection =
        tcp_connect(target.node, target.host, target.port,
                    target.connect_timeout_s > 0 ? target.connect_timeout_s : kConnectTimeout, stop,
                    family == "inet" ? AF_INET : (family == "inet6" ? AF_INET6 : AF_UNSPEC));
    if (!connection) {
        return connection.failure();
    }
    carrier.peer_address = connection->peer_address;
    carrier.local_address = connection->local_address;
    carrier.fd = std::move(connection->fd);
    set_nonblocking(carrier.fd.get(), false);
    return carrier;
}

}  // namespace

Result<std::unique_ptr<Transport>> open_ssh_transport(
    const SshTarget& target, const Prompter& prompter, const std::stop_token& stop,
    const std::function<void(const std::string&)>& progress) {
    static std::once_flag once;
    std::call_once(once, [] { ssh_init(); });
    const double begin = monotonic_s();
    SshSession session(ssh_new());
    configure(session.get(), target, stop);
    auto carrier = carry(target, prompter, stop);
    if (!carrier) {
        return carrier.failure();
    }
    // The only way to end a blocking libssh call from outside: cut its socket, by a descriptor of our own.
    // Its number stays what it is, while libssh closes its one on an error, and another thread may get that.
    const UniqueFd cut(carrier->fd ? ::fcntl(carrier->fd.get(), F_DUPFD_CLOEXEC, 0) : -1);
    const std::stop_callback on_stop(stop, [&cut] { ::shutdown(cut.get(), SHUT_RDWR); });
    const int fd = carrier->fd.release();  // closed with the session, see FreeSshSession
    if (fd >= 0) {
        ssh_options_set(session.get(), SSH_OPTIONS_FD, &fd);
    }
    const auto failed = [&](Failure failure) -> Result<std::unique_ptr<Transport>> {
        return stop.stop_requested() ? cancelled(target.node) : std::move(failure);
    };
    ssh_set_blocking(session.get(), 1);
    if (ssh_connect(session.get()) != SSH_OK) {
        return failed(handshake_failed(session.get(), target, *carrier));
    }
    if (auto known = check_host_key(session.get(), target, prompter); !known) {
        return failed(known.failure());
    }
    auto method = authenticate(session.get(), target, prompter, progress);
    if (!method) {
        return failed(method.failure());
    }
    if (stop.stop_requested()) {
        return cancelled(target.node);
    }
    ssh_set_blocking(session.get(), 0);
    ConnectionInfo info;
    info.peer_address = carrier->peer_address;
    info.local_address = carrier->local_address;
    info.description = describe_target(target, *method);
    info.connect_s = monotonic_s() - begin;
    return std::unique_ptr<Transport>(std::make_unique<SshTransport>(
        std::move(carrier->jump), std::move(session), target, std::move(info)));
}

}  // namespace rankscope::inline nodes
