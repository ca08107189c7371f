// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/agent/files/bundle_store.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include <csignal>
#include <limits>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

std::string digest_of(const std::string& content) {
    Sha256 hash;
    hash.update(std::as_bytes(std::span(content.data(), content.size())));
    const auto digest = hash.finish();
    return {digest.begin(), digest.end()};
}

std::string packed(const std::string& plain) {
    std::string out(ZSTD_compressBound(plain.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 1));
    return out;
}

wire::PutFile piece_of(const std::string& name, const std::string& content, std::size_t offset,
                       std::size_t size) {
    wire::PutFile piece;
    piece.set_bundle("bundle1");
    piece.mutable_file()->set_name(name);
    piece.mutable_file()->set_size(content.size());
    piece.mutable_file()->set_sha256(digest_of(content));
    piece.mutable_file()->set_mode(0755);
    piece.set_offset(offset);
    piece.set_data(content.substr(offset, size));
    return piece;
}

class Bundles : public ::testing::Test {
protected:
    std::string put(const wire::PutFile& piece) {
        const auto result = store_.put(piece);
        received_ = result ? *result : received_;
        return result ? "" : result.failure().code;
    }
    fs::path target(const std::string& name) const { return folder_ / ("bundles/bundle1/" + name); }
    std::size_t files() const {
        std::error_code error;
        const fs::directory_iterator it(folder_ / "bundles/bundle1", error);
        return error ? 0 : static_cast<std::size_t>(std::distance(it, fs::directory_iterator()));
    }
    static wire::HaveFiles question(const std::vector<std::pair<std::string, std::string>>& files) {
        wire::HaveFiles request;
        request.set_bundle("bundle1");
        for (const auto& [name, content] : files) {
            auto* file = request.add_files();
            file->set_name(name);
            file->set_size(content.size());
            file->set_sha256(digest_of(content));
        }
        return request;
    }
    std::vector<std::uint32_t> missing(const wire::HaveFiles& request) const {
        const auto result = store_.missing(request);
        EXPECT_TRUE(result) << (result ? "" : result.failure().code);
        return result ? std::vector<std::uint32_t>(result->index().begin(), result->index().end())
                      : std::vector<std::uint32_t>();
    }

    test::TemporaryFolder folder_;
    BundleStore store_{NodePaths(folder_.path())};
    std::uint64_t received_ = 0;
};

TEST_F(Bundles, PiecesInOrderMakeAFile) {
    const std::string content(100000, 'w');
    for (std::size_t at = 0; at < content.size(); at += 30000) {
        wire::PutFile piece = piece_of("worker", content, at, 30000);
        if (at == 30000) {
            piece.set_zstd(true);
            piece.set_data(packed(content.substr(at, 30000)));
        }
        EXPECT_FALSE(fs::exists(target("worker"))) << "a file that is there is whole";
        ASSERT_EQ(put(piece), "");
        EXPECT_EQ(received_, std::min<std::size_t>(at + 30000, content.size()));
    }
    EXPECT_EQ(read_file(target("worker")), content);
    EXPECT_EQ(fs::status(target("worker")).permissions(), fs::perms::owner_all);
    EXPECT_EQ(files(), 1U);
    EXPECT_EQ(missing(question({{"worker", content}, {"worker", "short"}, {"absent", "x"}})),
              (std::vector<std::uint32_t>{1, 2}));
}

TEST_F(Bundles, AnEmptyFileIsAFile) {
    EXPECT_EQ(put(piece_of("empty", "", 0, 0)), "");
    EXPECT_EQ(read_file(target("empty")), "");
}

TEST_F(Bundles, PiecesOutOfOrderAreRefused) {
    const std::string content(3000, 'x');
    EXPECT_EQ(put(piece_of("a", content, 1000, 1000)), "bad-request") << "no beginning";
    EXPECT_EQ(put(piece_of("a", content, 0, 1000)), "");
    EXPECT_EQ(put(piece_of("a", content, 2000, 1000)), "bad-request") << "a gap";
    EXPECT_EQ(put(piece_of("b", content, 1000, 1000)), "bad-request") << "another file's";
    EXPECT_EQ(put(piece_of("a", content, 1000, 1000)), "") << "the right one still continues";
    EXPECT_EQ(put(piece_of("a", content, 0, 1000)), "") << "from the beginning again";
    EXPECT_EQ(put(piece_of("a", content, 1000, 2000)), "");
    EXPECT_EQ(read_file(target("a")), content);
}

TEST_F(Bundles, AnotherChecksumLeavesNothing) {
    wire::PutFile piece = piece_of("a", "content", 0, 100);
    piece.mutable_file()->set_sha256(digest_of("other"));
    EXPECT_EQ(put(piece), "damaged");
    piece.mutable_file()->set_sha256(digest_of("content").substr(0, 31));
    EXPECT_EQ(put(piece), "damaged");
    piece.mutable_file()->clear_sha256();
    EXPECT_EQ(put(piece), "damaged");
    EXPECT_EQ(files(), 0U);
}

TEST_F(Bundles, MoreThanAnnouncedIsRefused) {
    wire::PutFile piece = piece_of("a", "content", 0, 100);
    piece.set_data("content and more");
    EXPECT_EQ(put(piece), "damaged");
    EXPECT_EQ(files(), 0U);
}

TEST_F(Bundles, NamesThatLeaveTheFolderAreRefused) {
    for (const char* name : {"../x", "..", "/etc/x", "a/b", "", ".hidden", "a b", "x\ny"}) {
        wire::PutFile piece = piece_of(name, "x", 0, 1);
        EXPECT_EQ(put(piece), "bad-request") << name;
        piece = piece_of("x", "x", 0, 1);
        piece.set_bundle(name);
        EXPECT_EQ(put(piece), "bad-request") << name;
        wire::HaveFiles question;
        question.set_bundle(name);
        question.add_files()->set_name("x");
        const auto refused = store_.missing(question);
        EXPECT_FALSE(refused) << name;
        EXPECT_TRUE(refused || refused.failure().code == "bad-request") << name;
    }
    EXPECT_FALSE(fs::exists(folder_ / "bundles"));
    EXPECT_EQ(missing(question({{"../../x", "x"}, {"..", ""}})).size(), 2U) << "never looked for";
}

TEST_F(Bundles, BombsAndBrokenFramesAreRefused) {
    const std::string bomb = packed(std::string(64U << 20U, '\0'));
    ASSERT_LT(bomb.size(), 100000U);
    std::string cut = packed(std::string(1000, 'x') + "tail");
    cut.resize(cut.size() - 3);
    std::string unknown_size(ZSTD_compressBound(100), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    unknown_size.resize(ZSTD_compress2(context, unknown_size.data(), unknown_size.size(), "xxxx", 4));
    ZSTD_freeCCtx(context);
    for (const std::string& data : {bomb, cut, unknown_size, std::string("no zstd at all"), std::string()}) {
        wire::PutFile piece = piece_of("a", std::string(64U << 20U, '\0'), 0, 1);
        piece.set_zstd(true);
        piece.set_data(data);
        EXPECT_EQ(put(piece), "damaged");
    }
}

TEST_F(Bundles, AFullDiskIsSaidAndLeavesNothing) {
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{1000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string code = put(piece_of("a", std::string(5000, 'x'), 0, 5000));
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    EXPECT_EQ(code, "io-error");
    EXPECT_EQ(files(), 0U);
    EXPECT_EQ(failure_from_errno(ENOSPC, "x").code, "disk-full");
    EXPECT_EQ(failure_from_errno(EDQUOT, "x").code, "disk-full");
    EXPECT_EQ(failure_from_errno(EACCES, "x").code, "no-permission");
    EXPECT_EQ(failure_from_errno(EROFS, "x").code, "read-only");
    EXPECT_EQ(failure_from_errno(EROFS, "where").detail, "where: Read-only file system");
}

TEST_F(Bundles, ContentIsVerifiedBeforeItIsUsed) {
    const std::string content(5000, 'w');
    ASSERT_EQ(put(piece_of("worker", content, 0, 5000)), "");
    const auto request = question({{"worker", content}});
    EXPECT_TRUE(missing(request).empty());
    EXPECT_TRUE(missing(request).empty()) << "remembered";
    // Another program writes to it; size and modification time stay as they were.
    const auto time = fs::last_write_time(target("worker"));
    std::string changed = content;
    changed[17] = 'x';
    test::write_text(target("worker"), changed);
    fs::last_write_time(target("worker"), time);
    EXPECT_EQ(missing(request).size(), 1U);
    EXPECT_EQ(missing(request).size(), 1U) << "and again";
    fs::resize_file(target("worker"), 100);
    EXPECT_EQ(missing(request).size(), 1U);
    ASSERT_EQ(put(piece_of("worker", content, 0, 5000)), "");
    EXPECT_TRUE(missing(request).empty());
    fs::permissions(target("worker"), fs::perms::all);
    EXPECT_EQ(missing(request).size(), 1U) << "others can change it";
    fs::remove(target("worker"));
    fs::create_symlink("/bin/sh", target("worker"));
    EXPECT_EQ(missing(request).size(), 1U) << "no file of ours";
}

// The attack: the cache folder was writable once, and another user made the bundle's folder there.
TEST_F(Bundles, AFolderThatOthersCanChangeIsRefused) {
    const std::string content = "worker";
    ASSERT_EQ(put(piece_of("worker", content, 0, 100)), "");
    const auto request = question({{"worker", content}});
    for (const auto& folder : {folder_ / "bundles", folder_ / "bundles/bundle1"}) {
        const auto expect_refused = [&] {
            const auto result = store_.missing(request);
            ASSERT_FALSE(result) << folder;
            EXPECT_EQ(result.failure().code, "cache-unsafe");
            EXPECT_EQ(result.failure().args, std::vector<std::string>{folder.string()});
            EXPECT_EQ(put(piece_of("more", "x", 0, 1)), "cache-unsafe");
        };
        fs::permissions(folder, fs::perms::all);
        expect_refused();
        fs::permissions(folder, fs::perms::owner_all);
        if (::geteuid() == 0) {
            ASSERT_EQ(::chown(folder.c_str(), 4711, 4711), 0);
            expect_refused();
            ASSERT_EQ(::chown(folder.c_str(), 0, 0), 0);
        }
    }
    EXPECT_TRUE(missing(request).empty());
}

TEST_F(Bundles, SizesBeyondReasonAreRefused) {
    auto piece = piece_of("a", "x", 0, 1);
    piece.mutable_file()->set_size(std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(put(piece), "bad-request");
    wire::HaveFiles request;
    request.set_bundle("bundle1");
    for (int i = 0; i < 10001; ++i) {
        request.add_files()->set_name("a");
    }
    EXPECT_FALSE(store_.missing(request));
}

TEST_F(Bundles, AFolderThatCannotBeMadeIsSaid) {
    test::write_text(folder_ / "bundles", "a file in the way");
    EXPECT_EQ(put(piece_of("a", "x", 0, 1)), "io-error");
}

TEST_F(Bundles, TwoDesksMayPushAtTheSameTime) {
    const std::string content(2000, 'x');
    BundleStore other{NodePaths(folder_.path())};
    EXPECT_EQ(put(piece_of("a", content, 0, 1000)), "");
    // Another process would have another temporary name; the same process stands for it with another file.
    EXPECT_TRUE(other.put(piece_of("b", content, 0, 2000)));
    EXPECT_EQ(put(piece_of("a", content, 1000, 1000)), "");
    EXPECT_EQ(files(), 2U);
}

}  // namespace
}  // namespace rankscope::agent
