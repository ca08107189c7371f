// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/serve/background_requests.h>

#include <exception>
#include <memory>
#include <system_error>
#include <utility>

namespace rankscope::agent {
namespace {

// A thread or process that cannot be made is no failed file operation.
wire::Failure failure_of(const std::exception& error) {
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    wire::Failure failure;
    failure.set_code(system != nullptr && system->code() == std::errc::resource_unavailable_try_again
                         ? "pids-limit"
                         : "io-error");
    failure.set_detail(error.what());
    return failure;
}

}  // namespace

BackgroundRequests::~BackgroundRequests() {
    for (auto& thread : threads_) {
        thread.request_stop();
    }
    threads_.clear();  // joins
}

void BackgroundRequests::start(std::uint64_t id, Work work) {
    wire::Reply reply;
    reply.set_id(id);
    if (threads_.size() >= kMostBackgroundRequests) {
        reply.mutable_failure()->set_code("bad-request");
        reply.mutable_failure()->set_detail("too many requests at a time");
        return send_(reply);
    }
    const auto place = threads_.emplace(threads_.end());
    try {
        *place =
            std::jthread([this, place, work = std::move(work), reply](const std::stop_token& stop) mutable {
                try {
                    work(stop, reply);
                } catch (const std::exception& error) {
                    *reply.mutable_failure() = failure_of(error);
                }
                loop_.defer([this, place, reply = std::move(reply)] {
                    place->join();
                    threads_.erase(place);
                    send_(reply);
                });
            });
    } catch (const std::system_error& error) {
        threads_.erase(place);
        *reply.mutable_failure() = failure_of(error);
        send_(reply);
    }
}

}  // namespace rankscope::agent
