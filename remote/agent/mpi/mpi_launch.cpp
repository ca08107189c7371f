// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/metrics_line.h>
#include <base/shell_quote.h>
#include <base/text.h>
#include <base/wait_fd.h>
#include <remote/agent/link/link_socket.h>
#include <remote/agent/link/peer_channel.h>
#include <remote/agent/mpi/mpi_launch.h>
#include <remote/agent/node/process_tree.h>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeadVariable = "RANKSCOPE_MPI_HEAD";
constexpr double kTick = 0.1;  // seconds: how late the end of a child is seen
constexpr double kAllHaveCome =
    120;  // after that the command starts nevertheless, and MPI says which host it misses
constexpr double kUntilKill = 5;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

[[gnu::format(printf, 1, 2)]] int complain(const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    std::fputs("rankscope-agent: ", stderr);
    std::vfprintf(stderr, format, values);
    std::fputc('\n', stderr);
    va_end(values);
    return 1;
}

volatile std::sig_atomic_t stopped = 0;
void note_stop(int) {
    stopped = 1;
}

// "10.0.0.1:29501", "[fd00::1]:29501".
std::optional<Address> address_of_endpoint(const std::string& endpoint) {
    const auto colon = endpoint.rfind(':');
    if (colon == std::string::npos) {
        return std::nullopt;
    }
    std::string host = endpoint.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    const auto port = parse_number<std::uint16_t>(endpoint.substr(colon + 1));
    return port ? numeric_address(host, *port) : std::nullopt;
}

sockaddr_un unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path.c_str());
    return address;
}

// Exit code as a shell has it.
int code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// A command in a session of the run's: it ends with this process.
pid_t start(const std::vector<std::string>& words) {
    std::vector<std::string> copy = words;
    std::vector<char*> argv;
    argv.reserve(copy.size() + 1);
    for (auto& word : copy) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::signal(SIGTERM, SIG_DFL);
        ::signal(SIGINT, SIG_DFL);
        if (::getppid() == parent) {
            ::execvp(argv[0], argv.data());
            complain("%s: %s", argv[0], std::strerror(errno));
        }
        ::_exit(127);
    }
    return pid;
}

/// What has ended since the last look: PID and exit code. Leftovers of a daemon come to us, too.
std::map<pid_t, int> ended_children() {
    std::map<pid_t, int> ended;
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        ended[pid] = code_of(status);
    }
    return ended;
}

/// Descendants get SIGTERM, and SIGKILL seconds later.
void end_descendants() {
    stop_descendants(::getpid(), kUntilKill);
    kill_descendants(::getpid(), 2);
}

void prepare() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // a daemon's processes stay below us
    struct sigaction action {};
    action.sa_handler = note_stop;
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
}

fs::path rank_folder() {
    return fs::path(variable(kMetricsPipeVariable)).parent_path();
}

// The remote shell, found in PATH: Open MPI's daemons look for it, too, and the path of this folder may differ by node.
constexpr const char* kShell = "rankscope-mpi-rsh";
void offer_shell() {
    std::error_code error;
    const std::string own = fs::read_symlink("/proc/self/exe", error).string();
    const fs::path shell = rank_folder() / kShell;
    write_file_atomically(shell, "#!/bin/sh\nexec " + shell_quote(own) + " mpi-rsh \"$@\"\n");
    ::chmod(shell.c_str(), 0700);
    ::setenv("PATH", (rank_folder().string() + ':' + variable("PATH")).c_str(), 1);
}

struct Host {
    std::string address;
    std::string slots;
};

std::vector<Host> hosts_of(const std::string& list) {
    std::vector<Host> hosts;
    for (const auto part : split(list, ',')) {
        const auto colon = part.rfind(':');
        if (colon != std::string_view::npos) {
            hosts.push_back({std::string(part.substr(0, colon)), std::string(part.substr(colon + 1))});
        }
    }
    return hosts;
}

// ---- the first node ----

class Head {
public:
    Head(std::vector<Host> hosts, std::string folder)
        : hosts_(std::move(hosts)), folder_(std::move(folder)) {}

    bool listen(const std::string& endpoint);
    int run(const std::vector<std::string>& command);

private:
    /// A node, or a remote shell that mpirun has started here.
    struct Side {
        explicit Side(PeerChannel opened) : channel(std::move(opened)) {}
        PeerChannel channel;
        std::string host = {};   ///< of a node
        std::uint64_t asks = 0;  ///< of a remote shell: the number of its command
        pid_t pid = 0;           ///< its command, where it is for this node
    };

    void turn();
    void accept(const UniqueFd& listener);
    void take(Side& side, const wire::PeerMessage& message);
    void start_on(Side& shell, const wire::MpiStart& wanted);
    void answer(std::uint64_t number, int code);
    void release_nodes();
    bool all_have_come() const;
    void write_files() const;

    std::vector<Host> hosts_;
    fs::path folder_;
    UniqueFd tcp_;
    UniqueFd local_;
    std::list<Side> sides_;
    std::map<pid_t, int> ended_;
    std::uint64_t commands_ = 0;
};

bool Head::listen(const std::string& endpoint) {
    const auto address = address_of_endpoint(endpoint);
    if (!address) {
        complain("%s is no ADDRESS:PORT", endpoint.c_str());
        return false;
    }
    tcp_ = tcp_socket(address->storage.ss_family);
    const int on = 1;
    ::setsockopt(tcp_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(tcp_.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size) != 0 ||
        ::listen(tcp_.get(), 128) != 0) {
        complain("the other nodes cannot connect to %s: %s", endpoint.c_str(), std::strerror(errno));
        return false;
    }
    const std::string path = (folder_ / "mpi-head").string();
    ::unlink(path.c_str());
    const auto name = unix_address(path);
    local_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (path.size() >= sizeof name.sun_path ||
        ::bind(local_.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        ::listen(local_.get(), 128) != 0) {
        complain("%s: %s", path.c_str(),
                 std::strerror(path.size() >= sizeof name.sun_path ? ENAMETOOLONG : errno));
        return false;
    }
    ::setenv(kHeadVariable, path.c_str(), 1);
    return true;
}

// What mpirun of Open MPI and PRRTE, and mpiexec of MPICH and Intel MPI, read about hosts and their remote shell.
void Head::write_files() const {
    std::string slots;
    std::string counts;
    for (const Host& host : hosts_) {
        slots += host.address + " slots=" + host.slots + '\n';
        counts += host.address + ':' + host.slots + '\n';
    }
    write_file_atomically(folder_ / "mpi-slots", slots);
    write_file_atomically(folder_ / "mpi-hosts", counts);
    offer_shell();
    const auto set = [](std::initializer_list<const char*> names, const std::string& value) {
        for (const char* name : names) {
            ::setenv(name, value.c_str(), 0);
        }
    };
    set({"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"}, kShell);
    set({"HYDRA_LAUNCHER_EXEC", "I_MPI_HYDRA_BOOTSTRAP_EXEC"}, (folder_ / kShell).string());
    set({"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"},
        (folder_ / "mpi-slots").string());
    set({"HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"}, (folder_ / "mpi-hosts").string());
    set({"HYDRA_LAUNCHER", "I_MPI_HYDRA_BOOTSTRAP"}, "ssh");
    // No daemon leaves its session, and none starts the next one: only here is a way to every node.
    set({"OMPI_MCA_orte_leave_session_attached", "PRTE_MCA_prte_leave_session_attached",
         "OMPI_MCA_plm_rsh_no_tree_spawn", "PRTE_MCA_plm_ssh_no_tree_spawn"},
        "1");
}

bool Head::all_have_come() const {
    return std::all_of(hosts_.begin() + 1, hosts_.end(), [&](const Host& host) {
        return std::any_of(sides_.begin(), sides_.end(),
                           [&](const Side& side) { return side.host == host.address; });
    });
}

void Head::accept(const UniqueFd& listener) {
    UniqueFd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd) {
        sides_.emplace_back(PeerChannel(std::move(fd), PeerChannel::Side::Hub, variable(kTokenVariable),
                                        variable("RANKSCOPE_RUN_ID")));
    }
}

void Head::start_on(Side& shell, const wire::MpiStart& wanted) {
    shell.asks = ++commands_;
    if (wanted.host() == hosts_.front().address) {
        shell.pid = start({"/bin/sh", "-c", wanted.command()});
        return;
    }
    const auto node = std::find_if(sides_.begin(), sides_.end(),
                                   [&](const Side& side) { return side.host == wanted.host(); });
    if (node == sides_.end()) {
        complain("mpirun wants to start something on %s, which is no node of this run, or has not come",
                 wanted.host().c_str());
        answer(shell.asks, 255);
        return;
    }
    wire::PeerMessage message;
    *message.mutable_mpi_start() = wanted;
    message.mutable_mpi_start()->set_number(shell.asks);
    node->channel.send(message);
}

void Head::answer(std::uint64_t number, int code) {
    for (Side& side : sides_) {
        if (side.asks == number) {
            wire::PeerMessage message;
            message.mutable_mpi_end()->set_code(code);
            side.channel.send(message);
        }
    }
}

void Head::take(Side& side, const wire::PeerMessage& message) {
    if (message.has_mpi_join()) {
        side.host = message.mpi_join().host();
    } else if (message.has_mpi_start()) {
        start_on(side, message.mpi_start());
    } else if (message.has_mpi_end()) {
        answer(message.mpi_end().number(), message.mpi_end().code());
    }
}

void Head::turn() {
    std::vector<pollfd> entries{{tcp_.get(), POLLIN, 0}, {local_.get(), POLLIN, 0}};
    for (const Side& side : sides_) {
        const int events = POLLIN | (side.channel.wants_to_write() ? POLLOUT : 0);
        entries.push_back({side.channel.fd(), static_cast<short>(events), 0});
    }
    wait_any(entries, kTick);
    accept(tcp_);
    accept(local_);
    for (Side& side : sides_) {
        for (const auto& message : side.channel.read()) {
            take(side, message);
        }
    }
    for (const auto& [pid, code] : ended_children()) {
        ended_[pid] = code;
        for (const Side& side : sides_) {
            if (side.pid == pid) {
                answer(side.asks, code);
            }
        }
    }
    for (Side& side : sides_) {
        side.channel.flush();
    }
    sides_.remove_if([](const Side& side) { return side.channel.state() != PeerChannel::State::Open; });
}

// They go first: a connection that is closed with something unread is reset, which a node could take for a fault.
void Head::release_nodes() {
    const auto is_node = [](const Side& side) { return !side.host.empty(); };
    for (Side& side : sides_) {
        if (is_node(side)) {
            wire::PeerMessage done;
            done.mutable_mpi_end();
            side.channel.send(done);
        }
    }
    for (const double until = monotonic_s() + 2 * kUntilKill;
         std::any_of(sides_.begin(), sides_.end(), is_node) && monotonic_s() < until;) {
        turn();
    }
}

int Head::run(const std::vector<std::string>& command) {
    write_files();
    for (const double until = monotonic_s() + kAllHaveCome;
         !all_have_come() && stopped == 0 && monotonic_s() < until;) {
        turn();
    }
    if (stopped != 0) {
        return 128 + SIGTERM;
    }
    const pid_t mpirun = start(command);
    double stop_at = std::numeric_limits<double>::infinity();
    while (ended_.count(mpirun) == 0) {
        turn();
        if (stopped != 0 && stop_at > monotonic_s() + kUntilKill) {
            ::kill(mpirun, SIGTERM);  // it stops its daemons
            stop_at = monotonic_s() + kUntilKill;
        }
        if (monotonic_s() > stop_at) {
            break;
        }
    }
    const int code = ended_.count(mpirun) > 0 ? ended_.at(mpirun) : 128 + SIGTERM;
    release_nodes();
    end_descendants();
    return code;
}

// ---- any other node ----

UniqueFd connect_to(const std::string& endpoint) {
    const auto address = address_of_endpoint(endpoint);
    for (const double until = monotonic_s() + kAllHaveCome;
         address && stopped == 0 && monotonic_s() < until;) {
        UniqueFd fd = tcp_socket(address->storage.ss_family);
        const int called =
            ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size);
        if (called == 0 || errno == EINPROGRESS) {
            int error = 0;
            socklen_t size = sizeof error;
            const bool ready = wait_fd(fd.get(), POLLOUT, monotonic_s() + 5);
            if (ready && ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0) {
                return fd;
            }
        }
        sleep_s(kTick);
    }
    return {};
}

// mpiexec of MPICH gives all ranks the head's environment: what it names of the head's rank is that of this node's.
void stand_for_the_heads_rank() {
    std::error_code error;
    const fs::path own = rank_folder();
    const fs::path heads = own.parent_path() / "rank-0";
    if (!own.empty() && own.filename() != "rank-0" && !fs::exists(heads, error)) {
        fs::create_directory_symlink(own, heads, error);
    }
}

int code_until_head_ends(PeerChannel channel) {
    std::map<pid_t, std::uint64_t> running;
    bool released = false;
    while (stopped == 0 && !released && channel.state() == PeerChannel::State::Open) {
        std::vector<pollfd> entries{
            {channel.fd(), static_cast<short>(POLLIN | (channel.wants_to_write() ? POLLOUT : 0)), 0}};
        wait_any(entries, kTick);
        for (const auto& message : channel.read()) {
            released = released || message.has_mpi_end();
            if (message.has_mpi_start()) {
                running[start({"/bin/sh", "-c", message.mpi_start().command()})] =
                    message.mpi_start().number();
            }
        }
        for (const auto& [pid, code] : ended_children()) {
            if (const auto command = running.find(pid); command != running.end()) {
                wire::PeerMessage message;
                message.mutable_mpi_end()->set_number(command->second);
                message.mutable_mpi_end()->set_code(code);
                channel.send(message);
                running.erase(command);
            }
        }
        channel.flush();
    }
    // The daemons end by themselves when mpirun does.
    for (const double until = monotonic_s() + kUntilKill; !running.empty() && monotonic_s() < until;) {
        sleep_s(kTick);
        for (const auto& [pid, code] : ended_children()) {
            running.erase(pid);
        }
    }
    end_descendants();
    if (channel.state() == PeerChannel::State::Refused) {
        return complain("the program at the first node does not hold the token of this run");
    }
    const bool well = released || channel.state() == PeerChannel::State::Closed;
    return stopped != 0 ? 128 + SIGTERM : well ? 0 : 1;
}

}  // namespace

int mpi_head(int argc, char** argv) {
    if (argc < 4 || std::strcmp(argv[2], "--") != 0) {
        return complain("mpi-head ENDPOINT HOSTS -- COMMAND…");
    }
    prepare();
    Head head(hosts_of(argv[1]), rank_folder().string());
    return head.listen(argv[0]) ? head.run({argv + 3, argv + argc}) : 1;
}

int mpi_node(int argc, char** argv) {
    if (argc != 2) {
        return complain("mpi-node ENDPOINT ADDRESS");
    }
    prepare();
    offer_shell();
    stand_for_the_heads_rank();
    UniqueFd fd = connect_to(argv[0]);
    if (!fd) {
        return stopped != 0 ? 128 + SIGTERM : complain("mpirun's node does not answer at %s", argv[0]);
    }
    PeerChannel channel(std::move(fd), PeerChannel::Side::Spoke, variable(kTokenVariable),
                        variable("RANKSCOPE_RUN_ID"));
    wire::PeerMessage join;
    join.mutable_mpi_join()->set_host(argv[1]);
    channel.send(join);
    return code_until_head_ends(std::move(channel));
}

int mpi_rsh(int argc, char** argv) {
    int at = 0;
    for (; at < argc && argv[at][0] == '-'; ++at) {  // ssh's; -x, -q, -n, -T have no value
        at += std::strchr("lpoi", argv[at][1]) != nullptr && argv[at][2] == '\0' ? 1 : 0;
    }
    const std::string path = variable(kHeadVariable);
    if (at + 1 >= argc || path.empty()) {
        return complain("mpi-rsh [OPTION…] HOST COMMAND…, below mpi-head");
    }
    const auto address = unix_address(path);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return complain("%s: %s", path.c_str(), std::strerror(errno));
    }
    PeerChannel channel(std::move(fd), PeerChannel::Side::Spoke, variable(kTokenVariable),
                        variable("RANKSCOPE_RUN_ID"));
    wire::PeerMessage message;
    const std::string host = argv[at];
    message.mutable_mpi_start()->set_host(host.substr(host.find('@') + 1));
    std::string command;
    for (++at; at < argc; ++at) {
        command += (command.empty() ? "" : " ") + std::string(argv[at]);
    }
    message.mutable_mpi_start()->set_command(command);
    channel.send(message);
    while (channel.state() == PeerChannel::State::Open) {
        std::vector<pollfd> entries{
            {channel.fd(), static_cast<short>(POLLIN | (channel.wants_to_write() ? POLLOUT : 0)), 0}};
        wait_any(entries, 1);
        for (const auto& answer : channel.read()) {
            if (answer.has_mpi_end()) {
                return answer.mpi_end().code();
            }
        }
        channel.flush();
    }
    return 255;
}

}  // namespace rankscope::agent
