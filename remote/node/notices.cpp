// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/text.h>
#include <remote/node/notices.h>

#include <string>
#include <vector>

namespace rankscope {
namespace {

constexpr const char* kContext = "Notices";

struct Words {
    std::string title;
    std::string evidence;
    std::string fix;
};

Words words_for(const std::string& code, const std::string& node, const std::vector<std::string>& args) {
    const auto arg = [&args](std::size_t i) { return i < args.size() ? args[i] : std::string("?"); };
    if (code == "peer-link-absent") {
        return {text(kContext,
                     "The supervisor of %1 has no link to the master's: a death is told to the other nodes "
                     "by this "
                     "computer only, as long as it is connected.",
                     {node}),
                arg(0),
                text(kContext,
                     "Let the nodes reach one another by TCP (ports above 1023), as the ranks must, too.")};
    }
    return {code, args.empty() ? std::string() : arg(0), ""};
}

}  // namespace

void describe_notice(Event& event) {
    auto* notice = std::get_if<DiagnosisEvent>(&event.body);
    if (notice == nullptr || event.node.empty()) {
        return;
    }
    Words words = words_for(notice->id, event.node, notice->evidence);
    notice->title = std::move(words.title);
    notice->evidence.clear();
    notice->fix.clear();
    if (!words.evidence.empty()) {
        notice->evidence.push_back(std::move(words.evidence));
    }
    if (!words.fix.empty()) {
        notice->fix.push_back(std::move(words.fix));
    }
}

}  // namespace rankscope
