// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/plan/training_advice.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope {
namespace {

Job job_with(const std::string& train) {
    return parse_job("name: x\nnodes: [local]\ntrain:\n" + train, "j.yaml").job;
}

const std::string kMnist = "  model: convnet\n  dataset: mnist\n  epochs: 10\n  batch_size: 100\n";

TEST(TrainingAdvice, GivesTheGlobalBatchAndTheScaledRate) {
    const Job job = job_with(kMnist + "  accumulate_steps: 2\n  optimizer: { name: sgd, lr: 0.01 }\n");
    const auto advice = training_advice(job, 8);
    ASSERT_TRUE(advice);
    EXPECT_EQ(advice->global_batch, 1600);
    EXPECT_EQ(*advice->steps_per_epoch, 38) << "60000 / 8 / 100 = 75 batches in pairs";
    ASSERT_TRUE(advice->scaled_lr);
    EXPECT_DOUBLE_EQ(*advice->scaled_lr, 0.16);
    EXPECT_TRUE(advice->curve.empty()) << "a rate that stays needs no picture";
    EXPECT_FALSE(training_advice(job_with(kMnist + "  optimizer: { name: adam }\n"), 8)->scaled_lr);
    EXPECT_FALSE(training_advice(job_with(kMnist), 1)->scaled_lr) << "nothing to scale";
    EXPECT_FALSE(training_advice(job_with("  model: convnet\n  dataset: mnist\n  epochs: x\n"), 8));
}

TEST(TrainingAdvice, ItsKeysMakeTheEngineScale) {
    for (const char* schedule :
         {"", "  schedule: cos\n", "  schedule: { name: cos, warmup: { epochs: 1 } }\n"}) {
        const std::string yaml = "name: x\nnodes: [local]\ntrain:\n" + kMnist +
                                 "  optimizer: { name: sgd, lr: 0.01 }\n" + schedule;
        const Job job = parse_job(yaml, "j.yaml").job;
        const auto advice = training_advice(job, 4);
        ASSERT_TRUE(advice);
        std::vector<std::string> assignments;
        for (const auto& [key, value] : scaling_keys(job, *advice)) {
            assignments.push_back(key + '=' + value);
        }
        const auto edited = with_assignments(yaml, assignments);
        ASSERT_TRUE(edited) << schedule << edited.failure().what;
        const JobRead read = parse_job(*edited, "j.yaml");
        EXPECT_TRUE(read.problems.empty()) << *edited;
        const auto scaled = training_advice(read.job, 4);
        ASSERT_TRUE(scaled) << *edited;
        EXPECT_FALSE(scaled->scaled_lr);
        EXPECT_DOUBLE_EQ(scaled->highest_lr, 0.04) << *edited;
    }
}

TEST(TrainingAdvice, TheCurveIsTheEnginesSchedule) {
    const auto advice = training_advice(
        job_with(kMnist + "  optimizer: { name: sgd, lr: 0.1 }\n"
                          "  schedule: { name: cos, by: step, warmup: { epochs: 2, factor: 0.1 } }\n"),
        1);
    ASSERT_TRUE(advice);
    const auto& curve = advice->curve;
    ASSERT_GT(curve.size(), 100U);
    EXPECT_NEAR(curve.front().second, 0.01, 1e-9);
    EXPECT_LT(curve.back().second, 0.001);
    const auto highest = std::max_element(curve.begin(), curve.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_NEAR(highest->first, 2, 0.3) << "at the end of the warm-up";
}

TEST(TrainingAdvice, LongRunsAndUnknownSetsAreBounded) {
    const auto many = training_advice(job_with("  model: resnet18\n  dataset: cifar10\n  epochs: 1000000000\n"
                                               "  batch_size: 1\n  schedule: cos\n"),
                                      1024);
    ASSERT_TRUE(many);
    EXPECT_LE(many->curve.size(), 300U);
    const std::string folder =
        "  model: resnet18\n  dataset: { name: image-folder, root: /d }\n  epochs: 90\n";
    const auto by_epoch =
        training_advice(job_with(folder + "  schedule: { name: steps, milestones: [30, 60] }\n"), 4);
    ASSERT_TRUE(by_epoch);
    EXPECT_FALSE(by_epoch->steps_per_epoch);
    EXPECT_FALSE(by_epoch->curve.empty());
    const auto in_steps =
        training_advice(job_with(folder + "  schedule: { name: cos, warmup: { steps: 500 } }\n"), 4);
    ASSERT_TRUE(in_steps);
    EXPECT_TRUE(in_steps->curve.empty()) << "how many steps an epoch has is not known";
}

TEST(TrainingAdvice, IsALineOfThePlan) {
    const Job job = job_with(kMnist + "  optimizer: { name: sgd, lr: 0.01 }\n");
    EXPECT_EQ(advice_text(*training_advice(job, 8)),
              "800 samples per update, 100 per rank, 75 updates per epoch, learning rate 0.01 (by linear "
              "scaling for this batch "
              "0.08: schedule.reference_batch)");
    EXPECT_EQ(advice_text(*training_advice(job, 1)),
              "100 samples per update, 100 per rank, 600 updates per epoch, learning rate 0.01");
}

}  // namespace
}  // namespace rankscope
