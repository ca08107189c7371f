// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/scoped_environment.h"
#include "support/temporary_folder.h"

#include <base/failure.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/private_folder.h>
#include <base/sha256.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/session/facts_json.h>
#include <remote/desk/shared/text.h>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <set>
#include <thread>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::ScopedEnvironment;
using test::TemporaryFolder;
using test::write_text;

std::size_t entries_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Files, WriteMakesFoldersAndKeepsOthersOut) {
    const TemporaryFolder folder;
    const fs::path file = folder / "a/b/file";
    ASSERT_EQ(write_file_atomically(file, "first"), 0);
    ASSERT_EQ(write_file_atomically(file, std::string("second\0", 7)), 0);
    EXPECT_EQ(read_file(file), std::string("second\0", 7));
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms::owner_all);
    EXPECT_EQ(entries_in(folder / "a/b"), 1U) << "no temporary file is left";
}

// A disk that takes a limited number of bytes of one file: a limit of the process instead of a file system.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(Files, AFullDiskLeavesTheOldContent) {
    const TemporaryFolder folder;
    const fs::path file = folder / "cluster.yaml";
    ASSERT_EQ(write_file_atomically(file, "nodes: []\n"), 0);
    int error = 0;
    {
        const FileSizeLimit limit(100);
        error = write_file_atomically(file, std::string(1000, 'x'));
    }
    EXPECT_EQ(error, EFBIG);
    EXPECT_EQ(read_file(file), "nodes: []\n");
    EXPECT_EQ(entries_in(folder.path()), 1U) << "the temporary file is gone";
}

TEST(Files, WhatCannotBeWrittenNamesItsError) {
    const TemporaryFolder folder;
    write_text(folder / "file", "x");
    EXPECT_EQ(write_file_atomically(folder / "file/below", "x"), ENOTDIR);
    EXPECT_EQ(write_file_atomically("/proc/nowhere/file", "x"), ENOENT);
    fs::create_directories(folder / "folder/with-content");
    EXPECT_NE(write_file_atomically(folder / "folder", "x"), 0) << "a folder is in the place of the file";
    EXPECT_FALSE(read_file(folder / "absent"));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_FALSE(read_file(folder.path()));
}

TEST(Files, ReadsWhatHasNoSize) {
    const auto status = read_file("/proc/self/status");
    ASSERT_TRUE(status);
    EXPECT_NE(status->find("Pid:"), std::string::npos);
}

TEST(Sha256, KnownDigests) {
    const auto hex = [](std::string_view text) {
        Sha256 hash;
        hash.update(std::as_bytes(std::span(text.data(), text.size())));
        return to_hex(hash.finish());
    };
    EXPECT_EQ(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const TemporaryFolder folder;
    write_text(folder / "file", "abc");
    EXPECT_EQ(to_hex(*sha256_of_file(folder / "file")), hex("abc"));
    EXPECT_FALSE(sha256_of_file(folder / "absent"));
}

TEST(Sha256, HexRoundTrip) {
    const std::string hex = "00ff" + std::string(60, 'a');
    ASSERT_TRUE(digest_from_hex(hex));
    EXPECT_EQ(to_hex(*digest_from_hex(hex)), hex);
    EXPECT_FALSE(digest_from_hex(hex.substr(1)));
    EXPECT_FALSE(digest_from_hex("0x" + hex.substr(2)));
    EXPECT_FALSE(digest_from_hex(std::string(64, 'g')));
}

TEST(Sha256, TokensDiffer) {
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i) {
        const std::string token = random_token();
        EXPECT_EQ(token.size(), 64U);
        EXPECT_TRUE(digest_from_hex(token));
        tokens.insert(token);
    }
    EXPECT_EQ(tokens.size(), 100U);
}

TEST(Text, ReplacesEachPlaceOnce) {
    EXPECT_EQ(text("Test", "%1 on %2", {"%2", "b"}), "%2 on b");
    EXPECT_EQ(text("Test", "%2%1%1", {"a", "b"}), "baa");
    EXPECT_EQ(text("Test", "100 %, %3 %", {"a"}), "100 %, %3 %");
    EXPECT_EQ(text("Test", "%", {"a"}), "%");
}

TEST(Failure, ALineSaysWhereWhatAndRemedy) {
    EXPECT_EQ(to_line({"disk-full", "node1", "It broke.", "Fix it.", "EIO"}),
              "node1: It broke. Fix it. [EIO]");
    EXPECT_EQ(to_line({"disk-full", "", "It broke.", "", ""}), "It broke.");
}

TEST(Paths, FollowTheSpecification) {
    const ScopedEnvironment home("HOME", "/home/me");
    const ScopedEnvironment config("XDG_CONFIG_HOME", "/etc/mine");
    const ScopedEnvironment data("XDG_DATA_HOME", "relative/is/ignored");
    const ScopedEnvironment cache("XDG_CACHE_HOME", std::nullopt);
    EXPECT_EQ(user_config_dir(), "/etc/mine/rankscope");
    EXPECT_EQ(user_data_dir(), "/home/me/.local/share/rankscope");
    EXPECT_EQ(user_cache_dir(), "/home/me/.cache/rankscope");
    EXPECT_EQ(expand_home("~"), "/home/me");
    EXPECT_EQ(expand_home("~/x"), "/home/me/x");
    EXPECT_EQ(expand_home("~other/x"), "~other/x");
    EXPECT_EQ(expand_home("x/~"), "x/~");
}

TEST(WakeFd, WakesAndClears) {
    const WakeFd wake;
    pollfd fd{wake.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&fd, 1, 0), 0);
    std::thread([&wake] {
        wake.wake();
        wake.wake();
    }).join();
    EXPECT_EQ(::poll(&fd, 1, 0), 1);
    wake.clear();
    EXPECT_EQ(::poll(&fd, 1, 0), 0);
}

NodeFacts full_facts() {
    NodeFacts facts;
    facts.hostname = "gpu1";
    facts.os = "Debian 12";
    facts.kernel = "6.1";
    facts.machine = "x86_64";
    facts.libc = "glibc 2.36";
    facts.user = "trainer";
    facts.cpus = 64;
    facts.cpu_model = "EPYC";
    facts.load1 = 0.5;
    facts.memory_bytes = 1ULL << 40U;
    facts.memory_free_bytes = 7;
    facts.cache_free_bytes = 8;
    facts.cache_dir = "/scratch/ü";
    facts.gpus = {{0, "H100", 80ULL << 30U}, {3, "A100", 1}};
    facts.interfaces = {{"eth0", {"10.0.0.1", "fe80::1"}, true, false, 9000}, {"lo", {}, false, true, 65536}};
    facts.agent_version = "0.1.0";
    facts.connected_as = "trainer@10.0.0.11:22";
    facts.peer_address = "10.0.0.11";
    facts.desk_address = "10.0.0.1";
    facts.clock_offset_s = -0.25;
    facts.connect_s = 0.5;
    facts.round_trip_s = 0.125;
    return facts;
}

TEST(FactsJson, RoundTrip) {
    const auto json = to_json(full_facts());
    EXPECT_EQ(to_json(facts_from_json(nlohmann::json::parse(json.dump()))), json);
    EXPECT_EQ(facts_from_json(json).libc, "glibc 2.36");
    EXPECT_EQ(facts_from_json(json).gpus.at(1).index, 3);
    EXPECT_EQ(facts_from_json(json).interfaces.at(0).addresses.at(1), "fe80::1");
}

TEST(FactsJson, WrongKeysKeepTheirDefaults) {
    const auto defaults = to_json(NodeFacts());
    for (const char* text :
         {"null", "[]", "5", "{}", R"({"gpus":5,"interfaces":"x"})", R"({"gpus":null,"interfaces":null})",
          R"({"cpus":"many","hostname":5,"load1":[]})"}) {
        EXPECT_EQ(to_json(facts_from_json(nlohmann::json::parse(text))), defaults) << text;
    }
    const auto odd = facts_from_json(nlohmann::json::parse(
        R"({"cpus":1e300,"memory_bytes":-1,"gpus":[5,null,{"index":"x"}],
            "interfaces":[[],{"name":"eth0","up":"yes","loopback":3,"addresses":"10.0.0.1"},{"addresses":[1,"a",null]}]})"));
    EXPECT_EQ(odd.gpus.size(), 1U);
    ASSERT_EQ(odd.interfaces.size(), 2U);
    EXPECT_EQ(odd.interfaces[0].name, "eth0");
    EXPECT_FALSE(odd.interfaces[0].up);
    EXPECT_EQ(odd.interfaces[1].addresses, std::vector<std::string>{"a"});
    EXPECT_EQ(odd.cpus, 0);
}

TEST(FactsJson, FromWire) {
    wire::NodeFacts frame;
    frame.set_hostname("gpu1");
    frame.set_cpus(4);
    auto* gpu = frame.add_gpus();
    gpu->set_index(2);
    gpu->set_memory_bytes(5);
    auto* interface = frame.add_interfaces();
    interface->set_name("eth0");
    interface->add_addresses("10.0.0.2");
    const auto facts = facts_from_wire(frame);
    EXPECT_EQ(facts.hostname, "gpu1");
    EXPECT_EQ(facts.gpus.at(0).index, 2);
    EXPECT_EQ(facts.interfaces.at(0).addresses.at(0), "10.0.0.2");
}

TEST(PrivateFolder, IsGoneThoughAnotherRemovesItsFilesAtTheSameTime) {
    const TemporaryFolder runtime;
    const ScopedEnvironment environment("XDG_RUNTIME_DIR", runtime.path().string());
    for (int round = 0; round < 300; ++round) {
        std::optional<PrivateFolder> folder(std::in_place);
        const fs::path path = folder->path();
        for (const char* name : {"c", "ask", "log"}) {
            ASSERT_EQ(write_file_atomically(path / name, ""), 0);
        }
        const std::jthread ssh([&path] {
            std::error_code ignored;
            for (const char* name : {"c", "ask", "log"}) {
                fs::remove(path / name, ignored);
            }
        });
        folder.reset();
        ASSERT_FALSE(fs::exists(path)) << "round " << round;
    }
}

}  // namespace
}  // namespace rankscope
