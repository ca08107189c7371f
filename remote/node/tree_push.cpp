// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/fd.h>
#include <remote/base/text.h>
#include <remote/node/tree_push.h>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace rankscope {
namespace {

constexpr const char* kContext = "TreePush";
constexpr std::size_t kBatch = 512U << 10U;
constexpr int kBatchFiles = 1000;
constexpr std::size_t kOnTheWay = 8;
constexpr int kZstdLevel = 1;
constexpr double kHashTimeout = 600;  // the node may have to read gigabytes to know what it has

wire::HaveTree question(const UserTree& tree, const std::string& folder, const std::string& job) {
    wire::HaveTree have;
    have.set_folder(folder);
    have.set_job(job);
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
    return have;
}

class Pusher {
public:
    Pusher(AgentLink& link, std::uint64_t total, const AgentLink::Progress& progress)
        : link_(link), total_(total), progress_(progress) {}

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
        if (auto sent = send(); !sent) {
            return sent;
        }
        while (!waiting_.empty()) {
            if (auto done = take_one(); !done) {
                return done;
            }
        }
        return {};
    }

private:
    struct Waiting {
        std::uint64_t id;
        std::uint64_t bytes;
    };

    Result<void> send() {
        if (pieces_.pieces_size() == 0) {
            return {};
        }
        const std::string plain = pieces_.SerializeAsString();
        std::string packed(ZSTD_compressBound(plain.size()), '\0');
        packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kZstdLevel));
        wire::Request request;
        request.mutable_put_tree()->set_batch(std::move(packed));
        waiting_.push_back({link_.send(std::move(request)), batch_bytes_});
        pieces_.Clear();
        batch_bytes_ = 0;
        return waiting_.size() >= kOnTheWay ? take_one() : Result<void>();
    }

    Result<void> take_one() {
        const Waiting oldest = waiting_.front();
        waiting_.pop_front();
        auto reply = link_.receive(oldest.id, 120);
        if (!reply) {
            return reply.failure();
        }
        done_ += oldest.bytes;
        if (progress_ && total_ > 0) {
            progress_(text(kContext, "pushing the program's files"),
                      static_cast<double>(done_) / static_cast<double>(total_));
        }
        return {};
    }

    AgentLink& link_;
    std::uint64_t total_;
    const AgentLink::Progress& progress_;
    wire::TreePieces pieces_;
    std::size_t batch_bytes_ = 0;
    std::deque<Waiting> waiting_;
    std::uint64_t done_ = 0;
};

}  // namespace

Result<TreePushed> push_tree(AgentLink& link, const UserTree& tree, const std::string& folder,
                             const std::string& job, const AgentLink::Progress& progress) {
    wire::Request request;
    *request.mutable_have_tree() = question(tree, folder, job);
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
    Pusher pusher(link, pushed.bytes, progress);
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

}  // namespace rankscope
