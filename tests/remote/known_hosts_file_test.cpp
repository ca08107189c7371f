// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/desk/nodes/transport/kept_answers.h>
#include <remote/desk/nodes/transport/known_hosts_file.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <support/temporary_folder.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <cerrno>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

namespace rankscope::test {
namespace {

std::multiset<std::string> lines_of(const std::filesystem::path& file) {
    std::istringstream lines(read_file(file).value_or(""));
    std::multiset<std::string> all;
    for (std::string line; std::getline(lines, line);) {
        all.insert(line);
    }
    return all;
}

mode_t mode_of(const std::filesystem::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

std::string entry(int i) {
    return "10.0.0." + std::to_string(i) + " ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + std::to_string(i);
}

TEST(KnownHostsFile, ManyThreadsOfAFreshUserAddTheirKeys) {
    constexpr int kThreads = 32;
    for (int round = 0; round < 20; ++round) {
        const TemporaryFolder home;
        const auto file = home / ".ssh" / "known_hosts";
        std::barrier start(kThreads);
        std::vector<int> errors(kThreads, -1);
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                errors[static_cast<std::size_t>(i)] = add_known_host(file, entry(i / 2) + '\n');
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(errors, std::vector<int>(kThreads, 0));
        const auto lines = lines_of(file);
        EXPECT_EQ(lines.size(), static_cast<std::size_t>(kThreads / 2)) << "each key once";
        EXPECT_EQ(lines.count(entry(3)), 1U);
        EXPECT_EQ(mode_of(file), 0600U);
        EXPECT_EQ(mode_of(file.parent_path()), 0700U);
    }
}

TEST(KnownHostsFile, KeepsEntriesOfOthersThatWriteAtTheSameTime) {
    const TemporaryFolder home;
    const auto file = home / "known_hosts";
    const std::string before =
        "# a comment\n|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-rsa AAAAB3\n"
        "@revoked * ssh-ed25519 AAAAC4\nlast.example ssh-ed25519 AAAAC5";  // no end of line
    write_text(file, before);
    constexpr int kLines = 200;
    const pid_t other = ::fork();
    if (other == 0) {  // appends whole lines without a lock, as ssh does
        const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND);
        for (int i = 0; i < kLines; ++i) {
            const std::string line = "\nother" + std::to_string(i) + " ssh-ed25519 AAAAC6\n";
            if (::write(fd, line.data(), line.size()) < 0) {
                ::_exit(1);
            }
        }
        ::_exit(0);
    }
    for (int i = 0; i < kLines; ++i) {
        ASSERT_EQ(add_known_host(file, entry(i)), 0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(other, &status, 0), other);
    ASSERT_EQ(status, 0);
    EXPECT_TRUE(read_file(file)->starts_with(before));
    const auto lines = lines_of(file);
    for (int i = 0; i < kLines; ++i) {
        EXPECT_EQ(lines.count(entry(i)), 1U) << i;
        EXPECT_EQ(lines.count("other" + std::to_string(i) + " ssh-ed25519 AAAAC6"), 1U) << i;
    }
    EXPECT_EQ(lines.count("last.example ssh-ed25519 AAAAC5"), 1U);
}

TEST(KnownHostsFile, AnEntryAddsOneLine) {
    const TemporaryFolder home;
    const auto file = home / ".ssh" / "known_hosts";
    ASSERT_EQ(
        add_known_host(file, entry(1) + "\n* ssh-ed25519 AAAAtheirs\n@cert-authority * ssh-rsa AAAAtheirs\n"),
        0);
    EXPECT_EQ(lines_of(file), std::multiset<std::string>{entry(1)});
}

TEST(KnownHostsFile, ReportsWhyItCannotBeWritten) {
    const TemporaryFolder home;
    write_text(home / "file", "");
    EXPECT_EQ(add_known_host(home / "file" / "known_hosts", entry(1)), ENOTDIR);
    EXPECT_EQ(add_known_host(home.path(), entry(1)), EISDIR);
    EXPECT_EQ(add_known_host("/dev/null", entry(1)), 0) << "UserKnownHostsFile /dev/null";
}

/// A user who counts the questions.
struct CountingUser {
    int keys = 0;
    int secrets = 0;
    std::optional<std::string> password = "first";
    Prompter prompter{[this](const HostKeyQuestion&) { return ++keys > 0; },
                      [this](const SecretQuestion&) {
                          ++secrets;
                          return password;
                      }};
};

TEST(KeptAnswers, AnswersTheNextAttemptWithoutAQuestion) {
    CountingUser user;
    int pauses = 0;
    KeptAnswers answers(user.prompter, [&] { ++pauses; });
    const Prompter asked = answers.prompter();
    const HostKeyQuestion key{"n1", "10.0.0.1", 22, "ssh-ed25519", "SHA256:a"};
    const SecretQuestion secret{"n1", "trainer@10.0.0.1", "Password", false, 1};
    EXPECT_TRUE(asked.accept_host_key(key));
    EXPECT_EQ(asked.secret(secret), "first");
    EXPECT_TRUE(answers.user_asked());
    EXPECT_EQ(pauses, 2);

    answers.begin_again();
    user.password = "second";
    EXPECT_TRUE(asked.accept_host_key(key));
    EXPECT_EQ(asked.secret(secret), "first");
    EXPECT_FALSE(answers.user_asked());
    EXPECT_EQ(user.keys + user.secrets, 2);

    EXPECT_EQ(asked.secret({"n1", "trainer@10.0.0.1", "Password", false, 2}), "second")
        << "the kept answer was refused";
    HostKeyQuestion other = key;
    other.fingerprint = "SHA256:b";
    EXPECT_TRUE(asked.accept_host_key(other));
    EXPECT_EQ(user.keys, 2) << "another key is another question";
}

TEST(KeptAnswers, KeepsNothingThatTheUserCancelledAndCannotAskWithoutAUser) {
    CountingUser user;
    user.password = std::nullopt;
    KeptAnswers answers(user.prompter, [] {});
    const SecretQuestion secret{"n1", "trainer@10.0.0.1", "Password", false, 1};
    EXPECT_FALSE(answers.prompter().secret(secret));
    answers.begin_again();
    EXPECT_FALSE(answers.prompter().secret(secret));
    EXPECT_EQ(user.secrets, 2);
    const Prompter none;
    KeptAnswers empty(none, [] {});
    EXPECT_FALSE(empty.prompter().secret);
    EXPECT_FALSE(empty.prompter().accept_host_key);
}

}  // namespace
}  // namespace rankscope::test
