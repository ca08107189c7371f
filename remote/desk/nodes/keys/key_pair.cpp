// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/files.h>
#include <base/paths.h>
#include <remote/desk/nodes/keys/key_pair.h>
#include <remote/desk/nodes/transport/ssh_session.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace rankscope::inline nodes {
namespace fs = std::filesystem;
namespace {

constexpr const char* kContext = "KeyPair";

Failure cannot_write(const fs::path& file, int error) {
    return {"cannot-write", file.string(),
            text(kContext, "The key file cannot be written: %1.", {std::strerror(error)}),
            text(kContext, "Check the folder's permissions and free space."), ""};
}

Failure taken(const fs::path& file) {
    return {"key-exists", file.string(), text(kContext, "There is a file of this name; it was not touched."),
            text(kContext, "Use that key, or choose another name: --file ~/.ssh/id_rankscope."), ""};
}

std::string fingerprint_of(ssh_key key) {
    unsigned char* hash = nullptr;
    std::size_t length = 0;
    if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &length) != SSH_OK) {
        return {};
    }
    char* printable = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, length);
    std::string result = printable != nullptr ? printable : "";
    ssh_string_free_char(printable);
    ssh_clean_pubkey_hash(&hash);
    return result;
}

// Written beside, then linked: the name appears with the whole key in it, or not at all, and never in place
// of another file.
int put(const fs::path& file, mode_t mode, const std::string& content) {
    const std::string part = file.string() + ".part-" + std::to_string(::getpid());
    const UniqueFd fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd) {
        return errno;
    }
    int error = 0;
    if (::fchmod(fd.get(), mode) != 0 ||
        ::write(fd.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()) ||
        ::fsync(fd.get()) != 0 || ::link(part.c_str(), file.c_str()) != 0) {
        error = errno != 0 ? errno : EIO;
    }
    ::unlink(part.c_str());
    return error;
}

// libssh writes to a file by itself; it gets one that only we can read.
Result<std::string> private_text(ssh_key key, const fs::path& folder, const std::string& passphrase) {
    std::string part = (folder / ".rankscope-key-XXXXXX").string();
    const UniqueFd fd(::mkostemp(part.data(), O_CLOEXEC));  // 0600
    if (!fd) {
        return cannot_write(folder, errno);
    }
    const int code = ssh_pki_export_privkey_file(key, passphrase.empty() ? nullptr : passphrase.c_str(),
                                                 nullptr, nullptr, part.c_str());
    auto content = read_file(part);
    ::unlink(part.c_str());
    if (code != SSH_OK || !content || content->empty()) {
        return cannot_write(folder, EIO);
    }
    return std::move(*content);
}

}  // namespace

fs::path default_key_file() {
    return home_dir() / ".ssh" / "id_ed25519";
}

Result<KeyPair> generate_key(const fs::path& file, const std::string& comment,
                             const std::string& passphrase) {
    const fs::path public_file = file.string() + ".pub";
    for (const auto& path : {file, public_file}) {
        std::error_code error;
        if (fs::exists(fs::symlink_status(path, error))) {
            return taken(path);
        }
    }
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    std::error_code error;
    if (!fs::exists(folder, error) && (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)) {
        return cannot_write(folder, errno);
    }
    ssh_key raw = nullptr;
    if (ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &raw) != SSH_OK) {
        return Failure{"key-generation", file.string(), text(kContext, "No key could be made."), "", ""};
    }
    const SshKey key(raw);
    char* base64 = nullptr;
    ssh_pki_export_pubkey_base64(key.get(), &base64);
    KeyPair pair{file, std::string("ssh-ed25519 ") + (base64 != nullptr ? base64 : ""),
                 fingerprint_of(key.get())};
    ssh_string_free_char(base64);
    if (!comment.empty()) {
        pair.public_line += ' ' + comment;
    }
    const auto content = private_text(key.get(), folder, passphrase);
    if (!content) {
        return content.failure();
    }
    if (const int failed = put(file, 0600, *content); failed != 0) {
        return failed == EEXIST ? taken(file) : cannot_write(file, failed);
    }
    if (const int failed = put(public_file, 0644, pair.public_line + '\n'); failed != 0) {
        return failed == EEXIST ? taken(public_file) : cannot_write(public_file, failed);
    }
    return pair;
}

Result<KeyPair> read_public_key(const fs::path& file) {
    const bool half = file.extension() == ".pub";
    const fs::path public_file = half ? file : fs::path(file.string() + ".pub");
    KeyPair pair;
    pair.file = half ? fs::path(file).replace_extension() : file;
    const auto content = read_file(public_file);
    if (!content) {
        return Failure{"no-public-key", public_file.string(),
                       text(kContext, "The public key cannot be read: %1.", {std::strerror(errno)}),
                       text(kContext, "Make one with `rankscopectl keys generate`, or name another: --file."),
                       ""};
    }
    pair.public_line = content->substr(0, content->find('\n'));
    while (!pair.public_line.empty() && (pair.public_line.back() == '\r' || pair.public_line.back() == ' ')) {
        pair.public_line.pop_back();
    }
    ssh_key raw = nullptr;
    if (pair.public_line.find('\0') != std::string::npos ||
        ssh_pki_import_pubkey_file(public_file.c_str(), &raw) != SSH_OK) {
        return Failure{"bad-public-key", public_file.string(), text(kContext, "This is no public SSH key."),
                       text(kContext, "It is one line that begins with its type, such as ssh-ed25519."), ""};
    }
    const SshKey key(raw);
    pair.fingerprint = fingerprint_of(key.get());
    return pair;
}

}  // namespace rankscope::inline nodes
