// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/desk/runs/notify/alert_command.h>
#include <remote/desk/runs/notify/plateau_rule.h>
#include <remote/desk/runs/notify/run_alerts.h>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace rankscope {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Event metric(int rank, std::int64_t step, const std::string& name, double value) {
    return Event{1, 1, "node1", rank, MetricEvent{step, -1, {{name, value}}, {}}};
}

Event end_of(Outcome outcome, const std::string& node = {}) {
    EndEvent end;
    end.outcome = outcome;
    end.detail = "why";
    return Event{1, 1, node, -1, end};
}

AlertOptions only(AlertKind kind) {
    AlertOptions options;
    options.kinds = {kind};
    return options;
}

TEST(AlertRuleTest, ReadsWhatItWrites) {
    const auto rule = parse_alert_rule("  loss>10  for 50 steps ");
    ASSERT_TRUE(rule);
    EXPECT_EQ(*rule, (AlertRule{"loss", AlertRule::Compare::Above, 10, 50}));
    for (const char* line :
         {"loss > 10 for 50 steps", "acc1 <= 0.25", "gpu/mem >= 1e+20", "x < -3 for 2 steps"}) {
        const auto read = parse_alert_rule(line);
        ASSERT_TRUE(read) << line;
        EXPECT_EQ(to_text(*read), line);
    }
    EXPECT_EQ(parse_alert_rule("acc1 < 25%")->value, 0.25);
}

TEST(AlertRuleTest, NamesTheWordThatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> lines{
        {"", "A rule has"},
        {"loss >", "A rule has"},
        {"loss is 3", "\"is\""},
        {"loss == 3", "\"==\""},
        {"loss > many", "\"many\""},
        {"loss > nan", "\"nan\""},
        {"loss > 1e999", "\"1e999\""},
        {"loss > 1 for 0 steps", "\"0\""},
        {"loss > 1 for x steps", "\"x\""},
        {"loss > 1 in 3 steps", "for N steps"},
        {"loss > 1 for 3 steps please", "for N steps"},
        {std::string(5000, 'x'), "longer"},
        {"loss > 1 for 99999999999999999999 steps", "99999"}};
    for (const auto& [line, word] : lines) {
        const auto rule = parse_alert_rule(line);
        ASSERT_FALSE(rule) << line;
        EXPECT_NE(rule.failure().what.find(word), std::string::npos) << rule.failure().what;
        EXPECT_FALSE(rule.failure().remedy.empty());
    }
    for (int i = 0; i < 256; ++i) {
        (void)parse_alert_rule(std::string(20, static_cast<char>(i)));
    }
}

TEST(PlateauRuleTest, TakesMetricAndSteps) {
    AlertOptions options;
    EXPECT_TRUE(is_plateau_rule("  plateau of val_acc1"));
    EXPECT_FALSE(is_plateau_rule("plateau_loss > 3"));
    EXPECT_FALSE(is_plateau_rule(""));
    ASSERT_TRUE(add_plateau("plateau", options));
    EXPECT_TRUE(options.kinds.contains(AlertKind::Plateau));
    EXPECT_EQ(options.plateau_metric, "loss");
    EXPECT_EQ(options.plateau_steps, 1000);
    ASSERT_TRUE(add_plateau("plateau for 20", options));
    EXPECT_EQ(options.plateau_steps, 20);
    ASSERT_TRUE(add_plateau("plateau of val_acc1 for 500 steps", options));
    EXPECT_EQ(options.plateau_metric, "val_acc1");
    EXPECT_EQ(options.plateau_steps, 500);
    const AlertOptions before = options;
    for (const char* wrong : {"plateau of", "plateau of loss for", "plateau for x steps",
                              "plateau for 0 steps", "plateau for 5 epochs", "plateau loss", "loss"}) {
        const auto read = add_plateau(wrong, options);
        ASSERT_FALSE(read) << wrong;
        EXPECT_NE(read.failure().what.find(wrong), std::string::npos);
        EXPECT_EQ(options, before) << wrong;
    }
}

TEST(RunAlertsTest, NanIsReportedOnceAMetric) {
    RunAlerts alerts(only(AlertKind::NotFinite), "mnist");
    EXPECT_TRUE(alerts.apply(metric(3, 7, "loss", 1)).empty());
    const auto first = alerts.apply(metric(3, 8, "loss", kNan));
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].title, "mnist: loss of rank 3 is NaN.");
    EXPECT_EQ(first[0].rank, 3);
    EXPECT_EQ(first[0].step, 8);
    EXPECT_TRUE(alerts.apply(metric(4, 8, "loss", kNan)).empty());
    EXPECT_EQ(alerts.apply(metric(4, 8, "grad", INFINITY)).size(), 1U);
    for (int i = 0; i < 5000; ++i) {  // invented names end somewhere
        (void)alerts.apply(metric(0, i, "m" + std::to_string(i), kNan));
    }
    EXPECT_TRUE(alerts.apply(metric(0, 1, "one more", kNan)).empty());
}

TEST(RunAlertsTest, ARuleNeedsItsStepsInARowOnOneRank) {
    AlertOptions options = only(AlertKind::Rule);
    options.rules = {*parse_alert_rule("loss > 10 for 3 steps")};
    RunAlerts alerts(options, "mnist");
    EXPECT_TRUE(alerts.apply(metric(0, 1, "loss", 11)).empty());
    EXPECT_TRUE(alerts.apply(metric(1, 2, "loss", 11)).empty());
    EXPECT_TRUE(alerts.apply(metric(0, 2, "loss", 9)).empty()) << "interrupted";
    EXPECT_TRUE(alerts.apply(metric(0, 3, "loss", 11)).empty());
    const auto alert = alerts.apply(metric(1, 4, "loss", 12));
    ASSERT_EQ(alert.size(), 1U);
    EXPECT_EQ(alert[0].title, "mnist: loss > 10 for 3 steps.");
    EXPECT_EQ(alert[0].text, "Rank 1 at step 4: 12.");
    EXPECT_TRUE(alerts.apply(metric(0, 9, "loss", 12)).empty()) << "reported already";
    (void)alerts.apply(metric(0, 10, "loss", 1));
    (void)alerts.apply(metric(1, 10, "loss", 1));
    (void)alerts.apply(metric(0, 11, "loss", 20));
    EXPECT_EQ(alerts.apply(metric(0, 13, "loss", 20)).size(), 1U) << "again, after it held for no rank";
}

TEST(RunAlertsTest, APlateauIsReportedUntilTheMetricGetsBetter) {
    AlertOptions options = only(AlertKind::Plateau);
    options.plateau_steps = 100;
    RunAlerts alerts(options, "mnist");
    for (int step = 0; step <= 100; step += 10) {
        EXPECT_TRUE(alerts.apply(metric(0, step, "loss", 2.0 - step * 0.01)).empty());
    }
    EXPECT_TRUE(alerts.apply(metric(0, 190, "loss", 0.995)).empty()) << "not better by one part in a hundred";
    EXPECT_TRUE(alerts.apply(metric(5, 400, "loss", 1)).empty()) << "one rank is watched";
    const auto alert = alerts.apply(metric(0, 200, "loss", 1.0));
    ASSERT_EQ(alert.size(), 1U);
    EXPECT_EQ(alert[0].text, "The best is 1, of step 100.");
    EXPECT_TRUE(alerts.apply(metric(0, 300, "loss", 1.0)).empty());
    EXPECT_TRUE(alerts.apply(metric(0, 310, "loss", 0.5)).empty());
    EXPECT_EQ(alerts.apply(metric(0, 410, "loss", 0.5)).size(), 1U);
}

TEST(RunAlertsTest, TheEndOfTheRunAndNotOfANode) {
    RunAlerts alerts(AlertOptions(), "mnist");
    EXPECT_TRUE(alerts.apply(end_of(Outcome::Failed, "node1")).empty());
    EXPECT_EQ(alerts.apply(end_of(Outcome::Done)).at(0).kind, AlertKind::Ended);
    const auto failed = alerts.apply(end_of(Outcome::Lost));
    EXPECT_EQ(failed.at(0).kind, AlertKind::Failed);
    EXPECT_EQ(failed.at(0).text, "why");
    EXPECT_TRUE(RunAlerts(only(AlertKind::Failed), "x").apply(end_of(Outcome::Stopped)).empty());
}

TEST(RunAlertsTest, ALiveVerdictIsReportedOnceUntilItIsOver) {
    RunAlerts alerts(AlertOptions(), "mnist");
    Verdict verdict;
    verdict.id = "rank-exception";
    verdict.rank = 1;
    verdict.title = "Rank 1 hangs.";
    verdict.phase = VerdictPhase::Live;
    const Event live{1, 1, "", -1, verdict};
    EXPECT_EQ(alerts.apply(live).at(0).title, "mnist: Rank 1 hangs.");
    EXPECT_TRUE(alerts.apply(live).empty());
    verdict.phase = VerdictPhase::Over;
    EXPECT_TRUE(alerts.apply(Event{1, 1, "", -1, verdict}).empty());
    EXPECT_EQ(alerts.apply(live).size(), 1U);
}

TEST(AlertCommandTest, WordsAreNotAShells) {
    EXPECT_EQ(*alert_command_words("notify-send 'a b' c"),
              (std::vector<std::string>{"notify-send", "a b", "c"}));
    EXPECT_TRUE(alert_command_words("  ")->empty());
    for (const char* line : {"a; b", "a | b", "a > file", "a $HOME", "a `b`", "a 'open", "a &"}) {
        EXPECT_FALSE(alert_command_words(line)) << line;
    }
}

TEST(AlertCommandTest, TheProgramGetsTheAlertInItsEnvironment) {
    const test::TemporaryFolder folder;
    const std::string file = (folder / "out").string();
    const Alert alert{AlertKind::Rule, "mnist: $(reboot)\n\"x\".", "two\nlines", 3, 40};
    const auto done = run_alert_command(
        {"sh", "-c",
         "printf '%s|%s|%s|%s|%s' \"$RANKSCOPE_ALERT\" \"$RANKSCOPE_ALERT_TITLE\" \"$RANKSCOPE_ALERT_TEXT\" "
         "\"$RANKSCOPE_ALERT_RANK\" \"$RANKSCOPE_ALERT_RUN\" > " +
             file},
        alert_environment(alert, "run-1", "mnist"), 10000);
    ASSERT_TRUE(done) << done.failure().detail;
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_EQ(text.str(), "rule|mnist: $(reboot) \"x\".|two lines|3|run-1");
}

TEST(AlertCommandTest, FailuresSayHowItEnded) {
    const auto environment = alert_environment({}, "", "");
    EXPECT_FALSE(run_alert_command({"/no/such/program"}, environment, 1000));
    EXPECT_EQ(run_alert_command({"sh", "-c", "exit 3"}, environment, 5000).failure().detail, "exit code 3");
    const auto slow = run_alert_command({"sleep", "60"}, environment, 100);
    ASSERT_FALSE(slow);
    EXPECT_NE(slow.failure().what.find("killed"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
