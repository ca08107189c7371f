// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// How much of a run's output is kept.

#include <gui/launch/launch_page.h>
#include <gui/session/output_limit.h>
#include <gui/settings/settings_file.h>
#include <remote/desk/runs/run/log_share.h>

#include <tests/gui/pages_fixture.h>

#include <QSettings>
#include <QSpinBox>

namespace rankscope::gui::testing {
namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;

class OutputLimits : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        window_.reset();
        QSettings().clear();
    }
    Settings settings() { return window_->workspace()->settings()->now(); }
};

TEST(OutputLimit, TheDefaultIsATenthOfTheFreeDiskWithinBounds) {
    EXPECT_EQ(default_output_limit(-1), LogShare::kDefaultLimit) << "not known";
    EXPECT_EQ(default_output_limit(kGigabyte), LogShare::kDefaultLimit);
    EXPECT_EQ(default_output_limit(10 * kGigabyte), 1'000'000'000U) << "ten million lines of 100 bytes";
    EXPECT_EQ(default_output_limit(1000 * kGigabyte), 2'000'000'000U);
    EXPECT_GT(disk_free("/tmp/no/such/folder/runs.sqlite"), 0);
}

TEST_F(OutputLimits, ARunStartsWithTheUsersLimitElseWithTheDisks) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    window_->launch_page()->set_job_text(
        "name: one\nnodes: [local]\nprocs_per_node: 1\ntrain: { model: convnet, dataset: { name: "
        "synthetic-digits } }\n",
        "job.yaml");
    ASSERT_TRUE(wait_start_enabled());
    std::vector<std::uint64_t> limits;
    // Without the window, which would start it.
    QObject::disconnect(window_->launch_page(), &LaunchPage::startRequested, nullptr, nullptr);
    QObject::connect(window_->launch_page(), &LaunchPage::startRequested,
                     [&](const RunRequest& request) { limits.push_back(request.log_limit); });
    const auto* limit = OutputLimit::of(window_->workspace());
    EXPECT_EQ(limit, OutputLimit::of(window_->workspace()));
    const std::uint64_t by_disk =
        default_output_limit(disk_free(window_->workspace()->options().store_path()));
    EXPECT_TRUE(wait_until([&] {
        limits.clear();
        click(find<QPushButton>("startButton"));
        // Others write to the disk, too.
        return limits.size() == 1 && limits[0] > by_disk * 9 / 10 && limits[0] < by_disk * 11 / 10;
    }));
    Settings changed = settings();
    changed.output_mb = 4000;
    window_->workspace()->settings()->set(changed);
    limits.clear();
    click(find<QPushButton>("startButton"));
    EXPECT_EQ(limits, std::vector<std::uint64_t>{4'000'000'000U});
}

TEST_F(OutputLimits, TheSettingsSayTheDefaultAndKeepTheChoice) {
    open();
    window_->show_settings(SettingsPart::Data);
    QDialog* dialog = wait_dialog("settingsDialog");
    auto* output = child<QSpinBox>(dialog, "settingsOutput");
    EXPECT_EQ(output->text(), u"as the disk allows"_s);
    auto* note = child<QLabel>(dialog, "settingsOutputNote");
    EXPECT_TRUE(wait_until([&] { return note->text().contains(u"from 268 MB to 2000 MB: now"_s); }))
        << ss(note->text());
    output->setValue(1500);
    EXPECT_EQ(settings().output_mb, 1500);
    EXPECT_EQ(QSettings().value(u"data/output_mb"_s).toInt(), 1500);
    child<QSpinBox>(dialog, "settingsFleetRefresh")->setValue(30);
    EXPECT_EQ(settings().fleet_refresh_s, 30);
}

}  // namespace
}  // namespace rankscope::gui::testing
