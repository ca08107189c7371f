// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The Python environment of a job: its keys, its files, and what a preflight says of it.

#include "support/temporary_folder.h"

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/deploy/python_requirements.h>
#include <remote/desk/runs/preflight/environment_view.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

using test::TemporaryFolder;
using test::write_text;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

JobRead environment_job(const std::string& environment,
                        const std::string& rest = "command: [python3, train.py]") {
    return parse_job("name: x\nnodes: [a]\n" + rest + "\nenvironment: " + environment + "\n", "x.yaml");
}

TEST(JobEnvironment, IsReadAndWritten) {
    const auto done = environment_job("{ uv: uv.lock, extras: [cu128], python: python3.11 }");
    ASSERT_TRUE(done.problems.empty()) << to_line(done.problems.front());
    EXPECT_EQ(done.job.environment.uv, "uv.lock");
    EXPECT_THAT(done.job.environment.extras, ElementsAre("cu128"));
    EXPECT_EQ(parse_job(to_yaml(done.job), "x.yaml").job.environment, done.job.environment);
}

TEST(JobEnvironment, RefusesWhatContradictsIt) {
    const auto problem = [](const std::string& environment, const std::string& rest) {
        const auto done = environment_job(environment, rest);
        return done.problems.empty() ? std::string() : to_line(done.problems.front());
    };
    const std::string command = "command: [python3, train.py]";
    EXPECT_THAT(problem("{ uv: uv.lock, requirements: r.txt }", command),
                HasSubstr("environment.requirements"));
    EXPECT_THAT(problem("{ python: python3.11 }", command), HasSubstr("names no file"));
    EXPECT_THAT(problem("{ requirements: r.txt, extras: [a] }", command),
                HasSubstr("extras belong to a uv.lock"));
    EXPECT_THAT(problem("{ uv: uv.lock }", command + "\nvenv: ~/v"), HasSubstr("there is a venv as well"));
    EXPECT_THAT(problem("{ uv: uv.lock }", command + "\ncontainer: { image: a }"),
                HasSubstr("there is a container as well"));
    EXPECT_THAT(problem("{ uv: uv.lock }", "train: { model: convnet, dataset: synthetic-digits }"),
                HasSubstr("has no effect with the native engine"));
}

TEST(JobEnvironment, IsInThePlanWithAPythonThatIsNotItsOwn) {
    Inventory inventory;
    NodeSpec& node = inventory.nodes.emplace_back();
    node.name = "a";
    node.cpu_slots = 1;
    Job job = environment_job("{ uv: uv.lock }").job;
    const auto notes = [&] {
        const auto plan = make_node_plan(inventory, job, {});
        return plan ? plan->notes : std::vector<std::string>{to_line(plan.failure())};
    };
    EXPECT_THAT(notes(), Contains(HasSubstr("makes a Python environment of uv.lock")));
    EXPECT_THAT(notes(), Not(Contains(HasSubstr("is not the Python of that environment"))));
    job.command.front() = "/usr/bin/python3";
    EXPECT_THAT(notes(), Contains("/usr/bin/python3 is not the Python of that environment: write python3."));
}

TEST(PythonRequirements, HoldTheFilesThatAFileNames) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "more");
    write_text(
        folder / "requirements.txt",
        "# comment\n-r more/base.txt\n--constraint=more/limits.txt\nnumpy==2.0 \\\n    --hash=sha256:ab\n");
    write_text(folder / "more/base.txt", "-r ../requirements.txt\ntorch>=2  # any\n");
    write_text(folder / "more/limits.txt", "pillow==11.0\n");
    const auto read = read_requirements({.requirements = folder / "requirements.txt"}, {});
    ASSERT_TRUE(read) << to_line(read.failure());
    ASSERT_EQ(read->files.size(), 3U);
    EXPECT_EQ(read->name, "requirements.txt");
    EXPECT_EQ(
        read->files[0].text,
        "# comment\n-r requirements-2.txt\n-c requirements-3.txt\nnumpy==2.0 \\\n    --hash=sha256:ab\n\n");
    EXPECT_THAT(read->files[1].text, HasSubstr("-r requirements.txt\ntorch>=2"));
    EXPECT_THAT(read->unpinned, ElementsAre("torch>=2  # any"));
}

TEST(PythonRequirements, RefuseWhatOnlyThisComputerHas) {
    const TemporaryFolder folder;
    const auto failure_of = [&folder](const std::string& text) {
        write_text(folder / "r.txt", text);
        const auto read = read_requirements({.requirements = folder / "r.txt"}, {});
        return read ? std::string() : to_line(read.failure());
    };
    EXPECT_THAT(failure_of("numpy==2\n-e .\n"), HasSubstr("Line 2 names a folder of this computer: -e ."));
    EXPECT_THAT(failure_of("./mine\n"), HasSubstr("Line 1"));
    EXPECT_THAT(failure_of("mine @ file:///home/me/mine\n"), HasSubstr("Line 1"));
    EXPECT_THAT(failure_of("-r gone.txt\n"), HasSubstr("gone.txt cannot be read"));
    EXPECT_EQ(failure_of("mine @ git+https://host/mine@1234\n"), "");
    const auto absent = read_requirements({.uv_lock = folder / "uv.lock"}, {});
    ASSERT_FALSE(absent);
    EXPECT_THAT(to_line(absent.failure()), HasSubstr("uv.lock cannot be read"));
}

NodeView view_of(const std::string& name, const std::string& content, const std::string& machine = "x86_64") {
    NodeView view;
    view.name = name;
    view.environment.emplace();
    view.environment->set_folder(content.empty() ? "" : "/e");
    view.environment->set_content(content);
    view.environment->set_machine(machine);
    return view;
}

std::string statuses(const std::vector<NodeView>& views) {
    Job job;
    job.environment.uv = "uv.lock";
    std::string all;
    for (const auto& check : environment_checks(views, job)) {
        all += check.id.str() + '=' + to_string(check.status) + ' ';
    }
    return all;
}

TEST(EnvironmentChecks, CompareNodesOfOneKind) {
    EXPECT_EQ(statuses({view_of("a", "1"), view_of("b", "1")}),
              "no-environment=pass environment-differs=pass ");
    EXPECT_EQ(statuses({view_of("a", "1"), view_of("b", "2", "aarch64")}),
              "no-environment=pass environment-differs=pass ");
    EXPECT_THAT(statuses({view_of("a", "1"), view_of("b", "2")}), HasSubstr("environment-differs=warn"));
    EXPECT_THAT(statuses({view_of("a", "1"), view_of("b", "")}), HasSubstr("no-environment=warn"));
}

TEST(EnvironmentChecks, LeaveOutProgramsOfAnEnvironmentThatIsNotMade) {
    HostNeeds needs{.program = "python3"};
    leave_out_unmade({view_of("a", "1")}, needs);
    EXPECT_EQ(needs.program, "python3");
    leave_out_unmade({view_of("a", "1"), view_of("b", "")}, needs);
    EXPECT_EQ(needs.program, "");
}

}  // namespace
}  // namespace rankscope
