// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/bundle_store.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;

struct BundleStore::Incoming {
    fs::path target;
    fs::path temporary;
    wire::FileRef file;
    UniqueFd fd;
    Sha256 hash;
    std::uint64_t received = 0;

    ~Incoming() {
        if (fd) {
            std::error_code ignored;
            fs::remove(temporary, ignored);
        }
    }
};

AgentFailure failure_from_errno(int error, const std::string& what) {
    const std::string detail = what + ": " + std::strerror(error);
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return {"disk-full", detail};
        case EACCES:
        case EPERM:
            return {"no-permission", detail};
        case EROFS:
            return {"read-only", detail};
        default:
            return {"io-error", detail};
    }
}

BundleStore::BundleStore(NodePaths paths) : paths_(std::move(paths)) {}
BundleStore::~BundleStore() = default;

wire::MissingFiles BundleStore::missing(const wire::HaveFiles& request) const {
    wire::MissingFiles missing;
    if (!is_safe_name(request.bundle())) {
        return missing;
    }
    const fs::path dir = paths_.bundle(request.bundle());
    for (int i = 0; i < request.files_size(); ++i) {
        std::error_code error;
        const auto size = fs::file_size(dir / request.files(i).name(), error);
        if (error || size != request.files(i).size()) {
            missing.add_index(static_cast<std::uint32_t>(i));
        }
    }
    return missing;
}

std::optional<AgentFailure> BundleStore::put(const wire::PutFile& piece, std::uint64_t& received) {
    if (!is_safe_name(piece.bundle()) || !is_safe_name(piece.file().name())) {
        return AgentFailure{"bad-request", "unsafe file name"};
    }
    if (piece.offset() == 0) {
        if (auto failure = begin(piece)) {
            return failure;
        }
    }
    if (!incoming_ || incoming_->file.name() != piece.file().name() ||
        incoming_->received != piece.offset()) {
        return AgentFailure{"bad-request", "pieces out of order"};
    }
    if (piece.zstd()) {
        const auto size = ZSTD_getFrameContentSize(piece.data().data(), piece.data().size());
        if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > (16U << 20U)) {
            return AgentFailure{"damaged", "zstd frame of " + piece.file().name()};
        }
        std::string plain(size, '\0');
        const auto got =
            ZSTD_decompress(plain.data(), plain.size(), piece.data().data(), piece.data().size());
        if (ZSTD_isError(got) != 0U || got != plain.size()) {
            return AgentFailure{"damaged", "zstd frame of " + piece.file().name()};
        }
        if (auto failure = write_piece(plain)) {
            return failure;
        }
    } else if (auto failure = write_piece(piece.data())) {
        return failure;
    }
    received = incoming_->received;
    if (received > incoming_->file.size()) {
        const std::string name = incoming_->file.name();
        incoming_.reset();
        return AgentFailure{"damaged", name + " is longer than announced"};
    }
    return incoming_->received == incoming_->file.size() ? finish() : std::nullopt;
}

std::optional<AgentFailure> BundleStore::begin(const wire::PutFile& piece) {
    const fs::path dir = paths_.bundle(piece.bundle());
    std::error_code error;
    fs::create_directories(dir, error);
    if (error) {
        return failure_from_errno(error.value(), dir.string());
    }
    incoming_ = std::make_unique<Incoming>();
    incoming_->file = piece.file();
    incoming_->target = dir / piece.file().name();
    incoming_->temporary = dir / (".part-" + std::to_string(::getpid()) + "-" + piece.file().name());
    incoming_->fd.reset(::open(incoming_->temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
    if (!incoming_->fd) {
        const int why = errno;
        incoming_.reset();
        return failure_from_errno(why, dir.string());
    }
    return std::nullopt;
}

std::optional<AgentFailure> BundleStore::write_piece(std::string_view data) {
    incoming_->hash.update({reinterpret_cast<const std::byte*>(data.data()), data.size()});
    std::size_t done = 0;
    while (done < data.size()) {
        const auto put = ::write(incoming_->fd.get(), data.data() + done, data.size() - done);
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            const int why = errno;
            const std::string where = incoming_->target.string();
            incoming_.reset();
            return failure_from_errno(why, where);
        }
        done += static_cast<std::size_t>(put);
    }
    incoming_->received += data.size();
    return std::nullopt;
}

std::optional<AgentFailure> BundleStore::finish() {
    const auto digest = incoming_->hash.finish();
    if (std::memcmp(digest.data(), incoming_->file.sha256().data(),
                    std::min(digest.size(), incoming_->file.sha256().size())) != 0 ||
        incoming_->file.sha256().size() != digest.size()) {
        const std::string name = incoming_->file.name();
        incoming_.reset();
        return AgentFailure{"damaged", name + " arrived with another checksum"};
    }
    ::fchmod(incoming_->fd.get(), static_cast<mode_t>(incoming_->file.mode() & 0700U) | 0400U);
    if (::rename(incoming_->temporary.c_str(), incoming_->target.c_str()) != 0) {
        const int why = errno;
        const std::string where = incoming_->target.string();
        incoming_.reset();
        return failure_from_errno(why, where);
    }
    incoming_->fd.reset();
    incoming_.reset();
    return std::nullopt;
}

}  // namespace rankscope::agent
