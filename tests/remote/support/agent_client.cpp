// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/agent_client.h"

#include <base/paths.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace rankscope::test {

AgentClient::AgentClient(const std::string& cache_dir, const std::vector<std::string>& command) {
    ::signal(SIGPIPE, SIG_IGN);
    std::vector<std::string> words = command;
    if (words.empty()) {
        words = {(program_dir() / "rankscope-agent").string(), "serve"};
    }
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    Pipe in = make_pipe();
    Pipe out = make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in.read_end.get(), STDIN_FILENO);
        ::dup2(out.write_end.get(), STDOUT_FILENO);
        ::setenv("RANKSCOPE_CACHE_DIR", cache_dir.c_str(), 1);
        ::setenv("HOME", cache_dir.c_str(), 1);
        ::signal(SIGPIPE, SIG_DFL);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    input_ = std::move(in.write_end);
    output_ = std::move(out.read_end);
    set_nonblocking(output_.get(), true);
}

AgentClient::~AgentClient() {
    finish();
}

void AgentClient::send_bytes(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto put = ::write(input_.get(), bytes.data() + done, bytes.size() - done);
        if (put <= 0) {
            return;
        }
        done += static_cast<std::size_t>(put);
    }
}

std::uint64_t AgentClient::send(wire::Request request) {
    request.set_id(next_id_++);
    std::string frame;
    append_frame(frame, request.SerializeAsString());
    send_bytes(frame);
    return request.id();
}

wire::Reply AgentClient::call(wire::Request request) {
    const auto id = send(std::move(request));
    EXPECT_TRUE(wait_for([&] { return replies_.count(id) > 0; })) << "no reply";
    return replies_[id];
}

bool AgentClient::wait_for(const std::function<bool()>& condition, double seconds) {
    const double deadline = monotonic_s() + seconds;
    while (!condition()) {
        if (monotonic_s() > deadline) {
            return false;
        }
        read_some(50);
    }
    return true;
}

void AgentClient::read_some(int timeout_ms) {
    pollfd fd{output_.get(), POLLIN, 0};
    ::poll(&fd, 1, timeout_ms);
    std::array<char, 65536> bytes;
    const auto got = output_ ? ::read(output_.get(), bytes.data(), bytes.size()) : 0;
    if (got == 0) {
        output_.reset();
    }
    if (got <= 0) {
        return;
    }
    std::string data(bytes.data(), static_cast<std::size_t>(got));
    if (!greeted_) {
        std::string rest;
        greeted_ = greeting_.feed(data, rest);
        data = rest;
    }
    frames_.feed(data);
    while (const auto payload = frames_.next()) {
        wire::Reply reply;
        EXPECT_TRUE(reply.ParseFromArray(payload->data(), static_cast<int>(payload->size())))
            << "unreadable reply";
        for (const auto& event : reply.events().events()) {
            events_.push_back(event);
        }
        if (reply.id() != 0) {
            replies_[reply.id()] = std::move(reply);
        }
    }
}

void AgentClient::kill() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
    }
    finish();
}

int AgentClient::finish() {
    input_.reset();
    int status = 0;
    const pid_t pid = std::exchange(pid_, -1);
    if (pid <= 0 || !wait_until([&] { return ::waitpid(pid, &status, WNOHANG) != 0; })) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace rankscope::test
