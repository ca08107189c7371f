// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/desk/nodes/session/pieces_under_way.h>
#include <remote/desk/nodes/session/tree_push.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "TreePush";
constexpr std::size_t kBatch = 512U << 10U;
constexpr int kBatchFiles = 1000;
constexpr int kZstdLevel = 1;
constexpr double kHashTimeout = 600;  // the node may have to read gigabytes to know what it has

void add_entries(const UserTree& tree, wire::HaveTree& have) {
    for (const auto& file : tree.files) {
        auto* entry = have.add_entries();
        entry->set_path(file.path);
        entry->set_kind(static_cast<std::uint32_t>(file.kind));
        entry->set_mode(file.mode);
        if (file.kind == TreeFile::Kind::File) {
            entry->set_size(file.size);
            entry->set_sha256(file.sha256.data(), file.sha256.size());
        }
        entry->set_target(file.target);
    }
}

class Pusher {
public:
    Pusher(AgentLink& link, std::uint64_t total, const std::string& what, const AgentLink::Progress& progress)
        : under_way_(link, total, what, progress) {}

    Result<void> push(std::uint32_t index, const TreeFile& file) {
        const UniqueFd fd(::open(file.source.c_str(), O_RDONLY | O_CLOEXEC));
        std::string bytes(kBatch, '\0');
        std::uint64_t offset = 0;
        do {
            const auto room = kBatch - std::min(kBatch, batch_bytes_);
            const auto got = fd ? ::read(fd.get(), bytes.data(), room) : -1;
            if (got < 0 || (got == 0 && offset < file.size)) {
                return Failure{"push-changed", "",
                               text(kContext, "%1 changed while it was pushed.", {file.source.string()}),
                               text(kContext, "Start again when nothing writes to it."),
                               got < 0 ? std::strerror(errno) : "shorter than before"};
            }
            auto* piece = pieces_.add_pieces();
            piece->set_index(index);
            piece->set_offset(offset);
            piece->set_data(bytes.data(), static_cast<std::size_t>(got));
            batch_bytes_ += static_cast<std::size_t>(got);
            offset += static_cast<std::uint64_t>(got);
            if (batch_bytes_ >= kBatch || pieces_.pieces_size() >= kBatchFiles) {
                if (auto sent = send(); !sent) {
                    return sent;
                }
            }
        } while (offset < file.size);
        return {};
    }

    Result<void> finish() {
        auto sent = send();
        return sent ? under_way_.finish() : sent;
    }

private:
    Result<void> send() {
        if (pieces_.pieces_size() == 0) {
            return {};
        }
        const std::string plain = pieces_.SerializeAsString();
        std::string packed(ZSTD_compressBound(plain.size()), '\0');
        packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kZstdLevel));
        wire::Request request;
        request.mutable_put_tree()->set_batch(std::move(packed));
        pieces_.Clear();
        return under_way_.send(std::move(request), std::exchange(batch_bytes_, 0));
    }

    PiecesUnderWay under_way_;
    wire::TreePieces pieces_;
    std::size_t batch_bytes_ = 0;
};

Result<TreePushed> push(AgentLink& link, const UserTree& tree, wire::HaveTree place, const std::string& what,
                        const AgentLink::Progress& progress) {
    add_entries(tree, place);
    wire::Request request;
    *request.mutable_have_tree() = std::move(place);
    auto reply = link.call(std::move(request), kHashTimeout);
    if (!reply) {
        return reply.failure();
    }
    TreePushed pushed;
    pushed.folder = reply->tree_missing().folder();
    std::vector<std::uint32_t> missing;
    for (const auto index : reply->tree_missing().index()) {
        if (index < tree.files.size() && tree.files[index].kind == TreeFile::Kind::File) {
            missing.push_back(index);
            pushed.bytes += tree.files[index].size;
        }
    }
    pushed.files = missing.size();
    Pusher pusher(link, pushed.bytes, what, progress);
    for (const auto index : missing) {
        if (auto done = pusher.push(index, tree.files[index]); !done) {
            return done.failure();
        }
    }
    if (auto done = pusher.finish(); !done) {
        return done.failure();
    }
    wire::Request end;
    end.mutable_finish_tree();
    auto finished = link.call(std::move(end), 120);
    if (!finished) {
        return finished.failure();
    }
    pushed.removed = finished->tree_done().removed();
    return pushed;
}

}  // namespace

Result<TreePushed> push_tree(AgentLink& link, const UserTree& tree, const std::string& folder,
                             const std::string& job, const AgentLink::Progress& progress) {
    wire::HaveTree place;
    place.set_folder(folder);
    place.set_job(job);
    return push(link, tree, std::move(place), text(kContext, "pushing the program's files"), progress);
}

Result<TreePushed> push_packages(AgentLink& link, const UserTree& tree, const AgentLink::Progress& progress) {
    wire::HaveTree place;
    place.set_packages(true);
    return push(link, tree, std::move(place), text(kContext, "pushing packages"), progress);
}

}  // namespace rankscope::inline nodes
