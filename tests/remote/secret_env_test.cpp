// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr const char* kJob =
    "name: t\nnodes: [local]\ncommand: [python3, t.py]\n"
    "env: { HF_TOKEN: hf-1234, NCCL_DEBUG: INFO, PLAIN: s3cr3t }\n"
    "node_env: { local: { AWS_SECRET_ACCESS_KEY: aws-1234 } }\n"
    "rank_env: { 0: { db_password: db-1234 } }\n"
    "secret_env: [PLAIN]\n";

Job job() {
    const JobRead read = parse_job(kJob, "t.yaml");
    EXPECT_TRUE(read.problems.empty());
    return read.job;
}

TEST(SecretEnv, NamesThatLookSecret) {
    for (const char* name :
         {"HF_TOKEN", "WANDB_API_KEY", "wandb_apikey", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "CLIENT_SECRET",
          "GOOGLE_APPLICATION_CREDENTIALS", "KEY", "DB_PASS", "MYSQL_PWD", "GITHUB_PAT"}) {
        EXPECT_TRUE(is_secret_name(name)) << name;
    }
    for (const char* name : {"NCCL_IB_PKEY", "TOKENIZERS_PARALLELISM", "NCCL_DEBUG", "MONKEY", "PATH",
                             "OLDPWD", "PWD", "BYPASS", ""}) {
        EXPECT_FALSE(is_secret_name(name)) << name;
    }
}

TEST(SecretEnv, NoTextThatIsShownOrStoredHasTheValue) {
    const auto plan = make_plan({}, job(), {});
    ASSERT_TRUE(plan) << to_line(plan.failure());
    for (const std::string& text : {with_masked_secrets(kJob, job()), to_json(*plan).dump(), to_text(*plan),
                                    with_masked_secrets("{broken", job())}) {
        for (const char* secret : {"hf-1234", "aws-1234", "db-1234", "s3cr3t"}) {
            EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in\n" << text;
        }
        EXPECT_NE(text.find("INFO"), std::string::npos) << text;
        EXPECT_NE(text.find("***"), std::string::npos) << text;
    }
    EXPECT_EQ(plan->ranks[0].env.at("HF_TOKEN"), "hf-1234") << "the rank itself gets it";
    EXPECT_EQ(plan->ranks[0].env.at("db_password"), "db-1234");
}

TEST(SecretEnv, AJobWithoutSecretsStaysAsItIs) {
    const std::string yaml = "# mine\nname: t\nnodes: [local]\ncommand: [a]\nenv: { A: b }\n";
    EXPECT_EQ(with_masked_secrets(yaml, parse_job(yaml, "t.yaml").job), yaml);
}

TEST(SecretEnv, AStoredJobMissesItsSecrets) {
    EXPECT_FALSE(missing_secret(job()));
    const Job stored = parse_job(with_masked_secrets(kJob, job()), "t.yaml").job;
    const auto missing = missing_secret(stored);
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->code, FailureId("secret-missing"));
    EXPECT_EQ(missing->key, "env.HF_TOKEN");
    EXPECT_EQ(stored.secret_env, std::vector<std::string>{"PLAIN"}) << "the list itself is kept";
    EXPECT_EQ(parse_job(to_yaml(job()), "t.yaml").job.secret_env, std::vector<std::string>{"PLAIN"});
}

}  // namespace
}  // namespace rankscope
