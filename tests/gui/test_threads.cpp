// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Objects of the window refuse calls from threads that they do not live in.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/session/workspace.h>

#include <tests/gui/gui_test.h>

#include <QTemporaryDir>
#include <fstream>
#include <thread>

namespace rankscope::gui::testing {
namespace {

TEST(Threads, SessionFleetAndLaunchRefuseCallsFromOtherThreads) {
    const QTemporaryDir folder;
    std::ofstream(ss(folder.path() + u"/cluster.yaml"_s)) << "nodes:\n  - name: node1\n";
    MainWindow window(options_in(folder.path()));
    Workspace* workspace = window.workspace();
    ASSERT_TRUE(wait_until([&] { return workspace->fleet()->loaded() && workspace->store_settled(); }));
    RunRequest request;
    request.job = parse_job("name: other\nnodes: [local]\ncommand: [\"true\"]\n", "job.yaml").job;
    RunRecord record;
    record.run_id = "other";
    const Job before = window.launch_page()->job();

    std::thread([&] {
        workspace->session()->start(request, workspace->store(), Prompter{});
        workspace->session()->attach(record, Inventory{}, workspace->store(), Prompter{});
        workspace->fleet()->add_nodes({NodeSpec()});
        workspace->fleet()->remove_nodes({"node1"});
        workspace->fleet()->refresh_figures();
        workspace->fleet()->probe("node1");
        workspace->fleet()->model()->set_nodes({});
        window.launch_page()->set_job_text("name: other\nnodes: [node1]\ncommand: [a]\n", "other.yaml");
    }).join();

    EXPECT_FALSE(workspace->session()->live());
    EXPECT_FALSE(workspace->session()->attaching());
    EXPECT_FALSE(workspace->fleet()->busy());
    EXPECT_EQ(workspace->fleet()->running_probes(), 0);
    EXPECT_EQ(workspace->fleet()->model()->nodes().size(), 2U) << "node1 and this computer";
    EXPECT_EQ(to_yaml(window.launch_page()->job()), to_yaml(before));
}

}  // namespace
}  // namespace rankscope::gui::testing
