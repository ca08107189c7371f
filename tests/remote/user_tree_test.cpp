// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// push: what is collected at the desk, and what the agent makes of it.

#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/agent/files/tree_store.h>
#include <remote/desk/nodes/deploy/user_tree.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <csignal>
#include <map>
#include <set>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::write_text;

class Trees : public ::testing::Test {
protected:
    void put_file(const std::string& path, const std::string& content, unsigned mode = 0644) {
        const fs::path file = project_ / path;
        fs::create_directories(file.parent_path());
        write_text(file, content);
        ::chmod(file.c_str(), mode);
    }
    Result<UserTree> collect(const std::vector<std::string>& push) {
        return collect_user_tree(project_ / "job.yaml", push, {}, nullptr);
    }
    UserTree tree_of(const std::vector<std::string>& push) {
        auto tree = collect(push);
        EXPECT_TRUE(tree) << (tree ? "" : to_line(tree.failure()));
        return tree ? *tree : UserTree();
    }
    static std::set<std::string> paths_of(const UserTree& tree, TreeFile::Kind kind = TreeFile::Kind::File) {
        std::set<std::string> paths;
        for (const auto& file : tree.files) {
            if (file.kind == kind) {
                paths.insert(file.path);
            }
        }
        return paths;
    }

    test::TemporaryFolder folder_;
    fs::path project_ = folder_ / "project";
};

TEST_F(Trees, PathsKeepTheirPlaceRelativeToTheJobFile) {
    put_file("train.py", "a");
    put_file("src/model/net.py", "b");
    put_file("src/other.py", "c");
    put_file("../lib/tool.py", "d");
    EXPECT_EQ(paths_of(tree_of({"./train.py"})), (std::set<std::string>{"train.py"}));
    EXPECT_EQ(paths_of(tree_of({"."})),
              (std::set<std::string>{"train.py", "src/model/net.py", "src/other.py"}));
    EXPECT_EQ(paths_of(tree_of({"src/"})), (std::set<std::string>{"src/model/net.py", "src/other.py"}));
    const auto nested = tree_of({"src/model", "src/model/net.py"});
    EXPECT_EQ(paths_of(nested), std::set<std::string>{"src/model/net.py"}) << "once";
    EXPECT_EQ(paths_of(nested, TreeFile::Kind::Folder), (std::set<std::string>{"src", "src/model"}));
    EXPECT_EQ(paths_of(tree_of({"../lib"})), std::set<std::string>{"lib/tool.py"})
        << "from elsewhere: its own name";
    EXPECT_EQ(paths_of(tree_of({(folder_ / "lib/tool.py").string()})), std::set<std::string>{"tool.py"});
    EXPECT_EQ(tree_of({"."}).total_bytes, 3U);
}

TEST_F(Trees, WhatNoProgramNeedsStaysHere) {
    put_file("train.py", "a");
    put_file(".git/HEAD", "x");
    put_file("pkg/__pycache__/a.pyc", "x");
    put_file("pkg/b.pyc", "x");
    put_file("env/pyvenv.cfg", "x");
    put_file("env/bin/python", "x");
    put_file(".config", "y");
    ::mkfifo((project_ / "pipe").c_str(), 0600);
    EXPECT_EQ(paths_of(tree_of({"."})), (std::set<std::string>{"train.py", ".config"}));
    EXPECT_EQ(paths_of(tree_of({".git"})), std::set<std::string>{".git/HEAD"}) << "what is named is meant";
}

TEST_F(Trees, LinksModesAndContent) {
    put_file("run.sh", "#!/bin/sh\n", 0755);
    fs::create_symlink("run.sh", project_ / "link");
    fs::create_symlink("/no/where", project_ / "dangling");
    const auto tree = tree_of({"."});
    std::map<std::string, TreeFile> files;
    for (const auto& file : tree.files) {
        files[file.path] = file;
    }
    EXPECT_EQ(files["run.sh"].mode, 0755U);
    EXPECT_EQ(files["run.sh"].sha256, sha256_of_file(project_ / "run.sh"));
    EXPECT_EQ(files["link"].kind, TreeFile::Kind::Link);
    EXPECT_EQ(files["link"].target, "run.sh");
    EXPECT_EQ(files["dangling"].target, "/no/where");
}

TEST_F(Trees, FaultsNameTheFile) {
    put_file("a", "x");
    auto missing = collect({"a", "absent.py"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.failure().code, FailureId("push-missing"));
    EXPECT_NE(missing.failure().what.find("absent.py is not there"), std::string::npos)
        << missing.failure().what;
    std::stop_source stop;
    stop.request_stop();
    auto stopped = collect_user_tree(project_ / "job.yaml", {"a"}, stop.get_token(), nullptr);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.failure().code, FailureId("cancelled"));
}

/// The agent's side, asked as push_tree asks it.
class Stores : public Trees {
protected:
    void announce(const UserTree& tree, const std::string& folder) {
        have_.Clear();
        have_.set_folder(folder);
        have_.set_job("my job");
        for (const auto& file : tree.files) {
            auto* entry = have_.add_entries();
            entry->set_path(file.path);
            entry->set_kind(static_cast<std::uint32_t>(file.kind));
            entry->set_mode(file.mode);
            entry->set_size(file.size);
            entry->set_sha256(file.sha256.data(), file.sha256.size());
            entry->set_target(file.target);
        }
    }
    std::string ask() {
        missing_.Clear();
        auto result = store_->have(have_);
        if (result) {
            missing_ = std::move(*result);
        }
        return result ? "" : result.failure().code;
    }
    std::string put(const std::vector<std::tuple<std::uint32_t, std::uint64_t, std::string>>& pieces) {
        wire::TreePieces all;
        for (const auto& [index, offset, data] : pieces) {
            auto* piece = all.add_pieces();
            piece->set_index(index);
            piece->set_offset(offset);
            piece->set_data(data);
        }
        const std::string plain = all.SerializeAsString();
        wire::PutTree request;
        request.mutable_batch()->resize(ZSTD_compressBound(plain.size()));
        request.mutable_batch()->resize(ZSTD_compress(request.mutable_batch()->data(), request.batch().size(),
                                                      plain.data(), plain.size(), 1));
        const auto result = store_->put(request);
        return result ? "" : result.failure().code;
    }
    /// Everything; returns how many files travelled.
    int push(const std::vector<std::string>& names, const std::string& folder) {
        const auto tree = tree_of(names);
        announce(tree, folder);
        EXPECT_EQ(ask(), "");
        for (const auto index : missing_.index()) {
            const auto content = read_file(tree.files[index].source).value_or("");
            EXPECT_EQ(put({{index, 0, content.substr(0, content.size() / 2)},
                           {index, content.size() / 2, content.substr(content.size() / 2)}}),
                      "")
                << tree.files[index].path;
        }
        done_.Clear();
        const auto done = store_->finish();
        EXPECT_TRUE(done) << (done ? "" : done.failure().detail);
        done_ = done ? *done : wire::TreeDone();
        return missing_.index_size();
    }
    std::string target() const { return (folder_ / "node/work").string(); }

    std::unique_ptr<agent::TreeStore> store_ =
        std::make_unique<agent::TreeStore>(agent::NodePaths(folder_ / "node/cache"));
    wire::HaveTree have_;
    wire::TreeMissing missing_;
    wire::TreeDone done_;
};

TEST_F(Stores, OnlyChangesTravel) {
    put_file("train.py", "one");
    put_file("pkg/run.sh", "two", 0755);
    put_file("empty/__init__.py", "");
    fs::create_symlink("train.py", project_ / "link");
    EXPECT_EQ(push({"."}, target()), 3);
    const fs::path at = target();
    EXPECT_EQ(read_file(at / "train.py"), "one");
    EXPECT_EQ(read_file(at / "pkg/run.sh"), "two");
    EXPECT_EQ(read_file(at / "empty/__init__.py"), "");
    EXPECT_EQ(fs::read_symlink(at / "link"), "train.py");
    EXPECT_EQ(fs::status(at / "pkg/run.sh").permissions(), fs::perms(0755));
    EXPECT_EQ(push({"."}, target()), 0);
    put_file("train.py", "ONE");
    ::chmod((project_ / "pkg/run.sh").c_str(), 0700);
    fs::remove(project_ / "link");
    fs::create_symlink("pkg", project_ / "link");
    store_ =
        std::make_unique<agent::TreeStore>(agent::NodePaths(folder_ / "node/cache"));  // another connection
    EXPECT_EQ(push({"."}, target()), 1);
    EXPECT_EQ(read_file(at / "train.py"), "ONE");
    EXPECT_EQ(fs::status(at / "pkg/run.sh").permissions(), fs::perms(0700)) << "a mode alone needs no bytes";
    EXPECT_EQ(fs::read_symlink(at / "link"), "pkg");
    // Changed on the node behind our back, with the same length.
    write_text(at / "train.py", "two");
    EXPECT_EQ(push({"."}, target()), 1);
    EXPECT_EQ(read_file(at / "train.py"), "ONE");
}

TEST_F(Stores, WhatIsNoLongerNamedGoesWhatIsTheUsersStays) {
    put_file("train.py", "one");
    put_file("old/stale.py", "two");
    put_file("old/edited.py", "three");
    put_file("gone/deep/x.py", "four");
    push({"."}, target());
    const fs::path at = target();
    write_text(at / "result.txt", "mine");
    write_text(at / "old/edited.py", "edited on the node");
    fs::remove_all(project_ / "old");
    fs::remove_all(project_ / "gone");
    push({"."}, target());
    EXPECT_EQ(done_.removed(), 2U);
    EXPECT_FALSE(fs::exists(at / "old/stale.py"));
    EXPECT_FALSE(fs::exists(at / "gone"));
    EXPECT_EQ(read_file(at / "old/edited.py"), "edited on the node");
    EXPECT_EQ(read_file(at / "result.txt"), "mine");
}

TEST_F(Stores, WithoutAWorkdirAFolderOfTheJobs) {
    put_file("train.py", "one");
    push({"."}, "");
    EXPECT_EQ(done_.folder().find((folder_ / "node/cache/jobs/job-my_job-").string()), 0U) << done_.folder();
    EXPECT_EQ(read_file(fs::path(done_.folder()) / "train.py"), "one");
}

TEST_F(Stores, TheNameOfAJobIsNoPath) {
    put_file("train.py", "one");
    for (const char* name : {"../../up", "/etc/x", "..", ".", "a/b", "x\n/y", "$(touch x)", "~root"}) {
        announce(tree_of({"."}), "");
        have_.set_job(name);
        ASSERT_EQ(ask(), "") << name;
        EXPECT_EQ(fs::path(missing_.folder()).parent_path(), folder_ / "node/cache/jobs") << name;
        EXPECT_EQ(fs::path(missing_.folder()).lexically_normal(), missing_.folder()) << name;
    }
}

// Somebody who may write to the folder put it there.
TEST_F(Stores, APlantedLinkIsReplacedAndNotFollowed) {
    write_text(folder_ / "secret", "theirs");
    fs::create_directories(target());
    fs::create_symlink(folder_ / "secret", fs::path(target()) / "train.py");
    put_file("train.py", "one");
    push({"."}, target());
    EXPECT_EQ(read_file(folder_ / "secret"), "theirs");
    EXPECT_FALSE(fs::is_symlink(fs::path(target()) / "train.py"));
    EXPECT_EQ(read_file(fs::path(target()) / "train.py"), "one");
}

TEST_F(Stores, AFolderThatCannotBeWrittenIsNamed) {
    put_file("train.py", "one");
    write_text(folder_ / "file", "");
    announce(tree_of({"."}), (folder_ / "file/work").string());
    EXPECT_EQ(ask(), "workdir-not-writable");
    fs::create_directories(fs::path(target()) / "train.py/in the way");
    announce(tree_of({"."}), target());
    ASSERT_EQ(ask(), "");
    EXPECT_EQ(put({{0, 0, "one"}}), "workdir-not-writable");
}

TEST_F(Stores, AFullDiskLeavesNoPart) {
    put_file("train.py", std::string(10000, 'x'));
    announce(tree_of({"."}), target());
    ASSERT_EQ(ask(), "");
    const auto before = ::signal(SIGXFSZ, SIG_IGN);
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const rlimit small{100, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto code = put({{0, 0, std::string(10000, 'x')}});
    ::setrlimit(RLIMIT_FSIZE, &old);
    ::signal(SIGXFSZ, before);
    EXPECT_EQ(code, "io-error");
    EXPECT_TRUE(fs::is_empty(target()));
}

TEST_F(Stores, UnsafeOrBrokenRequestsAreRefused) {
    for (const char* path : {"/etc/passwd", "../x", "a/../../x", "", "a//b/..", "./a"}) {
        have_.Clear();
        have_.set_folder(target());
        have_.add_entries()->set_path(path);
        EXPECT_EQ(ask(), "bad-request") << path;
    }
    EXPECT_EQ(put({{0, 0, "x"}}), "bad-request") << "nothing was announced";
    put_file("a.py", "12345");
    announce(tree_of({"."}), target());
    ASSERT_EQ(ask(), "");
    EXPECT_EQ(put({{0, 3, "x"}}), "bad-request");
    EXPECT_EQ(put({{7, 0, "x"}}), "bad-request");
    EXPECT_EQ(put({{0, 0, "1234567"}}), "push-changed");
    EXPECT_EQ(put({{0, 0, "54321"}}), "push-changed");
    wire::PutTree broken;
    broken.set_batch("no zstd");
    EXPECT_EQ(store_->put(broken).failure().code, "damaged");
    EXPECT_TRUE(fs::is_empty(target()));
}

}  // namespace
}  // namespace rankscope
