// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Reports as users paste them (tests/data/logs/reports.txt): the cause, its place, its reason, and a fix that helps. No
// line that looks like an error is passed over, and lines that only sound like one give no verdict.

#include "support/shipped_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace rankscope::logs {
namespace {

struct Report {
    std::string head = {};
    std::string lines = {};
};

std::vector<Report> reports() {
    std::ifstream stream(std::string(RANKSCOPE_LOG_DATA) + "/reports.txt");
    std::vector<Report> all;
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("@ ")) {
            all.push_back({.head = line.substr(2)});
        } else if (!all.empty()) {
            all.back().lines += line + '\n';
        }
    }
    return all;
}

void check(const Verdict& verdict, const std::string& word, const std::string& lines) {
    const auto key = word.substr(0, word.find('='));
    auto value = word.substr(std::min(word.find('='), word.size() - 1) + 1);
    std::replace(value.begin(), value.end(), '_', key == "fix" ? '_' : ' ');
    std::string fixes;
    for (const auto& fix : verdict.fix) {
        fixes += fix + '\n';
    }
    if (key == "node") {
        EXPECT_EQ(verdict.node, value) << lines;
    } else if (key == "rank") {
        EXPECT_EQ(std::to_string(verdict.rank), value) << lines;
    } else if (key == "device") {
        EXPECT_EQ(verdict.device, value) << lines;
    } else if (key == "reason") {
        EXPECT_EQ(verdict.reason, value) << lines;
    } else if (key == "fix") {
        EXPECT_NE(fixes.find(value), std::string::npos) << value << "\n" << fixes << lines;
    } else if (key == "says") {
        EXPECT_NE(verdict.title.find(value), std::string::npos) << value << "\n"
                                                                << verdict.title << '\n'
                                                                << lines;
    } else {
        ADD_FAILURE() << "unknown word " << word;
    }
}

TEST(ReportKinds, CausePlaceReasonAndFix) {
    const auto all = reports();
    EXPECT_GT(all.size(), 60U);
    for (const auto& report : all) {
        const auto found = diagnose_text(rules(), report.lines, "report-077.txt").verdicts;
        std::istringstream head(report.head);
        std::string word;
        head >> word;
        if (found.empty()) {
            ADD_FAILURE() << report.head << '\n' << report.lines;
            continue;
        }
        EXPECT_EQ(found.front().id.text(), word) << report.lines;
        while (head >> word) {
            check(found.front(), word, report.lines);
        }
    }
}

TEST(ReportKinds, EveryQuotedLineIsOfTheReport) {
    for (const auto& report : reports()) {
        for (const auto& verdict : diagnose_text(rules(), report.lines, "a.txt").verdicts) {
            for (const auto& evidence : verdict.evidence) {
                EXPECT_NE(report.lines.find(evidence.text), std::string::npos) << evidence.text;
            }
        }
    }
}

TEST(ReportKinds, WordsOfFailureAreNoError) {
    for (const char* line : {"error rate: 0.12", "Errors: 0", "ERROR: 0", "epoch 3: val error 0.31",
                             "train/error=0.2", "Failed tests: 0", "INFO:root:retry after failed download",
                             "the optimizer cannot be fused here, using the default",
                             "UserWarning: the given NumPy array is not writable",
                             "wandb: WARNING Unable to verify login in offline mode",
                             "[W socket.cpp:464] [c10d] The server socket cannot be initialized on "
                             "[::]:50704 (errno: 97 - Address family not "
                             "supported by protocol).",
                             "WARNING:root:Unable to find the flash kernel, falling back to math",
                             "Loading checkpoint shards: 100%|####| 4/4 [00:10<00:00,  2.5s/it]"}) {
        const auto found = diagnosed(std::string(line) + '\n').verdicts;
        EXPECT_TRUE(found.empty()) << line << " → " << found.front().title;
    }
}

TEST(ReportKinds, AnErrorBeforeFurtherStepsIsHandled) {
    std::string text = "ERROR: the frobnicator is out of cheese\n";
    for (int step = 1; step < 40; ++step) {
        text += "step " + std::to_string(step) + " loss 0.3\n";
    }
    EXPECT_TRUE(diagnosed(text).verdicts.empty());
}

// An error that was copied from a terminal of 80 columns.
TEST(ReportKinds, ATerminalBreaksALine) {
    const std::string whole =
        "[rank3]: RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 9, 2) but "
        "found runtime "
        "version (8, 2, 1). PyTorch already comes bundled with cuDNN.";
    for (const std::size_t width : {72U, 80U, 100U, 120U}) {
        std::string text;
        for (std::size_t at = 0; at < whole.size(); at += width) {
            text += whole.substr(at, width) + '\n';
        }
        const auto found = diagnosed(text).verdicts;
        ASSERT_FALSE(found.empty()) << text;
        EXPECT_EQ(found.front().id.text(), "cudnn-mismatch") << text;
        EXPECT_EQ(found.front().rank, 3);
        EXPECT_EQ(found.front().evidence.at(0).line, 1);
        EXPECT_EQ(found.front().evidence.at(0).text, whole.substr(0, width));
    }
}

TEST(ReportKinds, LinesThatFollowAnErrorAreNotItsEnd) {
    const std::string error =
        "[rank3]: RuntimeError: the program has met a problem that it cannot solve alone, sorry\n";
    const auto found = diagnosed(error + "Fatal: No space left on device is a line of its own\n").verdicts;
    ASSERT_FALSE(found.empty());
    for (const auto& verdict : found) {
        for (const auto& evidence : verdict.evidence) {
            EXPECT_TRUE(evidence.line == 1 || evidence.text.find("of its own") != std::string::npos);
        }
    }
}

// A step that Slurm ends because a task of it ended is a consequence.
TEST(ReportKinds, TheEndOfAStepIsNoCauseOfItsOwn) {
    const std::string end =
        "srun: launch/slurm: _task_finish: Received task exit notification for 1 task of StepId=6.0 "
        "(status=0x0100).\n"
        "slurmstepd: error: *** STEP 6.0 ON node-20 CANCELLED AT 2024-04-23T12:18:08 ***\n";
    const auto alone = diagnosed(end).verdicts;
    ASSERT_FALSE(alone.empty());
    EXPECT_EQ(alone.front().reason, "step-ended");
    EXPECT_LT(alone.front().confidence, 0.5);
    const auto with_cause = diagnosed("3: [rank3]: ValueError: bad token id 77\n" + end).verdicts;
    EXPECT_EQ(with_cause.front().id.text(), "rank-exception");
}

}  // namespace
}  // namespace rankscope::logs
