// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/child_process.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string_view>
#include <utility>

extern char** environ;

namespace rankscope {
namespace {

class FileActions {
public:
    FileActions() { ::posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    void give(int fd, int stream) { ::posix_spawn_file_actions_adddup2(&actions_, fd, stream); }
    void give_null(int stream) {
        ::posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_RDWR, 0);
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

class Attributes {
public:
    explicit Attributes(bool own_session) {
        ::posix_spawnattr_init(&attributes_);
        sigset_t set;
        sigemptyset(&set);
        ::posix_spawnattr_setsigmask(&attributes_, &set);
        for (const int signal : {SIGPIPE, SIGHUP, SIGINT, SIGTERM}) {
            sigaddset(&set, signal);
        }
        ::posix_spawnattr_setsigdefault(&attributes_, &set);
        const int flags =
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (own_session ? POSIX_SPAWN_SETSID : 0);
        ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
    }
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;

    const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

// Ours, with the additions in place of what they replace.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& additions) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!additions.contains(std::string(text.substr(0, text.find('='))))) {
            all.emplace_back(text);
        }
    }
    for (const auto& [key, value] : additions) {
        all.push_back(key + '=' + value);
    }
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> list;
    list.reserve(words.size() + 1);
    for (auto& word : words) {
        list.push_back(word.data());
    }
    list.push_back(nullptr);
    return list;
}

// Gives the child its end and keeps ours, when a pipe is asked for. false: no pipe can be made.
bool connect(FileActions& actions, ChildProcess::Stream kind, int stream, UniqueFd& ours, UniqueFd& theirs) {
    if (kind == ChildProcess::Stream::Null) {
        actions.give_null(stream);
        return true;
    }
    Pipe pipe = make_pipe();
    ours = stream == STDIN_FILENO ? std::move(pipe.write_end) : std::move(pipe.read_end);
    theirs = stream == STDIN_FILENO ? std::move(pipe.read_end) : std::move(pipe.write_end);
    if (!ours) {
        return false;
    }
    set_nonblocking(ours.get(), true);
    actions.give(theirs.get(), stream);
    return true;
}

}  // namespace

std::optional<ChildProcess> ChildProcess::start(const std::vector<std::string>& argv,
                                                const Options& options) {
    if (argv.empty()) {
        errno = EINVAL;
        return std::nullopt;
    }
    ChildProcess child;
    child.own_session_ = options.own_session;
    FileActions actions;
    UniqueFd input;
    UniqueFd output;
    UniqueFd error;
    bool connected = true;
    if (options.stdio >= 0) {
        actions.give(options.stdio, STDIN_FILENO);
        actions.give(options.stdio, STDOUT_FILENO);
    } else {
        connected = connect(actions, options.input, STDIN_FILENO, child.input_, input) &&
                    connect(actions, options.output, STDOUT_FILENO, child.output_, output);
    }
    if (!connected || !connect(actions, options.error, STDERR_FILENO, child.error_, error)) {
        return std::nullopt;
    }
    const Attributes attributes(options.own_session);
    std::vector<std::string> words = argv;
    std::vector<std::string> variables = environment_with(options.environment);
    const int failed = ::posix_spawnp(&child.pid_, words.front().c_str(), actions.get(), attributes.get(),
                                      pointers(words).data(), pointers(variables).data());
    if (failed != 0) {
        child.pid_ = -1;
        errno = failed;
        return std::nullopt;
    }
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept {
    *this = std::move(other);
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
        kill_and_reap();
        pid_ = std::exchange(other.pid_, -1);
        own_session_ = other.own_session_;
        input_ = std::move(other.input_);
        output_ = std::move(other.output_);
        error_ = std::move(other.error_);
        status_ = std::exchange(other.status_, std::nullopt);
    }
    return *this;
}

ChildProcess::~ChildProcess() {
    kill_and_reap();
}

bool ChildProcess::reap(int flags) {
    while (pid_ > 0) {
        int status = 0;
        const pid_t ended = ::waitpid(pid_, &status, flags);
        if (ended == 0) {
            return false;
        }
        if (ended < 0 && errno == EINTR) {
            continue;
        }
        if (ended == pid_ && WIFEXITED(status)) {
            status_ = WEXITSTATUS(status);
        }
        pid_ = -1;
    }
    return true;
}

void ChildProcess::abandon() {
    if (pid_ > 0) {
        kill();
        abandon_child(std::exchange(pid_, -1));
    }
}

bool ChildProcess::has_ended() {
    return reap(WNOHANG);
}

void ChildProcess::wait() {
    reap(0);
}

void ChildProcess::kill(int signal) const {
    if (pid_ > 0) {
        ::kill(own_session_ ? -pid_ : pid_, signal);
    }
}

void ChildProcess::kill_and_reap() {
    kill();
    wait();
}

void abandon_child(pid_t pid) {
    static std::mutex mutex;
    static std::vector<pid_t> abandoned;
    ::kill(pid, SIGKILL);
    const std::lock_guard lock(mutex);
    abandoned.push_back(pid);
    std::erase_if(abandoned, [](pid_t child) { return ::waitpid(child, nullptr, WNOHANG) != 0; });
}

}  // namespace rankscope
