// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/paths.h>
#include <base/wait_fd.h>
#include <remote/desk/nodes/transport/askpass_server.h>
#include <remote/desk/shared/text.h>

#include <sodium/utils.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "AskpassServer";
constexpr std::size_t kLongestPrompt = 65536;
constexpr double kPromptTimeout = 5;  // for the askpass program's question, not for the user's answer

// Build tree and /usr/lib/rankscope.
std::filesystem::path askpass_program() {
    for (const auto& candidate :
         {program_dir() / "rankscope-askpass", program_dir() / "../lib/rankscope/rankscope-askpass"}) {
        std::error_code error;
        if (std::filesystem::exists(candidate, error)) {
            return candidate.lexically_normal();
        }
    }
    return {};
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) {
        return {};
    }
    const auto from = begin + before.size();
    const auto end = text.find(after, from);
    return end == std::string::npos ? std::string() : text.substr(from, end - from);
}

bool same_user(int fd) {
    ucred peer{};
    socklen_t length = sizeof peer;
    return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

// Everything until the other side closes its direction.
std::string read_prompt(int fd) {
    std::string prompt;
    const double deadline = monotonic_s() + kPromptTimeout;
    std::array<char, 4096> bytes;
    for (;;) {
        if (!wait_readable(fd, deadline)) {
            return prompt;
        }
        const auto got = ::recv(fd, bytes.data(), bytes.size(), 0);
        if (got <= 0 || prompt.size() > kLongestPrompt) {
            return prompt;
        }
        prompt.append(bytes.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace

AskpassQuestion understand_askpass(const std::string& prompt) {
    AskpassQuestion question;
    if (prompt.find("continue connecting (yes/no") != std::string::npos) {
        question.kind = AskpassQuestion::Kind::HostKey;
        std::string host = between(prompt, "authenticity of host '", "'");
        host = host.substr(0, host.find(" ("));
        if (host.starts_with('[')) {
            const auto close = host.find("]:");
            if (close != std::string::npos) {
                question.key.port = std::atoi(host.c_str() + close + 2);
                host = host.substr(1, close - 1);
            }
        }
        question.key.host = host;
        const auto line = prompt.find(" key fingerprint is ");
        if (line != std::string::npos) {
            const auto begin = prompt.rfind('\n', line) + 1;
            question.key.key_type = prompt.substr(begin, line - begin);
            question.key.fingerprint = between(prompt, " key fingerprint is ", "\n");
            while (!question.key.fingerprint.empty() && question.key.fingerprint.back() == '.') {
                question.key.fingerprint.pop_back();
            }
        }
        question.other_type_known =
            prompt.find("keys of different type are already known") != std::string::npos;
        return question;
    }
    if (prompt.starts_with("Enter passphrase for ")) {
        question.kind = AskpassQuestion::Kind::Passphrase;
        question.file = between(prompt, "'", "'");
        if (question.file.empty()) {
            question.file = between(prompt, "\"", "\"");
        }
        return question;
    }
    // "trainer@10.0.0.11's password: ", or by keyboard-interactive "(trainer@10.0.0.11) Password: "
    const auto own = prompt.find("'s password:");
    if (own != std::string::npos) {
        question.kind = AskpassQuestion::Kind::Password;
        question.account = prompt.substr(0, own);
    } else if (prompt.starts_with('(') && prompt.find("assword:") != std::string::npos) {
        question.kind = AskpassQuestion::Kind::Password;
        question.account = between(prompt, "(", ")");
    }
    return question;
}

AskpassServer::AskpassServer(UniqueFd listener, std::filesystem::path socket, std::filesystem::path program,
                             const SshTarget& target, const Prompter& prompter)
    : listener_(std::move(listener)),
      socket_(std::move(socket)),
      program_(std::move(program)),
      target_(target),
      prompter_(prompter) {}

Result<std::unique_ptr<AskpassServer>> AskpassServer::listen(const std::filesystem::path& folder,
                                                             const SshTarget& target,
                                                             const Prompter& prompter) {
    const auto program = askpass_program();
    if (program.empty()) {
        return Failure{"incomplete-install", target.node,
                       text(kContext, "This installation lacks %1.", {"rankscope-askpass"}),
                       text(kContext, "Build it (./packaging/build) or install the package again."), ""};
    }
    const auto path = folder / "ask";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    bool fine = fd && path.string().size() < sizeof address.sun_path;
    if (fine) {
        std::memcpy(address.sun_path, path.c_str(), path.string().size() + 1);
        fine = ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
               ::listen(fd.get(), 4) == 0;
    }
    if (!fine) {
        return Failure{"local-exec", target.node,
                       text(kContext, "Cannot create a private socket in %1.", {folder.string()}),
                       text(kContext, "Check the folder's file system."), std::strerror(errno)};
    }
    return std::unique_ptr<AskpassServer>(
        new AskpassServer(std::move(fd), path, program, target, prompter));  // NOLINT: private constructor
}

std::map<std::string, std::string> AskpassServer::environment() const {
    const char* display = std::getenv("DISPLAY");
    return {{"SSH_ASKPASS", program_.string()},
            {"SSH_ASKPASS_REQUIRE", "force"},
            {"DISPLAY", display != nullptr && display[0] != '\0' ? display : ":"},  // OpenSSH before 8.4
            {"RANKSCOPE_ASKPASS_SOCKET", socket_.string()}};
}

std::optional<std::string> AskpassServer::answer(const std::string& prompt) {
    AskpassQuestion question = understand_askpass(prompt);
    if (question.kind == AskpassQuestion::Kind::HostKey) {
        question.key.node = target_.node;
        if (!question.other_type_known && prompter_.accept_host_key &&
            prompter_.accept_host_key(question.key)) {
            answered_ = true;
            return "yes";
        }
        refused_key_ = question;
        return "no";
    }
    const bool passphrase = question.kind == AskpassQuestion::Kind::Passphrase;
    if (passphrase && question.file == locked_file_) {
        return std::nullopt;  // ssh asks three times
    }
    SecretQuestion secret{target_.node, target_.account(), "", passphrase, ++attempts_[prompt]};
    switch (question.kind) {
        case AskpassQuestion::Kind::Passphrase:
            secret.prompt = shorten_home(question.file);
            break;
        case AskpassQuestion::Kind::Password:
            // A jump host has an account of its own.
            secret.account = question.account.empty() ? secret.account : question.account;
            secret.prompt = text(kContext, "Password");
            break;
        default:
            secret.prompt = prompt;
    }
    auto reply = prompter_.secret && !cancelled_ ? prompter_.secret(secret) : std::nullopt;
    answered_ = answered_ || reply;
    if (passphrase) {
        locked_file_ = reply ? "" : question.file;
    } else {
        cancelled_ = !reply;
        cannot_ask_ = !prompter_.secret;
        typed_password_ = typed_password_ || reply;
    }
    return reply;
}

void AskpassServer::serve_one() {
    const UniqueFd connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection || !same_user(connection.get())) {
        return;
    }
    auto reply = answer(read_prompt(connection.get()));
    if (!reply) {
        return;  // closed without a byte: askpass fails
    }
    *reply += '\n';
    std::size_t sent = 0;
    while (sent < reply->size()) {
        const auto put = ::send(connection.get(), reply->data() + sent, reply->size() - sent, MSG_NOSIGNAL);
        if (put <= 0) {
            break;
        }
        sent += static_cast<std::size_t>(put);
    }
    sodium_memzero(reply->data(), reply->size());
}

}  // namespace rankscope::inline nodes
