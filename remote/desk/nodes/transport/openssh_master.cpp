// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/wait_fd.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/transport/agent_keys.h>
#include <remote/desk/nodes/transport/askpass_server.h>
#include <remote/desk/nodes/transport/openssh_errors.h>
#include <remote/desk/nodes/transport/openssh_master.h>
#include <remote/desk/nodes/transport/ssh_failures.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/shared/text.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "OpenSsh";
constexpr double kLimit = 300;  // seconds, without the time in which the user is asked

void option(std::vector<std::string>& argv, const std::string& text) {
    argv.insert(argv.end(), {"-o", text});
}

// Options that the user's configuration must not change: how questions are asked, where the sockets are, and
// that only the connection is made.
std::vector<std::string> master_command(const std::filesystem::path& folder, const SshTarget& target) {
    std::vector<std::string> argv{"ssh"};
    argv.insert(argv.end(),
                {"-M", "-N", "-f", "-T", "-S", (folder / "c").string(), "-E", (folder / "log").string()});
    for (const char* text :
         {"ControlPersist=30", "BatchMode=no", "StrictHostKeyChecking=ask", "NumberOfPasswordPrompts=3",
          "ServerAliveInterval=15", "ServerAliveCountMax=3", "RemoteCommand=none", "RequestTTY=no",
          "ClearAllForwardings=yes", "ForwardX11=no", "PermitLocalCommand=no", "LogLevel=INFO",
          "VisualHostKey=no", "UpdateHostKeys=no", "ExitOnForwardFailure=no"}) {
        option(argv, text);
    }
    if (target.connect_timeout_s <= 0) {
        option(argv, "ConnectTimeout=10");
    }
    return argv;
}

// sshd closed the connection (LoginGraceTime) and refused nothing.
bool lost_connection(const std::string& log) {
    for (const char* refusal : {"Permission denied", "Too many authentication failures"}) {
        if (log.find(refusal) != std::string::npos) {
            return false;
        }
    }
    for (const char* sign :
         {"Connection closed by", "Connection reset by", "closed by remote host", "Broken pipe"}) {
        if (log.find(sign) != std::string::npos) {
            return true;
        }
    }
    return false;
}

Failure why(const SshTarget& target, const AskpassServer& askpass, const std::string& said) {
    if (const auto& refused = askpass.refused_key()) {
        SshTarget which = target;
        if (!refused->key.host.empty()) {
            which.host = refused->key.host;
            which.port = refused->key.port;
        }
        return refused->other_type_known
                   ? host_key_other(which, refused->key.key_type, refused->key.fingerprint)
                   : host_key_unknown(which, refused->key.key_type, refused->key.fingerprint);
    }
    if (askpass.answered() && lost_connection(said)) {
        return answer_late(target, said);
    }
    if (askpass.typed_password() && said.find("Permission denied (") != std::string::npos) {
        return password_refused(target, said);
    }
    // ssh was ended when the user cancelled: it would have sent an empty password to the server.
    Failure failure = explain_openssh(
        target,
        askpass.cancelled() ? said + target.account() + ": Permission denied (publickey,password)." : said);
    if (failure.code == "ssh-auth-denied" && !askpass.locked_file().empty()) {
        return passphrase_needed(target, shorten_home(askpass.locked_file()), said);
    }
    bool has_key = false;
    for (const auto& file : target.identity_files) {
        const std::string path = expand_ssh_path(target, file);
        if (failure.code == "ssh-auth-denied" && key_file_is_open(path)) {
            return key_file_too_open(target, shorten_home(path), said);
        }
        has_key = has_key || ::access(path.c_str(), F_OK) == 0;
    }
    return askpass.cannot_ask() && !has_key ? password_needed(target, said) : failure;
}

}  // namespace

Result<std::shared_ptr<OpenSshMaster>> OpenSshMaster::open(const std::vector<std::string>& destination,
                                                           const SshTarget& target, const Prompter& prompter,
                                                           const std::stop_token& stop) {
    std::shared_ptr<OpenSshMaster> master(new OpenSshMaster);  // NOLINT: private constructor
    if (!master->folder_) {
        return Failure{"local-exec", target.node,
                       text(kContext, "Cannot create a folder for SSH's sockets on this computer."),
                       text(kContext, "Check XDG_RUNTIME_DIR and /tmp."), std::strerror(errno)};
    }
    auto askpass = AskpassServer::listen(master->folder_.path(), target, prompter);
    if (!askpass) {
        return askpass.failure();
    }
    auto argv = master_command(master->folder_.path(), target);
    argv.insert(argv.end(), destination.begin(), destination.end());
    auto environment = (*askpass)->environment();
    environment["LC_ALL"] = "C";
    auto program = start_program(argv, environment);
    if (!program) {
        Failure failure = program.failure();
        failure.where = target.node;
        return failure;
    }
    (*program)->close_input();
    const WakeFd wake;
    const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
    std::string errors;  // before -E takes effect: errors of the command line and the configuration
    double deadline = monotonic_s() + kLimit;
    for (;;) {
        const auto out = (*program)->read(errors);
        const auto err = (*program)->read_error(errors);
        if (out == Channel::Read::Closed && err == Channel::Read::Closed) {
            break;
        }
        if (stop.stop_requested() || monotonic_s() > deadline || (*askpass)->cancelled()) {
            (*program)->kill();
            break;
        }
        if (wait_readable((*askpass)->fd(), 0)) {
            const double asked = monotonic_s();
            (*askpass)->serve_one();
            deadline += monotonic_s() - asked;
            continue;
        }
        if (out == Channel::Read::Data || err == Channel::Read::Data) {
            continue;
        }
        (*program)->wait_with(1000, {wake.fd(), (*askpass)->fd()});
    }
    if (stop.stop_requested()) {
        return cancelled(target.node);
    }
    if ((*program)->exit_status() != 0) {
        return why(target, **askpass, errors + master->said());
    }
    return master;
}

OpenSshMaster::~OpenSshMaster() {
    if (!folder_) {
        return;
    }
    std::error_code error;
    if (std::filesystem::exists(folder_.path() / "c", error)) {
        auto argv = client({"-O", "exit"});
        argv.emplace_back("x");
        (void)capture_program(argv, {}, 2, {});
    }
}

std::vector<std::string> OpenSshMaster::client(const std::vector<std::string>& options) const {
    // Without its master ssh would open a connection of its own; a proxy that fails prevents that.
    std::vector<std::string> argv{"ssh", "-F", "none", "-S", (folder_.path() / "c").string()};
    for (const char* text : {"ControlMaster=no", "ProxyCommand=false", "LogLevel=ERROR"}) {
        option(argv, text);
    }
    argv.insert(argv.end(), options.begin(), options.end());
    return argv;
}

bool OpenSshMaster::alive() const {
    struct stat status {};
    return ::stat((folder_.path() / "c").c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

std::string OpenSshMaster::said(std::size_t from) const {
    const auto log = read_file(folder_.path() / "log");
    return log && log->size() > from ? log->substr(from) : std::string();
}

std::vector<std::string> openssh_destination(const NodeSpec& node) {
    std::vector<std::string> words = ssh_config_argument();
    const auto give = [&](const char* name, const std::string& value) {
        if (!value.empty()) {
            words.insert(words.end(), {name, value});
        }
    };
    give("-p", node.port != 0 ? std::to_string(node.port) : "");
    give("-l", node.user);
    give("-i", node.identity_file.empty() ? "" : expand_home(node.identity_file).string());
    give("-J", node.proxy_jump);
    words.insert(words.end(), {"--", node.host});
    return words;
}

JumpStream::~JumpStream() {
    if (program) {
        program->kill();
    }
}

std::string JumpStream::said() const {
    std::string all = master->said(said_before);
    program->read_error(all);
    return all;
}

Result<JumpStream> open_jump(const SshTarget& target, const Prompter& prompter, const std::stop_token& stop) {
    auto master = jump_master(target, prompter, stop);
    if (!master) {
        return master.failure();
    }
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return Failure{"local-exec", target.node, text(kContext, "Cannot create a socket pair."), "",
                       std::strerror(errno)};
    }
    JumpStream stream;
    stream.fd.reset(ends[0]);
    UniqueFd theirs(ends[1]);
    stream.master = std::move(*master);
    stream.said_before = stream.master->said().size();
    const bool six = target.host.find(':') != std::string::npos;
    auto argv = stream.master->client(
        {"-W", (six ? '[' + target.host + ']' : target.host) + ':' + std::to_string(target.port)});
    argv.insert(argv.end(), {"--", "jump"});
    auto program = start_program(argv, {{"LC_ALL", "C"}}, std::move(theirs));
    if (!program) {
        return program.failure();
    }
    stream.program = std::move(*program);
    return stream;
}

Result<std::shared_ptr<OpenSshMaster>> jump_master(const SshTarget& target, const Prompter& prompter,
                                                   const std::stop_token& stop) {
    struct Shared {
        std::weak_ptr<OpenSshMaster> master;
        bool opening = false;
    };
    static std::mutex mutex;
    static std::condition_variable_any changed;
    static std::map<std::string, Shared> all;

    std::unique_lock lock(mutex);
    Shared& shared = all[target.proxy_jump];
    changed.wait(lock, stop, [&] { return !shared.opening; });
    if (stop.stop_requested()) {
        return cancelled(target.node);
    }
    if (auto master = shared.master.lock(); master && master->alive()) {
        return master;
    }
    shared.opening = true;
    lock.unlock();
    const auto comma = target.proxy_jump.rfind(',');
    std::string last = target.proxy_jump.substr(comma == std::string::npos ? 0 : comma + 1);
    if (last.find("://") == std::string::npos) {
        last = "ssh://" + last;  // the form in which ssh takes a port behind the host
    }
    std::vector<std::string> destination = ssh_config_argument();
    if (comma != std::string::npos) {
        destination.insert(destination.end(), {"-J", target.proxy_jump.substr(0, comma)});
    }
    destination.insert(destination.end(), {"--", last});
    SshTarget jump;
    jump.node = target.node;
    jump.alias = jump.host = last.substr(6);
    if (const auto at = jump.host.find('@'); at != std::string::npos) {
        jump.user = jump.host.substr(0, at);
        jump.host.erase(0, at + 1);
    }
    auto master = OpenSshMaster::open(destination, jump, prompter, stop);
    lock.lock();
    shared.opening = false;
    if (master) {
        shared.master = *master;
    }
    changed.notify_all();
    return master;
}

}  // namespace rankscope::inline nodes
