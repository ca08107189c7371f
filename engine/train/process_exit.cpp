// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/process_exit.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace rankscope::engine {
namespace {

void write_error_file(const std::string& message, int missing_rank) {
    const char* file = std::getenv("TORCHELASTIC_ERROR_FILE");
    if (file == nullptr || *file == '\0') {
        return;
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    nlohmann::json extra = {{"py_callstack", ""}, {"timestamp", std::to_string(seconds)}};
    if (missing_rank >= 0) {
        extra["missing_rank"] = missing_rank;
    }
    const nlohmann::json content = {
        {"message", {{"message", "rankscope-worker: " + message}, {"extraInfo", std::move(extra)}}}};
    std::ofstream(file) << content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void end_process(int exit_code, const std::string& message, int missing_rank) {
    static std::atomic_flag ending = ATOMIC_FLAG_INIT;
    if (ending.test_and_set()) {
        for (;;) {
            pause();
        }
    }
    std::fflush(stdout);
    if (!message.empty()) {
        std::fprintf(stderr, "rankscope-worker: %s\n", message.c_str());
        write_error_file(message, missing_rank);
    }
    std::fflush(stderr);
    _exit(exit_code);
}

void end_on_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
        sigaddset(&signals, number);
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::thread([signals] {
        int number = 0;
        while (sigwait(&signals, &number) != 0) {
        }
        end_process(128 + number, std::string("stopped by ") + (number == SIGTERM  ? "SIGTERM"
                                                                : number == SIGINT ? "SIGINT"
                                                                                   : "SIGHUP"));
    }).detach();
}

}  // namespace rankscope::engine
