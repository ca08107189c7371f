// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/prompter.h>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace rankscope::inline nodes {

/// Answers of the user to the questions of one connection. A server that does not wait for an answer
/// (LoginGraceTime) is connected to again; the next attempt gets the answer without a second question.
/// In memory only, wiped at the end. Used by one thread.
class KeptAnswers {
public:
    /// `before_asking`: called before each question that reaches the user.
    KeptAnswers(const Prompter& user, std::function<void()> before_asking);
    KeptAnswers(const KeptAnswers&) = delete;
    KeptAnswers& operator=(const KeptAnswers&) = delete;
    ~KeptAnswers();

    /// Valid as long as this object. Functions that the user's prompter lacks stay empty.
    Prompter prompter();
    /// Was the user asked since the last attempt began?
    bool user_asked() const { return user_asked_; }
    /// Another attempt: answers are given again, once each.
    void begin_again();

private:
    bool host_key(const HostKeyQuestion& question);
    std::optional<std::string> secret(const SecretQuestion& question);

    const Prompter& user_;
    std::function<void()> before_asking_;
    std::set<std::string> trusted_;
    std::map<std::string, std::string> typed_;  ///< in this attempt
    std::map<std::string, std::string> kept_;   ///< of the attempt before
    bool user_asked_ = false;
};

}  // namespace rankscope::inline nodes
