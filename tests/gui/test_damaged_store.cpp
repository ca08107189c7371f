// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A run store that cannot be used: Runs shows why, and one click begins a new one.

#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/sqlite.h>

#include <tests/gui/pages_fixture.h>

#include <QTableView>
#include <QToolButton>
#include <filesystem>
#include <fstream>

namespace rankscope::gui::testing {
namespace {

namespace fs = std::filesystem;

class DamagedStore : public Pages {
protected:
    fs::path store_file() const { return options_in(folder_.path()).store_path(); }
    NoticeBar* fault() { return find<NoticeBar>("runsStoreFault"); }
    QPushButton* begin_new() { return find<QPushButton>("runsStoreFaultAction"); }
    /// Opens Runs, sets the store aside, and returns where the old one is.
    fs::path set_aside() {
        click(find<QToolButton>("navRuns"));
        EXPECT_TRUE(wait_until([&] { return fault()->isVisible() && begin_new()->isVisible(); }));
        click(begin_new());
        EXPECT_TRUE(wait_until([&] { return window_->workspace()->store() != nullptr; }));
        auto* news = find<NoticeBar>("runsStoreNews");
        EXPECT_TRUE(wait_until([&] { return news->isVisible(); }));
        EXPECT_FALSE(fault()->isVisible()) << qPrintable(fault()->text());
        const fs::path old = window_->workspace()->old_store();
        EXPECT_TRUE(news->text().contains(qs(old.string()))) << qPrintable(news->text());
        EXPECT_TRUE(fs::exists(old)) << old;
        const auto runs = window_->workspace()->store()->runs();
        EXPECT_TRUE(runs && runs->empty());
        return old;
    }
};

TEST_F(DamagedStore, AFileThatIsNoDatabaseIsSetAsideWithOneClick) {
    const std::string content(5000, 'x');
    fs::create_directories(store_file().parent_path());
    std::ofstream(store_file()) << content;
    open();
    EXPECT_EQ(window_->workspace()->store(), nullptr);
    std::ifstream old(set_aside());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(old), {}), content);
}

TEST_F(DamagedStore, AStoreOfANewerVersionIsSetAsideWithOneClick) {
    fill_store({{.id = "a-1", .steps_per_epoch = 5}});
    {
        Database database;
        ASSERT_TRUE(database.open(store_file().string()));
        ASSERT_TRUE(database.run("PRAGMA user_version = 99"));
    }
    open();
    EXPECT_TRUE(fault()->text().contains(u"newer"_s)) << qPrintable(fault()->text());
    set_aside();
}

TEST_F(DamagedStore, OverwrittenPagesAreShownAndTheStoreIsSetAside) {
    fill_store({{.id = "a-1"}, {.id = "a-2"}});
    constexpr std::size_t kFirstPage = 4096;
    const auto size = fs::file_size(store_file());
    ASSERT_GT(size, 4 * kFirstPage);
    {
        std::fstream out(store_file(), std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(kFirstPage);
        out << std::string(size - kFirstPage, '\xA5');
    }
    open();
    set_aside();
}

TEST_F(DamagedStore, ARunStoreThatOnlyNeedsRoomOrRightsIsNotSetAside) {
    fs::create_directories(store_file());  // a folder in its place
    open();
    click(find<QToolButton>("navRuns"));
    ASSERT_TRUE(wait_until([&] { return fault()->isVisible(); }));
    EXPECT_FALSE(begin_new()->isVisible());
    EXPECT_FALSE(fault()->text().isEmpty());
}

}  // namespace
}  // namespace rankscope::gui::testing
