// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The questions to NCCL's RAS service: to servers of this test, and to a real RAS network.

#include "support/ras_network.h"
#include "support/wait_until.h"

#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/ras/ras_client.h>
#include <remote/observe/nccl_ras/ras_findings.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <functional>
#include <thread>

namespace rankscope::agent {
namespace {

using test::RasNetwork;

/// Listens on a port of 127.0.0.1 and gives each connection to `serve`, with its number.
class Server {
public:
    explicit Server(std::function<void(int fd, int number)> serve)
        : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(listener_.get(), 8) != 0 ||
            ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
            ADD_FAILURE() << "no server";
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::jthread([this, serve = std::move(serve)](const std::stop_token& stop) {
            for (int number = 0; !stop.stop_requested();) {
                if (wait_readable(listener_.get(), monotonic_s() + 0.05)) {
                    kept_.emplace_back(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
                    serve(kept_.back().get(), number++);
                }
            }
        });
    }
    RasQuestion question(double within_s = test::kPatience) const {
        RasQuestion question;
        question.port = port_;
        question.within_s = within_s;
        return question;
    }

private:
    UniqueFd listener_;
    std::uint16_t port_ = 0;
    std::vector<UniqueFd> kept_;
    std::jthread thread_;
};

void put(int fd, const std::string& text) {
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

std::string line_of(int fd) {
    std::string line;
    char letter = 0;
    while (wait_readable(fd, monotonic_s() + test::kPatience) && ::recv(fd, &letter, 1, 0) == 1) {
        if (letter == '\n') {
            return line;
        }
        line += letter;
    }
    return line;
}

/// What NCCL does up to the report; the commands that came.
std::string greet(int fd, bool knows_json) {
    std::string all = line_of(fd) + "|";
    put(fd, "SERVER PROTOCOL 2\n");
    all += line_of(fd).substr(0, 8) + "|";
    put(fd, "OK\n");
    all += line_of(fd) + "|";
    put(fd, knows_json ? "OK\n" : "ERROR: Unknown command SET FORMAT json\n");
    return all;
}

TEST(RasClient, AsksForJson) {
    std::string commands;
    const Server server([&commands](int fd, int) {
        commands = greet(fd, true);
        commands += line_of(fd);
        put(fd, "{\"nccl_ver");
        put(fd, "sion\": \"2.29.2\"}\n");
        ::shutdown(fd, SHUT_RDWR);
    });
    const RasAnswer answer = ask_ras(server.question());
    EXPECT_EQ(answer.outcome, RasOutcome::Answered);
    EXPECT_TRUE(answer.complete);
    EXPECT_EQ(answer.attempts, 1);
    EXPECT_EQ(answer.text, "{\"nccl_version\": \"2.29.2\"}\n");
    EXPECT_EQ(commands, "CLIENT PROTOCOL 2|TIMEOUT |SET FORMAT json|VERBOSE STATUS");
}

TEST(RasClient, AsksForTextOnlyWhereItMay) {
    std::string next = "?";
    const Server server([&next](int fd, int) {
        greet(fd, false);
        next = line_of(fd);
        if (!next.empty()) {
            put(fd, "NCCL version 2.24.3\n");
            ::shutdown(fd, SHUT_RDWR);
        }
    });
    RasQuestion question = server.question();
    EXPECT_EQ(ask_ras(question).outcome, RasOutcome::NoJson);
    EXPECT_TRUE(test::wait_until([&next] { return next.empty(); })) << "no report is asked for: " << next;
    question.text = true;
    const RasAnswer answer = ask_ras(question);
    EXPECT_EQ(answer.outcome, RasOutcome::Answered);
    EXPECT_EQ(answer.text, "NCCL version 2.24.3\n");
}

// A stopped process of the job: the kernel accepts for it, and nothing answers.
TEST(RasClient, ASilentProcessIsLeftForAnother) {
    const Server server([](int fd, int number) {
        if (number > 0) {
            greet(fd, true);
            line_of(fd);
            put(fd, "{}\n");
            ::shutdown(fd, SHUT_RDWR);
        }
    });
    const RasAnswer answer = ask_ras(server.question());
    EXPECT_EQ(answer.outcome, RasOutcome::Answered);
    EXPECT_EQ(answer.attempts, 2);
}

// A process of a busy machine: it answers the first connection when others have been tried.
TEST(RasClient, ALateAnswerToTheFirstConnectionIsTaken) {
    int first = -1;
    const Server server([&first](int fd, int number) {
        first = number == 0 ? fd : first;
        if (number == 2) {
            greet(first, true);
            line_of(first);
            put(first, "{}\n");
            ::shutdown(first, SHUT_RDWR);
        }
    });
    const RasAnswer answer = ask_ras(server.question(8));
    EXPECT_EQ(answer.outcome, RasOutcome::Answered);
    EXPECT_EQ(answer.attempts, 3);
    EXPECT_EQ(answer.text, "{}\n");
}

// It ends just then: another one has the rest of the time.
TEST(RasClient, AProcessThatClosesAfterItsGreetingIsLeftForAnother) {
    const Server server([](int fd, int number) {
        line_of(fd);
        put(fd, "SERVER PROTOCOL 2\n");
        if (number == 0) {
            ::shutdown(fd, SHUT_RDWR);
            return;
        }
        for (const char* answer : {"OK\n", "OK\n", "{}\n"}) {
            line_of(fd);
            put(fd, answer);
        }
        ::shutdown(fd, SHUT_RDWR);
    });
    const RasAnswer answer = ask_ras(server.question(8));
    EXPECT_EQ(answer.outcome, RasOutcome::Answered);
    EXPECT_EQ(answer.attempts, 2);
}

// Stopped at any later point of the talk: SIGSTOP reaches the threads of a process one after the other.
TEST(RasClient, AProcessThatFallsSilentIsLeftForAnother) {
    for (const int lines : {1, 2, 3}) {
        const Server server([lines](int fd, int number) {
            int said = 0;
            for (const char* answer : {"SERVER PROTOCOL 2\n", "OK\n", "OK\n", "{}\n"}) {
                line_of(fd);
                if (number == 0 && said++ == lines) {
                    return;
                }
                put(fd, answer);
            }
            ::shutdown(fd, SHUT_RDWR);
        });
        const RasAnswer answer = ask_ras(server.question(8));
        EXPECT_EQ(answer.outcome, RasOutcome::Answered) << lines;
        EXPECT_EQ(answer.attempts, 2) << lines;
        EXPECT_EQ(answer.text, "{}\n") << lines;
    }
}

TEST(RasClient, EndsInTime) {
    const Server silent([](int, int) {});
    const double begin = monotonic_s();
    EXPECT_EQ(ask_ras(silent.question(0.3)).outcome, RasOutcome::NoAnswer);
    EXPECT_LT(monotonic_s() - begin, test::kPatience / 2);
    const Server half([](int fd, int) {
        greet(fd, true);
        line_of(fd);
        put(fd, "{\"nccl_version\": ");
    });
    const RasAnswer answer = ask_ras(half.question(0.5));
    EXPECT_EQ(answer.outcome, RasOutcome::Answered);
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(answer.text, "{\"nccl_version\": ");
}

TEST(RasClient, OtherServices) {
    const Server ssh([](int fd, int) { put(fd, "SSH-2.0-OpenSSH_9.2\r\n"); });
    EXPECT_EQ(ask_ras(ssh.question()).outcome, RasOutcome::NotRas);
    const Server endless([](int fd, int) { put(fd, std::string(5000, 'x')); });
    EXPECT_EQ(ask_ras(endless.question()).outcome, RasOutcome::NotRas);
    const Server busy([](int fd, int) {
        greet(fd, true);
        line_of(fd);
        put(fd, "BUSY: another client\n");
    });
    EXPECT_EQ(ask_ras(busy.question()).outcome, RasOutcome::Denied);
    RasQuestion none;
    {
        const Server gone([](int, int) {});
        none = gone.question();
    }
    const RasAnswer refused = ask_ras(none);
    EXPECT_EQ(refused.outcome, RasOutcome::Refused);
    EXPECT_EQ(refused.error, ECONNREFUSED);
    for (const char* address :
         {"192.0.2.1", "0.0.0.0", "::", "localhost", "", "128.0.0.1", "::ffff:127.0.0.1"}) {
        RasQuestion question;
        question.address = address;
        EXPECT_EQ(ask_ras(question).outcome, RasOutcome::NotLoopback) << address;
    }
}

class RealRas : public ::testing::Test {
protected:
    void SetUp() override {
        if (!test::nccl_layout().problem.empty()) {
            GTEST_SKIP() << test::nccl_layout().problem;
        }
        network_ = std::make_unique<RasNetwork>(4, 2);
        ASSERT_TRUE(network_->ready());
        network_->set_counts(RasNetwork::AllReduce, 10);
        // RAS forms its network after the ranks are known: until all four answer.
        ASSERT_TRUE(test::wait_until([this] {
            const RasReport report = ask();
            json_ = report.json;
            const int processes = report.json ? communicator(report).missing == 0 ? 4 : 0 : report.processes;
            return processes == 4 && ras_findings(report).empty() && has_all(report);
        }));
    }
    RasReport ask() {
        RasQuestion question;
        question.port = network_->port();
        question.text = true;
        question.within_s = test::kPatience;
        const RasAnswer answer = ask_ras(question);
        EXPECT_EQ(answer.outcome, RasOutcome::Answered);
        EXPECT_TRUE(answer.complete);
        return read_ras_report(answer.text).value_or(RasReport{});
    }
    static RasCommunicator communicator(const RasReport& report) {
        for (const RasCommunicator& one : report.communicators) {
            if (one.hash == 0xc0ffee) {
                return one;
            }
        }
        return {};
    }
    static bool has_all(const RasReport& report) {
        return report.json ? communicator(report).ranks.size() == 4 : report.groups.size() == 2;
    }
    /// Asks until the rank of the communicator of all does not answer: a signal takes a moment.
    testing::AssertionResult waits_for(int rank) {
        std::string last;
        const bool seen = test::wait_until([this, rank, &last] {
            last.clear();
            for (const RasFinding& found : ras_findings(ask())) {
                last += std::string(" ") + to_string(found.fault);
                for (const RasRank& one : found.ranks) {
                    last += " " + std::to_string(one.rank);
                }
                if (found.communicator == 0xc0ffee && found.fault == RasFault::NoAnswer) {
                    return found.ranks.size() == 1 && found.ranks[0].rank == rank;
                }
            }
            return false;
        });
        return seen ? testing::AssertionSuccess()
                    : testing::AssertionFailure() << rank << " is not alone missing:" << last;
    }

    std::unique_ptr<RasNetwork> network_;
    bool json_ = false;
};

TEST_F(RealRas, HealthyThenAnotherCount) {
    network_->set_count(2, 0, RasNetwork::AllReduce, 9);
    const auto first = ras_findings(ask());
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].fault, RasFault::Behind);
    ASSERT_EQ(first[0].ranks.size(), 1U);
    EXPECT_EQ(first[0].ranks[0].rank, 2);
    EXPECT_EQ(first[0].ranks[0].host, "127.0.0.2");
    EXPECT_EQ(first[0].launched, 9U);
    EXPECT_EQ(first[0].expected, 10U);
    const auto second = ras_findings(ask(), first);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_TRUE(second[0].standing);
    // In the other communicator, too.
    network_->set_count(2, 0, RasNetwork::AllReduce, 10);
    network_->set_count(0, 1, RasNetwork::Broadcast, 1);
    const auto other = ras_findings(ask());
    ASSERT_EQ(other.size(), 1U);
    EXPECT_EQ(other[0].communicator, 0xbeefU);
    ASSERT_EQ(other[0].ranks.size(), 1U);
    EXPECT_EQ(other[0].ranks[0].rank, 1) << "of two, the one that has not launched it";
}

TEST_F(RealRas, AnotherCollectiveAndAnError) {
    network_->set_count(2, 0, RasNetwork::AllReduce, 9);
    network_->set_count(2, 0, RasNetwork::Broadcast, 1);
    network_->set_field(1, 0, "asyncResult", 6);
    const auto found = ras_findings(ask());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].fault, RasFault::AsyncError);
    EXPECT_EQ(found[0].error, NcclError::Remote);
    ASSERT_EQ(found[0].ranks.size(), 1U);
    EXPECT_EQ(found[0].ranks[0].rank, 1);
    ASSERT_EQ(found[1].ranks.size(), 1U);
    EXPECT_EQ(found[1].ranks[0].rank, 2);
    if (json_) {
        EXPECT_EQ(found[1].fault, RasFault::OtherCollective);
        EXPECT_EQ(found[1].collective, "Broadcast");
        EXPECT_EQ(found[1].expected_collective, "AllReduce");
    }
}

TEST_F(RealRas, AKilledProcess) {
    network_->kill(3);
    EXPECT_TRUE(waits_for(3));
}

TEST_F(RealRas, AStoppedProcess) {
    if (!json_ && !ras_text_is_sound(ask().nccl_version)) {
        GTEST_SKIP() << "the text form of this NCCL is wrong where a rank is missing";
    }
    network_->signal(2, SIGSTOP);
    EXPECT_TRUE(waits_for(2));
    network_->signal(2, SIGCONT);
    EXPECT_TRUE(test::wait_until([this] { return ras_findings(ask()).empty(); }));
}

}  // namespace
}  // namespace rankscope::agent
