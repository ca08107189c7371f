// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/socket.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/worker_process.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>
#include <thread>
#include <utility>

namespace rankscope::engine::test {
namespace {

std::filesystem::path with(const std::filesystem::path& base, const char* ending) {
    return base.string() + ending;
}

void send_to_file(int descriptor, const std::filesystem::path& file) {
    const int target = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(target, descriptor);
    close(target);
}

}  // namespace

WorkerProcess::WorkerProcess(const std::filesystem::path& folder, const std::string& name,
                             const std::vector<std::string>& arguments,
                             const std::map<std::string, std::string>& environment,
                             const std::string& network_namespace)
    : base_(folder / name) {
    write_file(with(base_, ".metrics"), "");
    std::vector<std::string> words{RANKSCOPE_WORKER};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ == 0) {
        send_to_file(STDOUT_FILENO, with(base_, ".out"));
        send_to_file(STDERR_FILENO, with(base_, ".err"));
        setenv("RANKSCOPE_METRICS", with(base_, ".metrics").c_str(), 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        if (!network_namespace.empty()) {
            const int space = open(("/run/netns/" + network_namespace).c_str(), O_RDONLY | O_CLOEXEC);
            if (setns(space, CLONE_NEWNET) != 0) {
                _exit(126);
            }
        }
        for (const auto& [key, value] : environment) {
            setenv(key.c_str(), value.c_str(), 1);
        }
        execv(argv[0], argv.data());
        _exit(127);
    }
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : base_(std::move(other.base_)), process_(std::exchange(other.process_, 0)), result_(other.result_) {}

WorkerProcess::~WorkerProcess() {
    if (process_ > 0 && !result_) {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
}

std::optional<int> WorkerProcess::wait(std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    while (!result_) {
        int status = 0;
        if (waitpid(process_, &status, WNOHANG) == process_) {
            result_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        } else if (Clock::now() > deadline) {
            return std::nullopt;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    return result_;
}

void WorkerProcess::signal(int number) const {
    kill(process_, number);
}
std::string WorkerProcess::errors() const {
    return read_file(with(base_, ".err"));
}
std::string WorkerProcess::output() const {
    return read_file(with(base_, ".out"));
}

std::vector<nlohmann::json> WorkerProcess::metrics() const {
    std::vector<nlohmann::json> lines;
    std::istringstream in(read_file(with(base_, ".metrics")));
    for (std::string line; std::getline(in, line);) {
        nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
        if (!value.is_discarded()) {
            lines.push_back(std::move(value));
        }
    }
    return lines;
}

std::vector<double> WorkerProcess::series(const std::string& key) const {
    std::vector<double> values;
    for (const auto& line : metrics()) {
        if (line.contains(key) && line[key].is_number()) {
            values.push_back(line[key]);
        }
    }
    return values;
}

std::string WorkerProcess::text(const std::string& key) const {
    std::string last;
    for (const auto& line : metrics()) {
        last = line.value(key, last);
    }
    return last;
}

int free_port() {
    return local_port(listen_tcp(0, "127.0.0.1"));
}

std::vector<WorkerProcess> start_world(const std::filesystem::path& folder, int world,
                                       const nlohmann::json& config,
                                       const std::vector<std::string>& arguments) {
    write_file(folder / "config.json", config.dump());
    const std::string port = std::to_string(free_port());
    std::vector<std::string> all{"--config", (folder / "config.json").string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<WorkerProcess> workers;
    for (int rank = 0; rank < world; ++rank) {
        std::map<std::string, std::string> environment;
        if (world > 1) {
            environment = {
                {"RANK", std::to_string(rank)},         {"LOCAL_RANK", std::to_string(rank)},
                {"WORLD_SIZE", std::to_string(world)},  {"LOCAL_WORLD_SIZE", std::to_string(world)},
                {"MASTER_ADDR", "127.0.0.1"},           {"MASTER_PORT", port},
                {"RANKSCOPE_TOKEN", "0123456789abcdef"}};
        }
        workers.emplace_back(folder, std::to_string(world) + "-rank" + std::to_string(rank), all,
                             environment);
    }
    return workers;
}

}  // namespace rankscope::engine::test
