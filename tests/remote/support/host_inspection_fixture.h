// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "support/run_program.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <remote/agent/inspection/host_inspection.h>
#include <remote/agent/node/isolated_look.h>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// Inspects this node as it is, or with real faults in namespaces of their own.
class HostInspection : public ::testing::Test {
protected:
    wire::HostInspection look() {
        return inspect_host(NodePaths(folder_ / "cache"), request_, stop_.get_token());
    }

    // In a process of its own, so that what `prepare` changes (namespaces, user, limits) ends with it. `prepare`
    // returns an empty text, or why the test cannot be made here.
    wire::HostInspection look_after(const std::function<std::string()>& prepare) {
        IsolatedLook child(
            [&] {
                const std::string problem = prepare();
                return problem.empty() ? "+" + look().SerializeAsString() : "-" + problem;
            },
            test::kPatience);
        const auto answer = child.wait({});
        wire::HostInspection found;
        if (!answer) {
            ADD_FAILURE() << "the process of the test ended";
        } else if (answer->front() == '-') {
            skipped_ = answer->substr(1);
        } else {
            EXPECT_TRUE(found.ParseFromString(answer->substr(1)));
        }
        return found;
    }

    // The same where `prepare` starts services: they end with the process namespace.
    wire::HostInspection look_with_services(const std::function<std::string()>& prepare) {
        const auto inner = [&]() -> std::string {
            if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) {
                return "-/proc cannot be mounted";
            }
            const std::string problem = prepare();
            return problem.empty() ? "+" + look().SerializeAsString() : "-" + problem;
        };
        IsolatedLook outer(
            [&] {
                const std::string problem = enter(CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID);
                return problem.empty() ? IsolatedLook(inner, test::kPatience)
                                             .wait({})
                                             .value_or("-the process of the test ended")
                                       : "-" + problem;
            },
            test::kPatience);
        const auto answer = outer.wait({}).value_or("-the process of the test ended");
        wire::HostInspection found;
        if (answer.front() == '-') {
            skipped_ = answer.substr(1);
        } else {
            EXPECT_TRUE(found.ParseFromString(answer.substr(1)));
        }
        return found;
    }

    static std::string enter(int namespaces) {
        if (::unshare(namespaces) != 0) {
            return "namespaces need root";
        }
        if ((namespaces & CLONE_NEWNS) != 0 &&
            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            return "mounts cannot be private here";
        }
        return {};
    }

    static std::string run(const std::vector<std::string>& argv, const std::string& input = {}) {
        const auto result = test::run_program(argv, input);
        return result.status == 0 ? "" : argv.front() + " cannot be used here: " + result.errors;
    }

    const wire::PathState& path(const wire::HostInspection& found, const std::string& asked) {
        for (const auto& state : found.paths()) {
            if (state.path() == asked) {
                return state;
            }
        }
        ADD_FAILURE() << "no path " << asked;
        static const wire::PathState none;
        return none;
    }

    static bool is_unseen(const wire::HostInspection& found, const std::string& what) {
        return std::any_of(found.unseen().begin(), found.unseen().end(),
                           [&](const auto& entry) { return entry.what() == what; });
    }

    static std::string unseen_text(const wire::HostInspection& found) {
        std::string text;
        for (const auto& entry : found.unseen()) {
            text += entry.what() + ": " + entry.why() + "; ";
        }
        return text;
    }

    test::TemporaryFolder folder_;
    wire::InspectHost request_;
    std::stop_source stop_;
    std::string skipped_;
};

#define SKIP_IF_NOT_POSSIBLE()    \
    if (!skipped_.empty()) {      \
        GTEST_SKIP() << skipped_; \
    }                             \
    static_assert(true)

}  // namespace rankscope::agent
