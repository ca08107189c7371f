// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/node/notices.h>
#include <remote/desk/text.h>

#include <cstdlib>
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

Words words_for(const std::string& code, const std::string& node, int rank,
                const std::vector<std::string>& args) {
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
    const auto megabytes = [&](std::size_t i) {
        return std::to_string((std::strtoull(arg(i).c_str(), nullptr, 10) + 500000) / 1000000);
    };
    if (code == "spool-thinned") {
        return {
            text(kContext,
                 "The oldest %1 pieces of log (%2 MB) of this run were removed on %3: its spool was full.",
                 {arg(0), megabytes(1), node}),
            "",
            text(kContext,
                 "Metrics and events are all kept. Let the program write less, or stay connected.")};
    }
    if (code == "disk-full") {
        return {
            text(kContext, "The disk of %3 was full: %1 pieces of log (%2 MB) could not be kept.",
                 {arg(0), megabytes(1), node}),
            "",
            text(kContext,
                 "Metrics and events are all kept. Free space there, or set cache_dir: to another disk.")};
    }
    if (code == "disk-filling") {
        return {
            text(kContext,
                 "The disk of %1 is full (or the quota is): the run goes on, but soon nothing more is heard "
                 "of it.",
                 {node}),
            "",
            text(kContext,
                 "Free space there (`df -h`): what waits in memory meanwhile arrives then, metrics and "
                 "events all of it.")};
    }
    if (code == "disk-has-room") {
        return {text(kContext, "The disk of %1 has room again.", {node}), "", ""};
    }
    if (code == "rank-stopped") {
        return {
            text(kContext, "Rank %1 on %2 was stopped by signal %3: it waits, and all others wait for it.",
                 {std::to_string(rank), node, arg(1)}),
            "pid " + arg(0), text(kContext, "On %1: `kill -CONT %2` lets it go on.", {node, arg(0)})};
    }
    if (code == "restart-impossible") {
        return {arg(0).empty() || arg(0) == "?"
                    ? text(kContext,
                           "%1 gave up waiting for the other nodes: the ranks are not started again.", {node})
                    : text(kContext, "The ranks are not started again: %1 is lost.", {arg(0)}),
                "", text(kContext, "Start the run again when all nodes can be reached.")};
    }
    if (code == "rank-continued") {
        return {text(kContext, "Rank %1 on %2 goes on.", {std::to_string(rank), node}), "pid " + arg(0), ""};
    }
    if (code == "event-file-damaged") {
        return {arg(1) == "shrunk"
                    ? text(kContext, "An event file on %1 has become shorter; it is not read any further.",
                           {node})
                    : text(kContext, "An event file on %1 is damaged; it is not read any further.", {node}),
                text(kContext, "%1, from byte %2", {arg(0), arg(2)}),
                text(kContext, "The run is not harmed. Do two processes write the same file?")};
    }
    if (code == "event-file-foreign") {
        return {text(kContext, "An event file on %1 is not read: its writer is not of this run.", {node}),
                arg(0) + ": " + arg(1),
                text(kContext,
                     "Let metrics.tensorboard name a folder of this run's own; with {rank} in its "
                     "name, all below it is that rank's.")};
    }
    if (code == "event-folder-large") {
        return {
            text(kContext, "metrics.tensorboard: the folder on %1 holds too much to be looked through.",
                 {node}),
            text(kContext, "%1: more than %2 files, or %3 event files of this run", {arg(0), arg(1), arg(2)}),
            text(kContext, "Name the folder that the program gives its SummaryWriter.")};
    }
    if (code == "event-files-absent") {
        return {
            text(kContext, "metrics.tensorboard: no event file appeared on %1 during the run.", {node}),
            arg(1).empty() ? arg(0) : text(kContext, "%1; %2 is of another host", {arg(0), arg(1)}),
            arg(1).empty()
                ? text(kContext,
                       "Name the folder that the program gives its SummaryWriter; a relative one "
                       "is looked for from workdir.")
                : text(kContext,
                       "Where ranks run in containers, give each a folder of its own: {rank} in its name.")};
    }
    return {code, args.empty() ? std::string() : arg(0), ""};
}

}  // namespace

void describe_notice(Event& event) {
    auto* notice = std::get_if<DiagnosisEvent>(&event.body);
    if (notice == nullptr || event.node.empty()) {
        return;
    }
    Words words = words_for(notice->id, event.node, event.rank, notice->evidence);
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
