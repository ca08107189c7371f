// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"

#include <base/clock.h>
#include <base/files.h>
#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/store/set_aside.h>
#include <remote/desk/runs/store/sqlite.h>

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstring>
#include <fstream>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

RunRecord record(int number) {
    RunRecord run;
    run.run_id = "run-" + std::to_string(number);
    run.job_yaml = std::string(2000, 'x');
    run.plan = test::plan_of(1, 1);
    return run;
}

class DamagedStoreTest : public ::testing::Test {
protected:
    fs::path file() const { return folder_ / "runs.sqlite"; }
    std::shared_ptr<RunStore> open() const {
        auto store = RunStore::open(file());
        EXPECT_TRUE(store) << (store ? "" : to_line(store.failure()));
        return store ? *store : nullptr;
    }
    void fill() const {
        const auto store = open();
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE(store->create_run(record(i)));
        }
    }
    // All pages but the first ones, with the names of the tables.
    void overwrite_pages() const {
        const auto size = fs::file_size(file());
        constexpr std::size_t kKept = 4096;
        ASSERT_GT(size, 4 * kKept);
        std::fstream out(file(), std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(kKept);
        out << std::string(size - kKept, '\xA5');
    }

    test::TemporaryFolder folder_;
};

TEST_F(DamagedStoreTest, OverwrittenPagesAreDamage) {
    fill();
    overwrite_pages();
    const auto store = RunStore::open(file());
    const auto runs = store ? (*store)->runs() : Result<std::vector<RunRecord>>(store.failure());
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.failure().code, FailureId("store-damaged")) << to_line(runs.failure());
    EXPECT_NE(runs.failure().remedy.find("runs repair"), std::string::npos);
    const auto problem = store_problem(file());
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->code, FailureId("store-damaged"));
    EXPECT_TRUE(can_set_aside(*problem));
}

TEST_F(DamagedStoreTest, AFileThatIsNoDatabaseIsDamage) {
    test::write_text(file(), std::string(5000, 'x'));
    const auto store = RunStore::open(file());
    ASSERT_FALSE(store);
    EXPECT_EQ(store.failure().code, FailureId("store-damaged")) << to_line(store.failure());
    EXPECT_TRUE(can_set_aside(store.failure()));
}

TEST_F(DamagedStoreTest, AStoreOfANewerVersionCanBeSetAside) {
    fill();
    {
        Database database;
        ASSERT_TRUE(database.open(file().string()));
        ASSERT_TRUE(database.run("PRAGMA user_version = 99"));
    }
    const auto problem = store_problem(file());
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->code, FailureId("store-newer"));
    EXPECT_TRUE(can_set_aside(*problem));
}

TEST_F(DamagedStoreTest, AStoreInOrderOrNoneHasNoProblem) {
    EXPECT_FALSE(store_problem(file()));
    EXPECT_FALSE(fs::exists(file())) << "looking makes none";
    fill();
    EXPECT_FALSE(store_problem(file()));
}

TEST_F(DamagedStoreTest, SettingItAsideKeepsAllOfItAndANewOneBegins) {
    const std::string damaged(5000, 'x');
    test::write_text(file(), damaged);
    test::write_text(folder_ / "runs.sqlite-wal", "w");
    const std::int64_t now = now_us();
    const auto old = set_aside_store(file(), now);
    ASSERT_TRUE(old) << to_line(old.failure());
    EXPECT_EQ(old->parent_path(), folder_.path());
    EXPECT_TRUE(old->filename().string().starts_with("runs-20")) << *old;
    EXPECT_EQ(old->extension(), ".sqlite");
    EXPECT_EQ(read_file(*old).value_or(""), damaged);
    EXPECT_EQ(read_file(old->string() + "-wal").value_or(""), "w");
    EXPECT_FALSE(fs::exists(folder_ / "runs.sqlite-wal")) << "the new store must not read it";
    {
        const auto store = open();
        EXPECT_TRUE(store->runs()->empty());
        ASSERT_TRUE(store->create_run(record(1)));
    }
    const auto second = set_aside_store(file(), now);
    ASSERT_TRUE(second);
    EXPECT_NE(*second, *old) << "within the same second, too";
}

TEST_F(DamagedStoreTest, AStoreThatIsOpenIsNotRenamed) {
    const auto store = open();
    const auto old = set_aside_store(file(), now_us());
    ASSERT_FALSE(old);
    EXPECT_EQ(old.failure().code, FailureId("store-busy"));
    EXPECT_NE(old.failure().what.find(std::to_string(::getpid())), std::string::npos) << old.failure().what;
    EXPECT_TRUE(fs::exists(file()));
}

TEST_F(DamagedStoreTest, ALockedStoreNamesTheOtherProgramAsTheCause) {
    const auto store = open();
    store->set_patience(20);
    Database other;
    ASSERT_TRUE(other.open(file().string()));
    ASSERT_TRUE(other.run("BEGIN IMMEDIATE"));
    const auto created = store->create_run(record(1));
    ASSERT_FALSE(created);
    EXPECT_EQ(created.failure().code, FailureId("store-busy")) << to_line(created.failure());
    EXPECT_FALSE(can_set_aside(created.failure()));
}

// A file system of one megabyte at the folder.
class SmallDisk {
public:
    explicit SmallDisk(fs::path folder) : folder_(std::move(folder)) {
        mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1m") == 0;
    }
    ~SmallDisk() {
        if (mounted_) {
            ::umount2(folder_.c_str(), MNT_DETACH);
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool mounted() const { return mounted_; }
    bool make_read_only() const {
        return ::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0;
    }
    bool grow() const { return ::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=64m") == 0; }

private:
    fs::path folder_;
    bool mounted_ = false;
};

TEST_F(DamagedStoreTest, AFullDiskIsNamedAndRoomOnItHelps) {
    const SmallDisk disk(folder_.path());
    if (!disk.mounted()) {
        GTEST_SKIP() << "a small file system cannot be mounted: " << std::strerror(errno);
    }
    const auto store = open();
    ASSERT_TRUE(store->create_run(record(1)));
    std::vector<Event> events;
    for (std::uint64_t seq = 1; seq <= 4; ++seq) {
        events.push_back(test::make_event(LogEvent{false, std::string(1U << 20U, 'y')}, seq));
    }
    const auto stored = store->append("run-1", events);
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.failure().code, FailureId("store-full")) << to_line(stored.failure());
    EXPECT_NE(stored.failure().remedy.find(folder_.path().string()), std::string::npos);
    ASSERT_TRUE(disk.grow());
    EXPECT_TRUE(store->append("run-1", events));
}

TEST_F(DamagedStoreTest, AReadOnlyDiskIsNamedAndNothingIsSetAside) {
    const SmallDisk disk(folder_.path());
    if (!disk.mounted()) {
        GTEST_SKIP() << "a small file system cannot be mounted: " << std::strerror(errno);
    }
    ASSERT_TRUE(open()->create_run(record(1)));
    ASSERT_TRUE(disk.make_read_only()) << std::strerror(errno);
    const auto store = RunStore::open(file());
    ASSERT_FALSE(store);
    EXPECT_EQ(store.failure().code, FailureId("store-read-only")) << to_line(store.failure());
    EXPECT_NE(store.failure().remedy.find(folder_.path().string()), std::string::npos);
    EXPECT_NE(store.failure().remedy.find("--data-dir"), std::string::npos);
    EXPECT_FALSE(can_set_aside(store.failure()));
}

}  // namespace
}  // namespace rankscope
