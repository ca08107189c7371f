// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/files.h>
#include <base/wait_fd.h>
#include <remote/desk/nodes/transport/agent_keys.h>

#include <sodium/utils.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

namespace rankscope::inline nodes {
namespace {

constexpr double kAgentTimeout = 2;
constexpr std::size_t kLargestAnswer = 256U << 10U;  // as OpenSSH's own limit
constexpr unsigned char kRequestIdentities = 11;
constexpr unsigned char kIdentitiesAnswer = 12;

// Length and bytes, as the SSH protocol writes strings.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    std::optional<std::uint32_t> number() {
        if (bytes_.size() < 4) {
            return std::nullopt;
        }
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            value = value << 8U | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(i)]);
        }
        bytes_.remove_prefix(4);
        return value;
    }
    std::optional<std::string> string() {
        const auto size = number();
        if (!size || *size > bytes_.size()) {
            return std::nullopt;
        }
        std::string value(bytes_.substr(0, *size));
        bytes_.remove_prefix(*size);
        return value;
    }

private:
    std::string_view bytes_;
};

std::string agent_socket(const SshTarget& target) {
    const std::string configured = target.option("identityagent");
    if (configured == "none") {
        return {};
    }
    const char* variable = nullptr;
    if (configured.empty() || configured == "SSH_AUTH_SOCK") {
        variable = std::getenv("SSH_AUTH_SOCK");
    } else if (configured[0] == '$') {
        variable = std::getenv(configured.c_str() + 1);
    } else {
        return expand_ssh_path(target, configured);
    }
    return variable != nullptr ? variable : "";
}

bool read_exactly(int fd, std::string& out, std::size_t size, double deadline) {
    out.resize(size);
    for (std::size_t at = 0; at < size;) {
        if (!wait_readable(fd, deadline)) {
            return false;
        }
        const auto got = ::recv(fd, out.data() + at, size - at, 0);
        if (got <= 0) {
            return false;
        }
        at += static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

std::vector<AgentKey> parse_agent_keys(const std::string& body) {
    std::vector<AgentKey> keys;
    if (body.empty() || static_cast<unsigned char>(body[0]) != kIdentitiesAnswer) {
        return keys;
    }
    Reader reader(std::string_view(body).substr(1));
    const auto count = reader.number();
    for (std::uint32_t i = 0; count && i < *count; ++i) {
        auto blob = reader.string();
        auto comment = reader.string();
        if (!blob || !comment) {
            break;
        }
        auto type = Reader(*blob).string();
        keys.push_back({type.value_or(""), std::move(*blob), std::move(*comment)});
    }
    return keys;
}

std::vector<AgentKey> list_agent_keys(const SshTarget& target) {
    const std::string path = agent_socket(target);
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return {};
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return {};
    }
    const char request[5] = {0, 0, 0, 1, static_cast<char>(kRequestIdentities)};
    if (::send(fd.get(), request, sizeof request, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof request)) {
        return {};
    }
    const double deadline = monotonic_s() + kAgentTimeout;
    std::string head;
    std::string body;
    if (!read_exactly(fd.get(), head, 4, deadline)) {
        return {};
    }
    const auto size = Reader(head).number();
    if (!size || *size > kLargestAnswer || !read_exactly(fd.get(), body, *size, deadline)) {
        return {};
    }
    return parse_agent_keys(body);
}

bool key_file_is_open(const std::string& file) {
    struct stat status {};
    return !is_public_half(file) && ::stat(file.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
           (status.st_mode & 077U) != 0;
}

bool key_needs_passphrase(const std::string& file) {
    const auto content = read_file(file);
    if (!content) {
        return false;
    }
    if (content->find("ENCRYPTED") != std::string::npos) {
        return true;  // PEM: "Proc-Type: 4,ENCRYPTED", PKCS#8: "BEGIN ENCRYPTED PRIVATE KEY"
    }
    // OpenSSH's own format: "openssh-key-v1\0", then the name of the cipher; "none" has no passphrase.
    constexpr std::string_view kBegin = "-----BEGIN OPENSSH PRIVATE KEY-----";
    constexpr std::string_view kMagic{"openssh-key-v1\0", 15};
    const auto begin = content->find(kBegin);
    if (begin == std::string::npos) {
        return false;
    }
    std::string base64;
    for (std::size_t i = begin + kBegin.size(); i < content->size() && base64.size() < 60; ++i) {
        if ((*content)[i] != '\n' && (*content)[i] != '\r') {
            base64 += (*content)[i];
        }
    }
    unsigned char head[45];  // magic and the cipher's name are within
    std::size_t length = 0;
    sodium_base642bin(head, sizeof head, base64.data(), base64.size(), nullptr, &length, nullptr,
                      sodium_base64_VARIANT_ORIGINAL);
    const std::string_view bytes(reinterpret_cast<const char*>(head), length);
    if (!bytes.starts_with(kMagic)) {
        return false;
    }
    return Reader(bytes.substr(kMagic.size())).string().value_or("none") != "none";
}

std::string public_key_type(const std::string& file) {
    const auto content = read_file(file + ".pub");
    return content ? content->substr(0, content->find(' ')) : std::string();
}

bool is_public_half(const std::string& file) {
    return file.ends_with(".pub");
}

bool holds(const std::vector<AgentKey>& keys, const std::string& file) {
    const auto content = read_file(is_public_half(file) ? file : file + ".pub");
    if (!content) {
        return false;
    }
    std::istringstream words(*content);
    std::string type;
    std::string base64;
    words >> type >> base64;
    std::string blob(base64.size(), '\0');
    std::size_t length = 0;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(blob.data()), blob.size(), base64.data(),
                          base64.size(), nullptr, &length, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0) {
        return false;
    }
    blob.resize(length);
    return std::any_of(keys.begin(), keys.end(), [&](const AgentKey& key) { return key.blob == blob; });
}

}  // namespace rankscope::inline nodes
