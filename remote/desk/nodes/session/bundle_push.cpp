// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/desk/nodes/session/bundle_push.h>
#include <remote/desk/nodes/session/pieces_under_way.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "BundlePush";
constexpr std::size_t kPushPiece = 512U << 10U;
constexpr int kZstdLevel = 1;  // 300 MB/s and more a core: faster than the networks it is for

wire::FileRef reference(const BundleFile& file) {
    wire::FileRef ref;
    ref.set_name(file.name);
    ref.set_size(file.size);
    ref.set_mode(file.mode);
    ref.set_sha256(file.sha256.data(), file.sha256.size());
    return ref;
}

Result<void> push_file(const WorkerBundle& bundle, const BundleFile& file, PiecesUnderWay& under_way) {
    const UniqueFd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
    std::vector<char> plain(kPushPiece);
    std::vector<char> packed(ZSTD_compressBound(kPushPiece));
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
        piece->set_bundle(bundle.hash);
        *piece->mutable_file() = reference(file);
        piece->set_offset(offset);
        const auto size = ZSTD_compress(packed.data(), packed.size(), plain.data(),
                                        static_cast<std::size_t>(got), kZstdLevel);
        piece->set_zstd(true);
        piece->set_data(packed.data(), size);
        offset += static_cast<std::uint64_t>(got);
        if (auto sent = under_way.send(std::move(request), static_cast<std::uint64_t>(got)); !sent) {
            return sent;
        }
    } while (offset < file.size);
    return {};
}

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
    PiecesUnderWay under_way(link, total, text(kContext, "pushing the worker"), progress);
    for (const auto* file : missing) {
        if (auto pushed = push_file(bundle, *file, under_way); !pushed) {
            return pushed.failure();
        }
    }
    if (auto done = under_way.finish(); !done) {
        return done.failure();
    }
    return total;
}

}  // namespace rankscope::inline nodes
