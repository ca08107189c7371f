// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A blocked port, seen and opened in Doctor, then a run that trains; then a rank that stops, named by the verdict card.
// All by simulated clicks at the desk of a virtual cluster (tests/cluster/vcluster.py run --nodes 4 -- e2e_doctor).

#include <base/clock.h>
#include <gui/app/main_window.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/launch/launch_page.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/plot/metric_plot.h>
#include <gui/session/workspace.h>

#include <nlohmann/json.hpp>
#include <tests/gui/gui_test.h>

#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace rankscope::gui::testing {
namespace {

constexpr int kPreflightMs = 60'000;
constexpr int kTrainMs = 180'000;
constexpr int kVerdictMs = 90'000;

/// On a node, as root.
int on_node(const QString& node, const QString& command) {
    return QProcess::execute(u"python3"_s, {QStringLiteral(RANKSCOPE_VCLUSTER), u"exec"_s, u"--root"_s, node,
                                            u"--"_s, u"sh"_s, u"-c"_s, command});
}

class DoctorOnNodes : public ::testing::Test {
protected:
    void SetUp() override {
        std::ifstream file(qEnvironmentVariable("RANKSCOPE_TEST_CLUSTER").toStdString());
        const auto cluster = nlohmann::json::parse(file);
        // Logged in as root, the agent may read the firewall's rules.
        std::ifstream nodes(cluster.at("inventory").get<std::string>());
        std::stringstream text;
        text << nodes.rdbuf();
        const QString as_root = qs(text.str()).replace(u"trainer"_s, u"root"_s);
        options_.inventory_file = ss(folder_.path() + u"/cluster.yaml"_s);
        std::ofstream(options_.inventory_file) << ss(as_root);
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
    QPushButton* visible(const char* name) {
        for (auto* button : window_->findChildren<QPushButton*>(QString::fromLatin1(name))) {
            if (button->isVisible()) {
                return button;
            }
        }
        return nullptr;
    }
    void picture(const char* name) {
        const QString folder = qEnvironmentVariable("RANKSCOPE_SCREENSHOTS");
        if (!folder.isEmpty()) {
            QDir().mkpath(folder);
            EXPECT_TRUE(window_->grab().save(folder % u'/' % QString::fromLatin1(name) % u".png"_s));
        }
    }
    const RunState& run() { return window_->workspace()->session()->model()->state(); }
    FailureBanner* card() { return window_->live_page()->banner(); }
    std::shared_ptr<const PreflightReport> report() { return window_->workspace()->preflight()->report(); }

    void plan();
    void open_the_port();
    void start();
    void stop_a_rank();

    QTemporaryDir folder_;
    Options options_;
    std::unique_ptr<MainWindow> window_;
};

void DoctorOnNodes::plan() {
    click(find<QToolButton>("navLaunch"));
    auto* list = find<QListWidget>("launchNodes");
    for (int row = 0; row < list->count(); ++row) {
        const bool local = list->item(row)->data(Qt::UserRole).toString() == u"local"_s;
        list->item(row)->setCheckState(local ? Qt::Unchecked : Qt::Checked);
    }
    type_into(find<QLineEdit>("launchPort"), u"29511"_s);
    find<QComboBox>("launchDataset")->setCurrentText(u"synthetic-digits"_s);
    type_into(find<QLineEdit>("launchEpochs"), u"1000"_s);
    click(find<QToolButton>("launchMore"));
    type_into(find<QLineEdit>("launch.hang_after_s"), u"5"_s);
    ASSERT_TRUE(wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); }))
        << find<QLabel>("startReason")->text().toStdString();
}

void DoctorOnNodes::open_the_port() {
    click(find<QToolButton>("navDoctor"));
    click(find<QPushButton>("doctorFull"));
    ASSERT_TRUE(wait_until([&] { return report() != nullptr; }, kPreflightMs));
    const auto before = report();
    picture("doctor-1-blocked");
    ASSERT_FALSE(before->checks.empty());
    EXPECT_EQ(before->checks.front().id, FailureId("master-port-dropped")) << before->checks.front().detail;
    const PairGrid& grid = window_->doctor_page()->matrix()->grid();
    EXPECT_EQ(grid.state(grid.find("node2"), grid.find("node1")), PairState::Failed);
    EXPECT_EQ(grid.state(grid.find("node1"), grid.find("node2")), PairState::Fine);
    ASSERT_TRUE(wait_until([&] { return visible("fixApply") != nullptr; })) << "a fix of the firewall";
    click(visible("fixApply"));
    QPushButton* confirm = nullptr;
    ASSERT_TRUE(wait_until([&] { return (confirm = visible("applyConfirm")) != nullptr; }));
    click(confirm);
    ASSERT_TRUE(wait_until([&] { return report() != nullptr && report() != before; }, kPreflightMs))
        << "checked again by itself";
    picture("doctor-2-applied");
    EXPECT_FALSE(any_failed(report()->checks)) << report()->checks.front().detail;
    EXPECT_TRUE(find<QWidget>("appliedFixes")->isVisible()) << "can be undone";
}

void DoctorOnNodes::start() {
    click(find<QToolButton>("navLaunch"));
    click(find<QPushButton>("startButton"));
    ASSERT_TRUE(wait_until([&] { return run().slowest_step() >= 30 || run().end.has_value(); }, kTrainMs));
    ASSERT_FALSE(run().end.has_value()) << run().end->detail;
    picture("doctor-3-trains");
    EXPECT_FALSE(card()->isVisible());
}

void DoctorOnNodes::stop_a_rank() {
    QElapsedTimer clock;
    clock.start();
    ASSERT_EQ(on_node(u"node2"_s, u"kill -STOP $(pgrep -f 'rankscope-worker.*--config' | head -n 1)"_s), 0);
    ASSERT_TRUE(wait_until([&] { return card()->isVisible() || run().end.has_value(); }, kVerdictMs));
    std::printf("the card names it after %.1f s: %s\n", double(clock.elapsed()) / 1e3,
                qPrintable(card()->report().title));
    picture("doctor-4-verdict");
    ASSERT_FALSE(run().end.has_value()) << run().end->detail;
    EXPECT_EQ(card()->report().kind, ReportKind::Live);
    EXPECT_EQ(card()->report().rank, 1) << card()->report().whole().toStdString();
    EXPECT_EQ(card()->report().node, "node2");
    ASSERT_EQ(on_node(u"node2"_s, u"kill -CONT $(pgrep -f 'rankscope-worker.*--config' | head -n 1)"_s), 0);
    EXPECT_TRUE(wait_until([&] { return card()->report().kind == ReportKind::Over || !card()->isVisible(); },
                           kVerdictMs));
    click(find<QPushButton>("stopButton"));
    EXPECT_TRUE(wait_until([&] { return !window_->workspace()->session()->live(); }, kTrainMs));
}

TEST_F(DoctorOnNodes, ABlockedPortIsOpenedAndAStoppedRankIsNamed) {
    const QString rules =
        u"printf 'table inet fault { chain input { type filter hook input priority 0; iifname != lo tcp dport 29511 drop; }; }' | nft -f -"_s;
    if (on_node(u"node1"_s, rules) != 0) {
        GTEST_SKIP() << "the kernel takes no nftables rules";
    }
    ASSERT_NO_FATAL_FAILURE(plan());
    ASSERT_NO_FATAL_FAILURE(open_the_port());
    ASSERT_NO_FATAL_FAILURE(start());
    ASSERT_NO_FATAL_FAILURE(stop_a_rank());
}

// A program that knows nothing of Rankscope.
TEST_F(DoctorOnNodes, TheLinesOfAScriptAreACurveWithinTwoSeconds) {
    window_->launch_page()->set_job_text(R"yaml(name: two-lines
nodes: [node1, node2, node3, node4]
preflight: "off"
command:
  - sh
  - -c
  - |
    while i=$((i + 1)); [ $i -le 200 ]; do
      echo "step $i loss 0.$((999 - i))"; sleep 0.05; done
)yaml",
                                         "two-lines.yaml");
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); }))
        << find<QLabel>("startReason")->text().toStdString();
    click(find<QPushButton>("startButton"));
    const auto draws = [&] {
        const auto shown = window_->live_page()->plot()->shown_metrics();
        return std::find(shown.begin(), shown.end(), "loss") != shown.end();
    };
    ASSERT_TRUE(wait_until([&] { return draws() || run().end.has_value(); }, kTrainMs));
    const std::int64_t drawn_us = now_us();
    ASSERT_FALSE(run().end.has_value()) << run().end->detail;
    std::int64_t first_us = drawn_us;  // by the clock of the node, which is that of this machine
    for (int rank = 0; rank < 4; ++rank) {
        for (const LogLine& line : window_->live_page()->shown()->data().log.lines_of(rank, 1000)) {
            first_us = std::min(first_us, line.t_us);
        }
    }
    const double delay_s = double(drawn_us - first_us) / 1e6;
    std::printf("the curve is there %.2f s after the first line\n", delay_s);
    EXPECT_LT(delay_s, 2 * rankscope::testing::machine_slowness());
    ASSERT_TRUE(wait_until([&] { return run().slowest_step() >= 60; }, kTrainMs));
    picture("doctor-5-two-lines");
    ASSERT_TRUE(wait_until([&] { return run().end.has_value(); }, kTrainMs));
    EXPECT_EQ(run().outcome, Outcome::Done) << run().end->detail;
    EXPECT_EQ(run().slowest_step(), 200);
}

}  // namespace
}  // namespace rankscope::gui::testing
