// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/files/bundle_store.h>
#include <remote/agent/files/zstd_frame.h>

#include <cerrno>
#include <cstring>

namespace rankscope::agent {
namespace fs = std::filesystem;

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
    if (!incoming_ || file_.name() != piece.file().name() || incoming_->received() != piece.offset()) {
        return AgentFailure{"bad-request", "pieces out of order"};
    }
    if (piece.zstd()) {
        const auto plain = unpack_zstd(piece.data());
        if (!plain) {
            return AgentFailure{"damaged", "zstd frame of " + piece.file().name()};
        }
        if (auto failure = write_piece(*plain)) {
            return failure;
        }
    } else if (auto failure = write_piece(piece.data())) {
        return failure;
    }
    received = incoming_->received();
    if (received > file_.size()) {
        incoming_.reset();
        return AgentFailure{"damaged", file_.name() + " is longer than announced"};
    }
    return received == file_.size() ? finish() : std::nullopt;
}

std::optional<AgentFailure> BundleStore::begin(const wire::PutFile& piece) {
    file_ = piece.file();
    incoming_ = std::make_unique<IncomingFile>(paths_.bundle(piece.bundle()) / file_.name());
    if (const int error = incoming_->create(); error != 0) {
        return drop(error, incoming_->folder());
    }
    return std::nullopt;
}

std::optional<AgentFailure> BundleStore::write_piece(std::string_view data) {
    if (const int error = incoming_->append(data); error != 0) {
        return drop(error, incoming_->target().string());
    }
    return std::nullopt;
}

std::optional<AgentFailure> BundleStore::finish() {
    if (incoming_->digest() != file_.sha256()) {
        incoming_.reset();
        return AgentFailure{"damaged", file_.name() + " arrived with another checksum"};
    }
    if (const int error = incoming_->place(static_cast<mode_t>(file_.mode() & 0700U) | 0400U); error != 0) {
        return drop(error, incoming_->target().string());
    }
    incoming_.reset();
    return std::nullopt;
}

AgentFailure BundleStore::drop(int error, const std::string& what) {
    incoming_.reset();
    return failure_from_errno(error, what);
}

}  // namespace rankscope::agent
