// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/admission.h>

#include <condition_variable>
#include <map>
#include <mutex>

namespace rankscope::inline nodes {
namespace {

constexpr int kPerHost = 8;
constexpr int kInAll = 32;

struct Gate {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::map<std::string, int> per_host;
    int in_all = 0;
};

// One for the process: what a server counts is all our connections, whichever part makes them.
Gate& gate() {
    static Gate the_gate;
    return the_gate;
}

}  // namespace

struct Admission::Held {
    explicit Held(std::string name) : host(std::move(name)) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        {
            const std::lock_guard lock(gate().mutex);
            --gate().in_all;
            if (--gate().per_host[host] == 0) {
                gate().per_host.erase(host);
            }
        }
        gate().changed.notify_all();
    }
    std::string host;
};

std::optional<Admission> Admission::enter(const std::string& host, const std::stop_token& stop) {
    std::unique_lock lock(gate().mutex);
    const bool entered = gate().changed.wait(lock, stop, [&] {
        const auto found = gate().per_host.find(host);
        return gate().in_all < kInAll && (found == gate().per_host.end() || found->second < kPerHost);
    });
    if (!entered || stop.stop_requested()) {
        return std::nullopt;
    }
    ++gate().in_all;
    ++gate().per_host[host];
    return Admission(std::make_shared<Held>(host));
}

}  // namespace rankscope::inline nodes
