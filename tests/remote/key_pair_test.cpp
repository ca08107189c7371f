// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/desk/nodes/keys/key_install.h>
#include <remote/desk/nodes/keys/key_pair.h>
#include <remote/desk/nodes/transport/agent_keys.h>

#include <gtest/gtest.h>
#include <support/run_program.h>
#include <support/temporary_folder.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

namespace rankscope::test {
namespace {

mode_t mode_of_key(const std::filesystem::path& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(KeyPair, IsOneThatSshTakes) {
    const TemporaryFolder folder;
    for (const std::string passphrase : {"", "several words"}) {
        const auto file = folder / ("new-folder/id" + std::to_string(passphrase.size()));
        const auto pair = generate_key(file, "me@desk", passphrase);
        ASSERT_TRUE(pair) << to_line(pair.failure());
        EXPECT_EQ(mode_of_key(file), 0600U);
        EXPECT_EQ(mode_of_key(file.string() + ".pub"), 0644U);
        EXPECT_EQ(mode_of_key(file.parent_path()), 0700U);
        EXPECT_EQ(key_needs_passphrase(file.string()), !passphrase.empty());
        const auto derived = run_program({"ssh-keygen", "-y", "-P", passphrase, "-f", file.string()});
        EXPECT_EQ(derived.status, 0) << derived.errors;
        const std::string words = pair->public_line.substr(0, pair->public_line.find(' ', 12));
        EXPECT_TRUE(derived.output.starts_with(words)) << derived.output;
        EXPECT_NE(
            run_program({"ssh-keygen", "-lf", file.string()}).output.find(pair->fingerprint + " me@desk"),
            std::string::npos);
        EXPECT_EQ(read_public_key(file)->public_line, pair->public_line);
        EXPECT_EQ(read_public_key(file.string() + ".pub")->file, file);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "new-folder"), {}), 4)
        << "nothing is left";
}

TEST(KeyPair, NothingIsOverwritten) {
    const TemporaryFolder folder;
    write_text(folder / "a", "mine");
    write_text(folder / "b.pub", "mine");
    std::filesystem::create_symlink("/nowhere", folder / "c");
    for (const char* name : {"a", "b", "c"}) {
        const auto pair = generate_key(folder / name, "", "");
        ASSERT_FALSE(pair);
        EXPECT_EQ(pair.failure().code, FailureId("key-exists"));
    }
    EXPECT_EQ(read_file(folder / "a"), "mine");
    EXPECT_EQ(read_file(folder / "b.pub"), "mine");
    EXPECT_FALSE(std::filesystem::exists(folder / "b"));
}

TEST(KeyPair, BadPublicKeysAreFaults) {
    const TemporaryFolder folder;
    EXPECT_EQ(read_public_key(folder / "none").failure().code, FailureId("no-public-key"));
    write_text(folder / "x.pub", "not a key\n");
    EXPECT_EQ(read_public_key(folder / "x").failure().code, FailureId("bad-public-key"));
}

class InstallScript : public ::testing::Test {
protected:
    ProgramResult run(const std::string& home) {
        const KeyPair key{"k", "ssh-ed25519 AAAAC3Nz me@desk", ""};
        return run_program({"env", "HOME=" + home, "sh", "-c", install_key_script(key)},
                           key.public_line + '\n');
    }
    TemporaryFolder folder_;
};

TEST_F(InstallScript, AppendsOnceWithTheModesSshdWants) {
    ::chmod(folder_.path().c_str(), 0755);
    EXPECT_NE(run(folder_.path()).output.find("RANKSCOPE-KEY added closed"), std::string::npos);
    const auto file = folder_ / ".ssh/authorized_keys";
    EXPECT_EQ(mode_of_key(folder_ / ".ssh"), 0700U);
    EXPECT_EQ(mode_of_key(file), 0600U);
    EXPECT_NE(run(folder_.path()).output.find("RANKSCOPE-KEY present"), std::string::npos);
    EXPECT_EQ(read_file(file), "ssh-ed25519 AAAAC3Nz me@desk\n");
}

TEST_F(InstallScript, KeepsWhatIsThereAndRepairsItsEnd) {
    std::filesystem::create_directory(folder_ / ".ssh");
    ::chmod((folder_ / ".ssh").c_str(), 0777);
    write_text(folder_ / ".ssh/authorized_keys", "# ssh-ed25519 AAAAC3Nz off\nssh-rsa BBB other");
    ::chmod((folder_ / ".ssh/authorized_keys").c_str(), 0666);
    ::chmod(folder_.path().c_str(), 0775);
    EXPECT_NE(run(folder_.path()).output.find("RANKSCOPE-KEY added open"), std::string::npos);
    EXPECT_EQ(read_file(folder_ / ".ssh/authorized_keys"),
              "# ssh-ed25519 AAAAC3Nz off\nssh-rsa BBB other\nssh-ed25519 AAAAC3Nz me@desk\n");
    EXPECT_EQ(mode_of_key(folder_ / ".ssh"), 0755U);
    EXPECT_EQ(mode_of_key(folder_ / ".ssh/authorized_keys"), 0644U);
}

TEST_F(InstallScript, FaultsHaveExitCodes) {
    EXPECT_EQ(run("/nowhere").status, 91);
    EXPECT_EQ(run("").status, 91);
    write_text(folder_ / ".ssh", "a file");
    EXPECT_EQ(run(folder_.path()).status, 92);
}

TEST(SharedSecret, OnePasswordForAllAndNoneTwiceForANodeThatRefusesIt) {
    std::atomic<int> asked = 0;
    Prompter prompter;
    prompter.secret = [&](const SecretQuestion&) {
        ++asked;
        return std::optional<std::string>("pw");
    };
    Prompter kept;
    {
        const SharedSecret shared(prompter);
        kept = shared.prompter();
        std::vector<std::jthread> threads;
        for (int i = 0; i < 16; ++i) {
            threads.emplace_back([&] { EXPECT_EQ(kept.secret({"n", "a", "Password", false, 1}), "pw"); });
        }
        threads.clear();
        EXPECT_EQ(asked, 1);
        EXPECT_FALSE(kept.secret({"n", "a", "Password", false, 2}));
        EXPECT_EQ(kept.secret({"n", "a", "~/.ssh/k", true, 1}), "pw");
        EXPECT_EQ(asked, 2);
    }
    EXPECT_FALSE(kept.secret({"n", "a", "Password", false, 1})) << "wiped";
}

}  // namespace
}  // namespace rankscope::test
