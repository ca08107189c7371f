// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/base/fd.h>
#include <remote/base/text.h>
#include <remote/node/bundle_push.h>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <vector>

namespace rankscope {
namespace {

constexpr const char* kContext = "BundlePush";
constexpr std::size_t kPiece = 512U << 10U;
constexpr std::size_t kOnTheWay = 8;
constexpr int kZstdLevel = 1;  // 300 MB/s and more a core: faster than the networks it is for

wire::FileRef reference(const BundleFile& file) {
    wire::FileRef ref;
    ref.set_name(file.name);
    ref.set_size(file.size);
    ref.set_mode(file.mode);
    ref.set_sha256(file.sha256.data(), file.sha256.size());
    return ref;
}

class Pusher {
public:
    Pusher(AgentLink& link, const WorkerBundle& bundle, std::uint64_t total,
           const AgentLink::Progress& progress)
        : link_(link), bundle_(bundle), total_(total), progress_(progress) {}

    Result<void> push(const BundleFile& file) {
        const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
        std::vector<char> plain(kPiece);
        std::vector<char> packed(ZSTD_compressBound(kPiece));
        std::uint64_t offset = 0;
        do {
            const auto got = fd ? ::read(fd.get(), plain.data(), plain.size()) : -1;
            if (got < 0 || (got == 0 && offset < file.size)) {
                return Failure{"incomplete-install", "",
                               text(kContext, "%1 cannot be read.", {file.path.string()}), "",
                               got < 0 ? std::strerror(errno) : "shorter than its manifest says"};
            }
            wire::Request request;
            auto* piece = request.mutable_put_file();
            piece->set_bundle(bundle_.hash);
            *piece->mutable_file() = reference(file);
            piece->set_offset(offset);
            const auto size = ZSTD_compress(packed.data(), packed.size(), plain.data(),
                                            static_cast<std::size_t>(got), kZstdLevel);
            piece->set_zstd(true);
            piece->set_data(packed.data(), size);
            waiting_.push_back({link_.send(std::move(request)), static_cast<std::uint64_t>(got)});
            offset += static_cast<std::uint64_t>(got);
            if (waiting_.size() >= kOnTheWay) {
                if (auto done = take_one(); !done) {
                    return done;
                }
            }
        } while (offset < file.size);
        return {};
    }

    Result<void> finish() {
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

    Result<void> take_one() {
        const Waiting oldest = waiting_.front();
        waiting_.pop_front();
        auto reply = link_.receive(oldest.id, 120);
        if (!reply) {
            return reply.failure();
        }
        done_ += oldest.bytes;
        if (progress_) {
            progress_(text(kContext, "pushing the worker"),
                      static_cast<double>(done_) / static_cast<double>(total_));
        }
        return {};
    }

    AgentLink& link_;
    const WorkerBundle& bundle_;
    std::uint64_t total_;
    const AgentLink::Progress& progress_;
    std::deque<Waiting> waiting_;
    std::uint64_t done_ = 0;
};

}  // namespace

Result<std::uint64_t> push_bundle(AgentLink& link, const WorkerBundle& bundle,
                                  const AgentLink::Progress& progress) {
    wire::Request request;
    request.mutable_have_files()->set_bundle(bundle.hash);
    for (const auto& file : bundle.files) {
        *request.mutable_have_files()->add_files() = reference(file);
    }
    auto reply = link.call(std::move(request));
    if (!reply) {
        return reply.failure();
    }
    std::vector<const BundleFile*> missing;
    std::uint64_t total = 0;
    for (const auto index : reply->missing().index()) {
        if (index < bundle.files.size()) {
            missing.push_back(&bundle.files[index]);
            total += bundle.files[index].size;
        }
    }
    Pusher pusher(link, bundle, total, progress);
    for (const auto* file : missing) {
        if (auto pushed = pusher.push(*file); !pushed) {
            return pushed.failure();
        }
    }
    if (auto done = pusher.finish(); !done) {
        return done.failure();
    }
    return total;
}

}  // namespace rankscope
