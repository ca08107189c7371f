// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Scripts from the lines that a person types for them, in the window: pasted, nodes ticked, started, watched. At the desk of
// a virtual cluster; RANKSCOPE_TUTORIAL_LINES names the list that tests/integration/test_tutorials.py writes. Without it
// a small program of this test is pasted. RANKSCOPE_SCREENSHOTS names a folder for pictures.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/session/workspace.h>

#include <nlohmann/json.hpp>
#include <tests/gui/gui_test.h>

#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>
#include <cstdio>
#include <fstream>
#include <set>

namespace rankscope::gui::testing {
namespace {

constexpr int kReadMs = 30'000;
constexpr int kTrainMs = 480'000;

struct Typed {
    std::string name;
    std::string text;
    int ranks = 1;
    bool ends = true;
    std::string submit_on = {};  // a node, for a line of Slurm
};

std::vector<Typed> typed_lines() {
    std::ifstream file(qEnvironmentVariable("RANKSCOPE_TUTORIAL_LINES").toStdString());
    if (!file) {
        return {{"small",
                 "torchrun --nnodes=2 --nproc-per-node=2 --no-python sh -c "
                 "'for i in 1 2 3 4 5; do echo \"step $i loss 0.$((9 - i))\"; sleep 0.1; done'\n",
                 4, true}};
    }
    std::vector<Typed> all;
    for (const auto& entry : nlohmann::json::parse(file)) {
        all.push_back({entry.at("name"), entry.at("text"), entry.at("ranks"), entry.at("ends"),
                       entry.value("submit_on", "")});
    }
    return all;
}

class Tutorials : public ::testing::Test {
protected:
    void SetUp() override {
        std::ifstream file(qEnvironmentVariable("RANKSCOPE_TEST_CLUSTER").toStdString());
        const auto cluster = nlohmann::json::parse(file);
        options_.inventory_file = cluster.at("inventory").get<std::string>();
        options_.data_dir = ss(folder_.path());
        window_ = std::make_unique<MainWindow>(options_);
        window_->resize(1280, 800);
        window_->show();
        ASSERT_TRUE(wait_until([&] {
            return window_->workspace()->fleet()->loaded() && window_->workspace()->store_settled();
        }));
    }
    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    QDialog* dialog(const char* name) {
        for (auto* found : window_->findChildren<QDialog*>(QString::fromLatin1(name))) {
            if (found->isVisible()) {
                return found;
            }
        }
        return nullptr;
    }
    const RunState& run() { return window_->workspace()->session()->model()->state(); }
    void picture(const std::string& name) {
        const QString folder = qEnvironmentVariable("RANKSCOPE_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QDir().mkpath(folder);
            EXPECT_TRUE(window_->grab().save(folder % u"/tutorial-"_s % qs(name) % u".png"_s));
        }
    }

    static std::set<QString> nodes_of(const Typed& typed);
    static void tick(QListWidget* list, const std::set<QString>& names);
    void paste(const Typed& typed);
    void watch(const Typed& typed);

    QTemporaryDir folder_;
    Options options_;
    std::unique_ptr<MainWindow> window_;
};

std::set<QString> Tutorials::nodes_of(const Typed& typed) {
    if (!typed.submit_on.empty()) {
        return {qs(typed.submit_on)};
    }
    const bool one = typed.ranks == 1 || typed.name == "single_node.py";
    return one ? std::set{u"node1"_s} : std::set{u"node1"_s, u"node2"_s};
}

void Tutorials::tick(QListWidget* list, const std::set<QString>& names) {
    for (int row = 0; row < list->count(); ++row) {
        const bool on = names.count(list->item(row)->data(Qt::UserRole).toString()) > 0;
        list->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
}

void Tutorials::paste(const Typed& typed) {
    click(find<QToolButton>("navLaunch"));
    ASSERT_TRUE(wait_until([&] { return find<QListWidget>("launchNodes")->count() == 3; }));
    click(find<QPushButton>("pasteJob"));
    QDialog* shown = nullptr;
    ASSERT_TRUE(wait_until([&] { return (shown = dialog("pasteDialog")) != nullptr; }));
    auto* ok = child<QPushButton>(shown, "pasteOk");
    tick(child<QListWidget>(shown, "pasteNodes"), nodes_of(typed));
    child<QPlainTextEdit>(shown, "pasteLine")->setPlainText(qs(typed.text));
    if (!typed.submit_on.empty()) {
        auto* launcher = child<QComboBox>(shown, "pasteLauncher");
        ASSERT_TRUE(wait_until([&] { return launcher->findData(u"slurm"_s) >= 0; }, kReadMs));
        launcher->setCurrentIndex(launcher->findData(u"slurm"_s));
    }
    ASSERT_TRUE(wait_until([&] { return ok->isEnabled(); }, kReadMs)) << typed.name;
    click(ok);
    // A line for one machine is a job for this computer: here it is for a node.
    if (typed.submit_on.empty()) {
        tick(find<QListWidget>("launchNodes"), nodes_of(typed));
    }
    ASSERT_TRUE(wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); }))
        << find<QLabel>("startReason")->text().toStdString();
    click(find<QPushButton>("startButton"));
}

void Tutorials::watch(const Typed& typed) {
    ASSERT_TRUE(wait_until([&] { return window_->live_page()->shown() != nullptr; }));
    const auto& data = window_->live_page()->shown()->data();
    const auto with_log = [&] {
        std::set<int> ranks;
        for (int rank = 0; rank < int(run().ranks.size()); ++rank) {
            if (!data.log.lines_of(rank, 1).empty()) {
                ranks.insert(rank);
            }
        }
        return ranks;
    };
    const auto with_curve = [&] {
        std::set<int> ranks;
        for (std::size_t rank = 0; rank < data.series.size(); ++rank) {
            if (data.series[rank].last_step() > 0) {
                ranks.insert(int(rank));
            }
        }
        return ranks;
    };
    const auto live = [&] { return window_->workspace()->session()->live(); };
    const bool all = wait_until(
        [&] { return int(with_log().size()) == typed.ranks || (run().end.has_value() && !live()); },
        kTrainMs);
    EXPECT_TRUE(all) << typed.name;
    if (!typed.ends) {
        if (typed.name == "multi_node.py") {
            EXPECT_TRUE(wait_until([&] { return int(with_curve().size()) == typed.ranks; }, kTrainMs));
        }
        picture(typed.name);
        click(find<QPushButton>("stopButton"));
    }
    ASSERT_TRUE(wait_until([&] { return run().end.has_value() && !live(); }, kTrainMs)) << typed.name;
    if (typed.ends) {
        picture(typed.name);
    }
    std::printf("%-22s ranks %zu, logs %zu, curves %zu, %s\n", typed.name.c_str(), run().ranks.size(),
                with_log().size(), with_curve().size(), run().outcome == Outcome::Done ? "done" : "stopped");
    std::fflush(stdout);
    EXPECT_EQ(run().outcome, typed.ends ? Outcome::Done : Outcome::Stopped) << run().end->detail;
    EXPECT_EQ(int(run().ranks.size()), typed.ranks) << typed.name;
    EXPECT_EQ(int(with_log().size()), typed.ranks) << typed.name;
}

TEST_F(Tutorials, RunFromTheLinesThatAPersonTypes) {
    for (const Typed& typed : typed_lines()) {
        ASSERT_NO_FATAL_FAILURE(paste(typed));
        ASSERT_NO_FATAL_FAILURE(watch(typed));
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
