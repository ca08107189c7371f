// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <base/number_text.h>
#include <remote/observe/metric_files/file_format.h>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <memory>

namespace rankscope::metric_files {
namespace {

namespace fs = std::filesystem;

constexpr double kBegin = 1'800'000'000;  // seconds since 1970
constexpr const char* kMlflowTables =
    "CREATE TABLE runs (run_uuid VARCHAR(32) NOT NULL, start_time BIGINT);"
    "CREATE TABLE metrics (\"key\" VARCHAR(250) NOT NULL, value FLOAT NOT NULL, timestamp BIGINT NOT NULL, "
    "run_uuid "
    "VARCHAR(32) NOT NULL, step BIGINT DEFAULT '0' NOT NULL, is_nan BOOLEAN DEFAULT '0' NOT NULL, CONSTRAINT "
    "metric_pk "
    "PRIMARY KEY (\"key\", timestamp, step, run_uuid, value, is_nan));";
constexpr const char* kTrackioTables =
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, timestamp TEXT NOT "
    "NULL, run_name "
    "TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL);";

/// A program that logs to a database.
class Writer {
public:
    Writer(const fs::path& path, const char* mode) {
        sqlite3* handle = nullptr;
        EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
        handle_.reset(handle);
        run(std::string("PRAGMA synchronous = OFF; PRAGMA journal_mode = ") + mode);
    }
    void run(const std::string& sql) {
        EXPECT_EQ(sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sql << ": " << sqlite3_errmsg(handle_.get());
    }
    void mlflow(const std::string& key, const std::string& value, int step, double second = 1,
                const std::string& run = "a", bool nan = false) {
        this->run("INSERT INTO metrics VALUES ('" + key + "', " + value + ", " +
                  std::to_string(static_cast<std::int64_t>((kBegin + second) * 1000)) + ", '" + run + "', " +
                  std::to_string(step) + ", " + (nan ? "1" : "0") + ")");
    }
    void trackio(const std::string& json, int step, const std::string& time = "2027-01-15T08:00:01.5+00:00") {
        this->run("INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES ('a', '" + time +
                  "', 'r1', " + std::to_string(step) + ", CAST('" + json + "' AS BLOB))");
    }

private:
    struct Close {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    std::unique_ptr<sqlite3, Close> handle_;
};

class DatabaseLogTest : public ::testing::Test {
protected:
    std::string read() {
        std::vector<Scalars> all;
        const ReadState state = log_.read(path_, kBegin, all);
        std::string out = state == ReadState::Good ? "" : "! ";
        for (const auto& one : all) {
            for (const auto& [name, value] : one.values) {
                out += name + '=' + number_text(value) + '@' + std::to_string(one.step) + ' ';
            }
        }
        return out;
    }
    std::set<std::string> names() const {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder_.path())) {
            all.insert(entry.path().filename().string());
        }
        return all;
    }

    test::TemporaryFolder folder_;
    std::string path_ = (folder_.path() / "a b#1.db").string();
    DatabaseLog log_;
};

TEST_F(DatabaseLogTest, ReadsWhatMlflowLogsWhileItIsOpen) {
    Writer writer(path_, "DELETE");
    writer.run(kMlflowTables);
    EXPECT_EQ(read(), "");
    writer.mlflow("loss", "0.5", 10);
    EXPECT_EQ(read(), "loss=0.5@10 ");
    EXPECT_EQ(read(), "");
    writer.mlflow("train/acc", "0.25", 20);
    writer.mlflow("bad", "0", 20, 2, "a", true);
    writer.mlflow("big", "-1.7976931348623157e308", 20);
    EXPECT_EQ(read(), "train/acc=0.25@20 bad=nan@20 big=-inf@20 ");
    EXPECT_EQ(names(), (std::set<std::string>{"a b#1.db"})) << "nothing is made";
}

TEST_F(DatabaseLogTest, ReadsWhatTrackioLogsAheadOfItsDatabase) {
    Writer writer(path_, "WAL");
    writer.run(kTrackioTables);
    writer.trackio(
        R"({"loss":1.5,"train/acc":0.5,"x":"NaN","up":"-Infinity","note":"text","t":{"_type":"trackio.table","a":1},"g":{"b":2}})",
        0);
    EXPECT_EQ(read(), "g/b=2@0 loss=1.5@0 train/acc=0.5@0 up=-inf@0 x=nan@0 ");
    writer.trackio(R"({"loss":1.25})", 1);
    EXPECT_EQ(read(), "loss=1.25@1 ");
}

TEST_F(DatabaseLogTest, OlderRowsAreOfOtherRuns) {
    {
        Writer writer(path_, "WAL");
        writer.run(kTrackioTables);
        writer.trackio(R"({"loss":9})", 0, "2027-01-15T07:59:59.9+00:00");
    }
    EXPECT_EQ(read(), "");
    EXPECT_EQ(names(), (std::set<std::string>{"a b#1.db"})) << "its writer has closed it";
    Writer writer(path_, "WAL");
    writer.trackio(R"({"loss":1})", 0);
    EXPECT_EQ(read(), "loss=1@0 ");
}

TEST_F(DatabaseLogTest, AnOpenTransactionIsNotSeenAndNotDisturbed) {
    for (const char* mode : {"DELETE", "WAL"}) {
        fs::remove(path_);
        log_ = {};
        Writer writer(path_, mode);
        writer.run(kMlflowTables);
        writer.mlflow("loss", "3", 1);
        EXPECT_EQ(read(), "loss=3@1 ") << mode;
        writer.run("PRAGMA cache_size = 1");
        writer.run("BEGIN IMMEDIATE");
        for (int i = 0; i < 2000; ++i) {
            writer.mlflow("loss", "2",
                          2 + i);  // more than its memory holds: the file changes before the commit
        }
        EXPECT_EQ(read(), "") << mode;
        writer.run("COMMIT");
        EXPECT_TRUE(read().starts_with("loss=2@2 loss=2@3 ")) << mode;
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
        EXPECT_EQ(read(), "") << mode;
    }
}

TEST_F(DatabaseLogTest, TheWriterNeverWaits) {
    for (const char* mode : {"DELETE", "WAL"}) {
        fs::remove(path_);
        log_ = {};
        Writer writer(path_, mode);  // without patience: a lock of ours would be its error
        writer.run(kMlflowTables);
        std::string all;
        for (int i = 1; i <= 300; ++i) {
            writer.mlflow("loss", "1", i);
            all += read();
        }
        EXPECT_TRUE(all.ends_with("loss=1@300 ")) << mode;
        EXPECT_EQ(std::count(all.begin(), all.end(), '@'), 300) << mode;
    }
}

TEST_F(DatabaseLogTest, SeveralRunsAtOnceAreNotRead) {
    Writer writer(path_, "DELETE");
    writer.run(kMlflowTables);
    writer.mlflow("loss", "1", 1, 1, "a");
    writer.mlflow("loss", "2", 1, 2, "b");
    EXPECT_EQ(read(), "loss=1@1 loss=2@1 ") << "one after the other";
    writer.mlflow("loss", "3", 2, 3, "a");
    EXPECT_EQ(read(), "! ");
}

TEST_F(DatabaseLogTest, OtherFilesAreForeign) {
    std::ofstream(path_)
        << "not a database, but long enough to have the header of one if it were one of SQLite's, see?";
    EXPECT_EQ(read(), "! ");
    fs::remove(path_);
    log_ = {};
    {
        Writer writer(path_, "DELETE");
        for (int i = 0; i < 5; ++i) {
            writer.run("CREATE TABLE t" + std::to_string(i) + " (loss, step)");
        }
    }
    EXPECT_EQ(read(), "! ");
    fs::resize_file(path_, 5000);
    log_ = {};
    EXPECT_NE(read(), "loss");
    EXPECT_FALSE(MetricFile::of("a.db-wal"));
    EXPECT_TRUE(MetricFile::of("mlflow.db")->database());
}

}  // namespace
}  // namespace rankscope::metric_files
