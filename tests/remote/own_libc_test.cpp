// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A node whose C library is too old for the worker: here, one whose loader is not where the worker looks for it.

#include "support/temporary_folder.h"

#include <base/files.h>
#include <remote/agent/files/own_libc.h>
#include <remote/agent/node/command.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorker = "rankscope-worker";

class OwnLibc : public testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(fs::path(RANKSCOPE_BUNDLE) / kWorker)) {
            GTEST_SKIP() << RANKSCOPE_BUNDLE << " has no worker";
        }
        for (const auto& file : fs::directory_iterator(RANKSCOPE_BUNDLE)) {
            if (file.path().filename() != kWorker) {
                fs::create_symlink(file.path(), folder() / file.path().filename());
            }
        }
        worker_ = read_file(fs::path(RANKSCOPE_BUNDLE) / kWorker).value_or("");
    }
    fs::path folder() const { return folder_.path(); }
    void place_worker(const std::string& content) const {
        ASSERT_EQ(write_file_atomically(folder() / kWorker, content), 0);
        ASSERT_EQ(::chmod((folder() / kWorker).c_str(), 0755), 0);
    }
    /// What the loader takes for it.
    std::string loaded(const std::string& entry) const {
        auto command = Command::start({(folder() / entry).string()}, 60, {{"LD_TRACE_LOADED_OBJECTS", "1"}});
        if (!command) {
            return {};
        }
        command->wait();
        return command->output();
    }
    std::string worker_;

private:
    test::TemporaryFolder folder_;
};

TEST_F(OwnLibc, IsNotUsedWhereTheNodesIsNewEnough) {
    place_worker(worker_);
    EXPECT_EQ(startable_entry(folder(), kWorker), kWorker);
    EXPECT_FALSE(fs::exists(folder() / "own-libc"));
}

TEST_F(OwnLibc, ServesAWorkerThatDoesNotStart) {
    place_worker(*with_loader(worker_, "/nowhere/ld-linux-x86-64.so.2"));
    const std::string entry = startable_entry(folder(), kWorker);
    EXPECT_EQ(entry, std::string("own-libc/") + kWorker);
    const std::string libraries = loaded(entry);
    for (const std::string name : {"libc.so.6", "libm.so.6", "libgloo.so.0"}) {
        EXPECT_NE(libraries.find(name + " => " + (folder() / "own-libc" / name).string()), std::string::npos)
            << libraries;
    }
    EXPECT_EQ(startable_entry(folder(), kWorker), entry) << "the copy is found again";
}

TEST_F(OwnLibc, ABundleWithoutOneStaysAsItIs) {
    for (const auto& file : fs::directory_iterator(folder())) {
        if (file.path().filename().string().starts_with("glibc-")) {
            fs::remove(file.path());
        }
    }
    place_worker(*with_loader(worker_, "/nowhere/ld-linux-x86-64.so.2"));
    EXPECT_EQ(startable_entry(folder(), kWorker), kWorker);
}

TEST_F(OwnLibc, AWorkerThatStartsSlowlyIsNotCopied) {
    place_worker("#!/bin/sh\nexec sleep 1000\n");
    EXPECT_EQ(startable_entry(folder(), kWorker), kWorker);
    EXPECT_FALSE(fs::exists(folder() / "own-libc"));
}

TEST(WithLoader, RefusesWhatHasNoLoader) {
    EXPECT_FALSE(with_loader("", "/ld.so"));
    EXPECT_FALSE(with_loader("#!/bin/sh\n" + std::string(100, ' '), "/ld.so"));
    const std::string agent = read_file(RANKSCOPE_STATIC_PROGRAM).value_or("");
    ASSERT_FALSE(agent.empty());
    EXPECT_FALSE(with_loader(agent, "/ld.so")) << "linked statically";
    EXPECT_FALSE(with_loader(agent.substr(0, 100), "/ld.so")) << "its headers are cut off";
}

}  // namespace
}  // namespace rankscope::agent
