// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/runs/launch/ask_and_wait.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace rankscope::inline runs {
namespace {

// Shared: the answer may come when the wait is over.
struct Answer {
    std::mutex mutex;
    std::condition_variable_any arrived;
    std::optional<Result<wire::Reply>> reply;
};

}  // namespace

Result<wire::Reply> ask_and_wait(const AskAgent& ask, const std::string& node, wire::Request request,
                                 double timeout_s, const std::stop_token& stop) {
    const auto answer = std::make_shared<Answer>();
    ask(node, std::move(request), timeout_s, [answer](Result<wire::Reply> reply) {
        const std::lock_guard lock(answer->mutex);
        answer->reply = std::move(reply);
        answer->arrived.notify_all();
    });
    std::unique_lock lock(answer->mutex);
    if (!answer->arrived.wait(lock, stop, [&] { return answer->reply.has_value(); })) {
        return cancelled(node);
    }
    return std::move(*answer->reply);
}

}  // namespace rankscope::inline runs
