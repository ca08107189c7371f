// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/ask_launcher.h>
#include <remote/desk/shared/text.h>

#include <optional>
#include <thread>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AgentRequests";

/// A question, which launchers answer on another thread, later, or within ask().
struct Question {
    explicit Question(RunLauncher::OnReply reply_to) : on_reply(std::move(reply_to)) {}

    const RunLauncher::OnReply on_reply;
    const std::thread::id asker = std::this_thread::get_id();
    bool asking = true;  ///< only the asker reads and writes it
    std::optional<Result<wire::Reply>> early;

    void take(Result<wire::Reply> reply) {
        if (std::this_thread::get_id() == asker && asking) {
            early = std::move(reply);
        } else {
            on_reply(std::move(reply));
        }
    }
};

}  // namespace

void ask_launcher(std::mutex& mutex, const std::unique_ptr<RunLauncher>& launcher, const std::string& node,
                  wire::Request request, double timeout_s, RunLauncher::OnReply on_reply) {
    const auto question = std::make_shared<Question>(std::move(on_reply));
    {
        const std::lock_guard lock(mutex);
        if (launcher) {
            launcher->ask(node, std::move(request), timeout_s,
                          [question](Result<wire::Reply> reply) { question->take(std::move(reply)); });
        } else {
            question->early =
                Failure{"ssh-link-lost", node, text(kContext, "The node is not connected."), "", ""};
        }
    }
    question->asking = false;
    if (question->early) {
        question->on_reply(*std::exchange(question->early, std::nullopt));
    }
}

}  // namespace rankscope::inline runs
