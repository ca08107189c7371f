// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/event_writer.h"
#include "support/temporary_folder.h"
#include "support/wandb_writer.h"

#include <remote/agent/ranks/found_files.h>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using test::scalar_record;

std::string this_host() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return host.data();
}

/// A process that waits for its end.
class Sleeper {
public:
    Sleeper() : pid_(::fork()) {
        if (pid_ == 0) {
            for (;;) {
                ::pause();
            }
        }
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper() { end(); }
    void end() {
        if (pid_ > 0) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
        pid_ = -1;
    }
    pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

class FoundFilesTest : public ::testing::Test {
protected:
    void add_rank(int rank, const fs::path& folder, bool own = false) {
        auto* spec = run_.add_ranks();
        spec->set_rank(rank);
        spec->set_workdir(folder_.path().string());
        spec->set_event_folder(folder.string());
        spec->set_event_folder_is_own(own);
    }
    static std::string name(pid_t pid, const std::string& host = this_host(), int number = 0) {
        return "events.out.tfevents.1700000000." + host + (pid > 0 ? '.' + std::to_string(pid) + '.' : "") +
               (pid > 0 ? std::to_string(number) : "");
    }
    void append(const fs::path& file, const std::string& bytes) const {
        const auto path = folder_.path() / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
    }
    /// "rank key=value@step" of all that came.
    std::string poll(bool all = false) {
        if (!files_) {
            files_ = FoundFiles::of(run_);
        }
        auto news = files_->poll(ranks_, all);
        std::string said;
        for (const auto& [rank, line] : news.metrics) {
            for (const auto& [key, value] : line.values) {
                said += std::to_string(rank) + ' ' + key + '=' + std::to_string(static_cast<int>(value)) +
                        '@' + std::to_string(line.step.value_or(-1)) + '\n';
            }
        }
        for (const auto& notice : news.notices) {
            said += std::string("! ") + notice.id.str() + '\n';
        }
        return said;
    }

    test::TemporaryFolder folder_;
    wire::StartRun run_;
    FoundFiles::Ranks ranks_;
    std::unique_ptr<FoundFiles> files_;
};

TEST_F(FoundFilesTest, NothingWhereNoRankNamesAFolder) {
    run_.add_ranks();
    EXPECT_EQ(FoundFiles::of(run_), nullptr);
}

TEST_F(FoundFilesTest, ReadsWhatAppearsDuringTheRunInPieces) {
    add_rank(0, "runs");
    append("runs/old/" + name(0), scalar_record("loss", 1, 9));
    EXPECT_EQ(poll(), "");
    append("runs/old/" + name(0), scalar_record("loss", 2, 9));
    const std::string second = scalar_record("loss", 2, 4);
    append("runs/new/" + name(0),
           test::version_record() + scalar_record("loss", 1, 5) + second.substr(0, 20));
    EXPECT_EQ(poll(), "0 loss=5@1\n");
    EXPECT_EQ(poll(), "");
    append("runs/new/" + name(0), second.substr(20));
    EXPECT_EQ(poll(), "0 loss=4@2\n");
}

TEST_F(FoundFilesTest, TheRankIsThatOfTheWritingProcess) {
    Sleeper first;
    Sleeper second;
    add_rank(2, "runs");
    add_rank(3, "runs");
    ranks_ = {{2, first.pid()}, {3, second.pid()}};
    EXPECT_EQ(poll(), "");
    append("runs/" + name(second.pid()), scalar_record("loss", 1, 3));
    append("runs/" + name(first.pid()), scalar_record("loss", 1, 2));
    EXPECT_EQ(poll(), (first.pid() < second.pid() ? "2 loss=2@1\n3 loss=3@1\n" : "3 loss=3@1\n2 loss=2@1\n"));
    second.end();
    append("runs/" + name(second.pid(), this_host(), 1), scalar_record("acc", 1, 1));
    append("runs/b/" + name(ranks_[1].pid, this_host(), 2), scalar_record("margin", 2, 1));
    EXPECT_NE(poll().find("3 margin=1@2\n"), std::string::npos) << "also when it has ended";
}

TEST_F(FoundFilesTest, AProcessBelowTheRanksCounts) {
    add_rank(0, "runs");
    add_rank(1, "runs");
    // The rank's process is this test's: the sleeper is its child.
    Sleeper child;
    Sleeper other;
    ranks_ = {{0, other.pid()}, {1, ::getpid()}};
    EXPECT_EQ(poll(), "");
    append("runs/" + name(child.pid()), scalar_record("loss", 1, 1));
    EXPECT_EQ(poll(), "1 loss=1@1\n");
}

TEST_F(FoundFilesTest, WithoutANumberInTheNameTheOpenFileDecides) {
    add_rank(0, "runs");
    add_rank(1, "runs");
    EXPECT_EQ(poll(), "");
    append("runs/" + name(0), scalar_record("loss", 1, 1));
    std::ofstream open(folder_.path() / "runs" / name(0), std::ios::app);
    Sleeper other;
    open.close();  // the sleeper has it still
    ranks_ = {{0, -1}, {1, other.pid()}};
    EXPECT_EQ(poll(), "1 loss=1@1\n");
}

TEST_F(FoundFilesTest, AFolderOfItsOwnIsTheRanksWhoeverWrites) {
    add_rank(4, "runs/4", true);
    add_rank(5, "runs/5", true);
    EXPECT_EQ(poll(), "");
    append("runs/5/" + name(7, "container"), scalar_record("loss", 1, 1));
    append("runs/4/" + name(1), scalar_record("loss", 1, 1));
    EXPECT_EQ(poll(), "4 loss=1@1\n5 loss=1@1\n");
}

TEST_F(FoundFilesTest, FilesOfOthersAreLeftAlone) {
    Sleeper rank;
    add_rank(0, "runs");
    ranks_ = {{0, rank.pid()}};
    EXPECT_EQ(poll(), "");
    append("runs/" + name(::getppid()), scalar_record("loss", 1, 1));
    EXPECT_EQ(poll(), "! event-file-foreign\n");
    EXPECT_EQ(poll(), "");
    append("runs/" + name(77, "elsewhere"), scalar_record("loss", 1, 1));
    EXPECT_EQ(poll(), "") << "on a shared file system its own supervisor reads it";
    const auto missing = files_->missing();
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing[0].args[0], (folder_.path() / "runs").string());
    EXPECT_NE(missing[0].args[1].find("elsewhere"), std::string::npos);
}

TEST_F(FoundFilesTest, ADamagedFileIsReportedOnceAndLeftAlone) {
    add_rank(0, "runs");
    EXPECT_EQ(poll(), "");
    append("runs/a/" + name(0), scalar_record("loss", 1, 1) + "garbage, more than a header");
    append("runs/b/" + name(0), scalar_record("margin", 1, 2));
    EXPECT_EQ(poll(), "0 loss=1@1\n0 margin=2@1\n! event-file-damaged\n");
    append("runs/a/" + name(0), scalar_record("loss", 2, 1));
    append("runs/b/" + name(0), scalar_record("margin", 2, 3));
    EXPECT_EQ(poll(), "0 margin=3@2\n");
    append("runs/c/" + name(0), test::record("\xff\xff no event"));
    EXPECT_EQ(poll(), "! event-file-damaged\n");
    fs::resize_file(folder_.path() / "runs/b" / name(0), 10);
    EXPECT_EQ(poll(), "! event-file-shrunk\n");
    EXPECT_EQ(poll(), "");
}

TEST_F(FoundFilesTest, AFileMayGoAndOthersAreNoFoundFiles) {
    add_rank(0, "runs");
    EXPECT_EQ(poll(), "");
    append("runs/" + name(0), scalar_record("loss", 1, 1));
    append("runs/model.pt", "x");
    append("runs/events.out.tfevents.no-time", "garbage");
    fs::create_directories(folder_.path() / "runs" / ("x" + name(0)));
    fs::create_directories(folder_.path() / "runs/d" / name(5));
    fs::create_symlink("/dev/zero", folder_.path() / "runs/d" / name(6));
    EXPECT_EQ(poll(), "0 loss=1@1\n");
    fs::remove_all(folder_.path() / "runs");
    EXPECT_EQ(poll(), "");
}

TEST_F(FoundFilesTest, ALongFileIsReadInTurns) {
    add_rank(0, "runs");
    EXPECT_EQ(poll(), "");
    std::string many;
    for (int step = 1; many.size() < 3U << 20; ++step) {
        many += scalar_record("loss" + std::string(2000, 'x'), step, 1);
    }
    append("runs/long/" + name(0), many);
    const auto count = [](const std::string& said) { return std::count(said.begin(), said.end(), '\n'); };
    const auto first = count(poll());
    EXPECT_GT(first, 0);
    const auto rest = count(poll(true));
    EXPECT_GT(rest, first) << "at the end all of it";
    EXPECT_EQ(poll(true), "");
}

// What no job names.
class FilesNobodyNames : public FoundFilesTest {
protected:
    void SetUp() override {
        auto* spec = run_.add_ranks();
        spec->set_rank(0);
        spec->set_workdir(folder_.path().string());
        spec->add_argv("python");
        spec->add_argv("train.py");
        run_.mutable_own()->set_read_lines(true);
        ranks_ = {{0, ::getpid()}};
    }
    std::string all() { return poll(true); }
};

TEST_F(FilesNobodyNames, AnOpenFileIsItsRanks) {
    test::TemporaryFolder elsewhere;
    EXPECT_EQ(all(), "");
    std::ofstream open(elsewhere.path() / "metrics.jsonl");
    open << "{\"step\": 1, \"loss\": 3}\n" << std::flush;
    std::ifstream reading(elsewhere.path() / "data.jsonl");
    EXPECT_EQ(all(), "0 loss=3@1\n") << "outside of the working folder";
    open << "{\"step\": 2, \"loss\": 2}\n" << std::flush;
    EXPECT_EQ(all(), "0 loss=2@2\n");
    std::ofstream(elsewhere.path() / "other.csv") << "step,margin\n3,4\n";
    EXPECT_EQ(all(), "0 margin=4@3\n") << "closed again, beside one that was found";
}

TEST_F(FilesNobodyNames, FilesOfBeforeAreLeftAloneAndAppendedOnesGoOn) {
    append("old.csv", "step,loss\n1,9\n");
    append("log.jsonl", "{\"step\": 1, \"loss\": 9}\n");
    append("runs/" + name(::getpid()), scalar_record("loss", 1, 9));
    EXPECT_EQ(all(), "");
    append("old.csv", "2,8\n");
    std::ofstream open(folder_.path() / "log.jsonl", std::ios::app);
    open << "{\"step\": 2, \"loss\": 7}\n" << std::flush;
    EXPECT_EQ(all(), "0 loss=7@2\n");
}

TEST_F(FilesNobodyNames, EveryKindIsFoundBelowTheWorkingFolder) {
    EXPECT_EQ(all(), "");
    append("runs/a/" + name(::getpid()), scalar_record("a", 1, 1));
    append("logs/version_0/metrics.csv", "epoch,step,b\n0,2,1\n");
    append("work/vis_data/scalars.json", "{\"step\": 3, \"c\": 1}\n");
    append("mlruns/1/0123456789abcdef0123456789abcdef/metrics/d", "1700000000000 1 4\n");
    test::WandbWriter wandb;
    wandb.log(5, {{"e", "1"}});
    append("wandb/offline-run-1/run-a.wandb", wandb.bytes());
    append("wandb/offline-run-1/files/wandb-summary.json", "{\"_step\": 5, \"e\": 1}\n");
    append("notes.csv", "id,name\n1,x\n");
    append(".cache/x.csv", "step,z\n1,1\n");
    const std::string said = all();
    for (const char* one : {"0 a=1@1\n", "0 b=1@2\n", "0 c=1@3\n", "0 d=1@4\n", "0 e=1@5\n"}) {
        EXPECT_NE(said.find(one), std::string::npos) << one << said;
    }
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 5) << said;
}

TEST_F(FilesNobodyNames, ATableThatIsWrittenAnewBringsItsNewRowsOnly) {
    EXPECT_EQ(all(), "");
    append("metrics.csv", "step,loss\n1,5\n2,4\n");
    EXPECT_EQ(all(), "0 loss=5@1\n0 loss=4@2\n");
    std::ofstream(folder_.path() / "metrics.csv") << "step,loss,margin\n1,5,\n2,4,\n3,3,7\n";
    EXPECT_EQ(all(), "0 loss=3@3\n0 margin=7@3\n");
}

TEST_F(FilesNobodyNames, FilesOfOtherRunsAreLeftAlone) {
    Sleeper rank;
    ranks_ = {{0, rank.pid()}};
    EXPECT_EQ(all(), "");
    // This test's own process is none of the run's, has the same program, and works in the folder.
    const auto before = fs::current_path();
    fs::current_path(folder_.path());
    append("metrics.csv", "step,loss\n1,5\n");
    append("runs/" + name(::getppid()), scalar_record("a", 1, 1));
    EXPECT_EQ(all(), "");
    fs::current_path(before);
}

TEST_F(FilesNobodyNames, OnlyWhereRankZeroRunsClosedFilesAreLookedFor) {
    run_.mutable_ranks(0)->set_rank(1);
    ranks_ = {{1, ::getpid()}};
    EXPECT_EQ(all(), "");
    append("metrics.csv", "step,loss\n1,5\n");
    EXPECT_EQ(all(), "") << "on a shared file system the other node reads it";
    std::ofstream open(folder_.path() / "own.csv");
    open << "step,loss\n1,4\n" << std::flush;
    EXPECT_EQ(all(), "1 loss=4@1\n");
}

TEST_F(FilesNobodyNames, FoldersOfTheCommandAreSearched) {
    test::TemporaryFolder elsewhere;
    run_.mutable_ranks(0)->add_argv("--output-dir");
    run_.mutable_ranks(0)->add_argv((elsewhere.path() / "exp").string());
    EXPECT_EQ(all(), "");
    fs::create_directories(elsewhere.path() / "exp/a");
    std::ofstream(elsewhere.path() / "exp/a/progress.csv") << "step,loss\n1,5\n";
    EXPECT_EQ(all(), "0 loss=5@1\n");
}

// One value of MLflow's, logged now or `seconds` ago.
void log_to_database(const fs::path& path, const std::string& run, int value, int step, int seconds = 0) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    const std::string sql =
        "CREATE TABLE IF NOT EXISTS runs (run_uuid, start_time); CREATE TABLE IF NOT EXISTS metrics "
        "(\"key\", value FLOAT, "
        "timestamp BIGINT, run_uuid, step BIGINT, is_nan BOOLEAN); INSERT INTO metrics VALUES ('loss', " +
        std::to_string(value) + ", (strftime('%s', 'now') - " + std::to_string(seconds) + " + 1) * 1000, '" +
        run + "', " + std::to_string(step) + ", 0)";
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
}

TEST_F(FilesNobodyNames, ADatabaseGoesOnWithThisRun) {
    const fs::path path = folder_.path() / "mlflow.db";
    log_to_database(path, "before", 9, 1, 3600);
    EXPECT_EQ(all(), "");
    log_to_database(path, "now", 5, 1);
    EXPECT_EQ(all(), "0 loss=5@1\n");
    log_to_database(path, "now", 4, 2);
    EXPECT_EQ(all(), "0 loss=4@2\n");
    EXPECT_EQ(all(), "");
}

TEST_F(FilesNobodyNames, TrackiosFolderIsLookedInto) {
    test::TemporaryFolder elsewhere;
    (*run_.mutable_ranks(0)->mutable_env())["TRACKIO_DIR"] = elsewhere.path().string();
    EXPECT_EQ(all(), "");
    log_to_database(elsewhere.path() / "project.db", "now", 5, 1);
    EXPECT_EQ(all(), "0 loss=5@1\n");
}

TEST_F(FilesNobodyNames, AJobMayLeaveThemAlone) {
    run_.mutable_own()->set_leave_files(true);
    EXPECT_EQ(FoundFiles::of(run_), nullptr);
}

TEST(EventFileName, SaysWhoWroteIt) {
    const auto parsed = [](const std::string& text, const std::string& host) {
        EventFileName name;
        return parse_event_file_name(text, host, name)
                   ? (name.here ? "here " : "there ") + name.host + ' ' + std::to_string(name.pid)
                   : "none";
    };
    EXPECT_EQ(parsed("events.out.tfevents.1700000000.node1.4711.0", "node1"), "here node1 4711");
    EXPECT_EQ(parsed("events.out.tfevents.1700000000.node1.cluster.lan.4711.3.v2", "node1.cluster.lan"),
              "here node1.cluster.lan 4711");
    EXPECT_EQ(parsed("events.out.tfevents.1700000000.node1", "node1"), "here node1 0");
    EXPECT_EQ(parsed("events.out.tfevents.1700000000.node1.suffix", "node1"), "here node1 0");
    EXPECT_EQ(parsed("events.out.tfevents.1700000000.node10.4711.0", "node1"), "there node10.4711.0 0");
    EXPECT_EQ(parsed("events.out.tfevents.now.node1.4711.0", "node1"), "none");
    EXPECT_EQ(parsed("model.pt", "node1"), "none");
}

}  // namespace
}  // namespace rankscope::agent
