// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/transport/kept_answers.h>

#include <sodium/utils.h>

#include <utility>

namespace rankscope::inline nodes {
namespace {

std::string name_of(const HostKeyQuestion& question) {
    return question.host + '\n' + std::to_string(question.port) + '\n' + question.fingerprint;
}

std::string name_of(const SecretQuestion& question) {
    return question.account + '\n' + question.prompt + (question.passphrase ? "\nkey" : "\naccount");
}

void wipe(std::map<std::string, std::string>& secrets) {
    for (auto& [name, secret] : secrets) {
        sodium_memzero(secret.data(), secret.size());
    }
    secrets.clear();
}

}  // namespace

KeptAnswers::KeptAnswers(const Prompter& user, std::function<void()> before_asking)
    : user_(user), before_asking_(std::move(before_asking)) {}

KeptAnswers::~KeptAnswers() {
    wipe(typed_);
    wipe(kept_);
}

Prompter KeptAnswers::prompter() {
    Prompter prompter;
    if (user_.accept_host_key) {
        prompter.accept_host_key = [this](const HostKeyQuestion& question) { return host_key(question); };
    }
    if (user_.secret) {
        prompter.secret = [this](const SecretQuestion& question) { return secret(question); };
    }
    return prompter;
}

void KeptAnswers::begin_again() {
    wipe(kept_);
    kept_ = std::exchange(typed_, {});
    user_asked_ = false;
}

bool KeptAnswers::host_key(const HostKeyQuestion& question) {
    if (trusted_.contains(name_of(question))) {
        return true;
    }
    before_asking_();
    user_asked_ = true;
    const bool trusted = user_.accept_host_key(question);
    if (trusted) {
        trusted_.insert(name_of(question));
    }
    return trusted;
}

std::optional<std::string> KeptAnswers::secret(const SecretQuestion& question) {
    const std::string name = name_of(question);
    std::optional<std::string> answer;
    if (auto kept = kept_.extract(name); kept) {
        answer = std::move(kept.mapped());
    } else {
        before_asking_();
        user_asked_ = true;
        answer = user_.secret(question);
    }
    if (answer) {
        typed_[name] = *answer;
    }
    return answer;
}

}  // namespace rankscope::inline nodes
