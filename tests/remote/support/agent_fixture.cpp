// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/agent_fixture.h"

#include <remote/agent/node/process_tree.h>
#include <remote/agent/supervise/supervisor.h>

#include <csignal>

namespace rankscope::test {

AgentFixture::AgentFixture() : client_(std::make_unique<AgentClient>(folder_.path().string())) {}

std::string AgentFixture::shm_of(const TemporaryFolder& folder) {
    const auto path = folder / "shm";
    std::filesystem::create_directories(path);
    return path.string();
}

void AgentFixture::TearDown() {
    for (const auto& id : run_ids_) {
        wire::Request request;
        request.mutable_stop_run()->set_run_id(id);
        request.mutable_stop_run()->set_force(true);
        client_ = std::make_unique<AgentClient>(folder_.path().string());
        client_->call(request);
        EXPECT_TRUE(wait_until([&] { return !agent::supervisor_is_alive({paths_.run(id)}); })) << id;
        for (const pid_t pid : agent::processes_with_environment("RANKSCOPE_RUN_ID=" + id)) {
            ADD_FAILURE() << "left behind: " << agent::describe_process(pid);
            ::kill(pid, SIGKILL);
        }
    }
}

wire::StartRun AgentFixture::run_of(const std::vector<std::string>& scripts, double grace_s) {
    static int number = 0;
    wire::StartRun run;
    run.set_run_id("test-" + std::to_string(::getpid()) + '-' + std::to_string(++number));
    run.set_token(std::string(64, 'a'));
    run.set_name("test");
    run.set_grace_s(grace_s);
    for (const auto& script : scripts) {
        auto* rank = run.add_ranks();
        rank->set_rank(run.ranks_size() - 1);
        rank->set_local_rank(run.ranks_size() - 1);
        rank->set_workdir(folder_.path().string());
        for (const auto& word : {std::string("/bin/sh"), std::string("-c"), script}) {
            rank->add_argv(word);
        }
    }
    run_ids_.push_back(run.run_id());
    return run;
}

wire::Reply AgentFixture::start(const wire::StartRun& run) {
    wire::Request request;
    *request.mutable_start_run() = run;
    return client_->call(request);
}

void AgentFixture::start_and_attach(const wire::StartRun& run) {
    const auto reply = start(run);
    ASSERT_TRUE(reply.has_started()) << reply.failure().code() << ' ' << reply.failure().detail();
    ASSERT_TRUE(attach(*client_, run).has_events());
}

wire::Reply AgentFixture::attach(AgentClient& client, const wire::StartRun& run, std::uint64_t from_seq) {
    wire::Request request;
    request.mutable_attach()->set_run_id(run.run_id());
    request.mutable_attach()->set_from_seq(from_seq);
    return client.call(request);
}

void AgentFixture::stop(const wire::StartRun& run, bool force, const std::string& cause) {
    wire::Request request;
    request.mutable_stop_run()->set_run_id(run.run_id());
    request.mutable_stop_run()->set_force(force);
    request.mutable_stop_run()->set_cause(cause);
    EXPECT_TRUE(client_->call(request).stopping().was_running());
}

std::vector<pid_t> AgentFixture::left_of(const wire::StartRun& run) const {
    return agent::processes_with_environment("RANKSCOPE_RUN_ID=" + run.run_id());
}

bool AgentFixture::wait_until_gone(const wire::StartRun& run) const {
    return wait_until([&] { return left_of(run).empty() && !agent::supervisor_is_alive(dir_of(run)); });
}

std::string AgentFixture::log_of(int rank, bool is_stderr) const {
    std::string text;
    for (const auto& event : client_->events()) {
        if (event.has_log() && event.rank() == rank && event.log().is_stderr() == is_stderr) {
            text += event.log().text();
        }
    }
    return text;
}

std::vector<wire::Exit> AgentFixture::exits_of(int rank) const {
    std::vector<wire::Exit> exits;
    for (const auto& event : client_->events()) {
        if (event.has_exit() && event.rank() == rank) {
            exits.push_back(event.exit());
        }
    }
    return exits;
}

wire::Exit AgentFixture::exit_of(int rank) const {
    const auto exits = exits_of(rank);
    EXPECT_EQ(exits.size(), 1U) << "rank " << rank << " ends once\n" << history();
    return exits.empty() ? wire::Exit() : exits[0];
}

std::vector<wire::Stage> AgentFixture::stages_of(int rank, wire::StageName name) const {
    std::vector<wire::Stage> stages;
    for (const auto& event : client_->events()) {
        if (event.has_stage() && event.rank() == rank && event.stage().name() == name) {
            stages.push_back(event.stage());
        }
    }
    return stages;
}

std::vector<wire::Metric> AgentFixture::metrics_of(int rank) const {
    std::vector<wire::Metric> metrics;
    for (const auto& event : client_->events()) {
        if (event.has_metric() && event.rank() == rank) {
            metrics.push_back(event.metric());
        }
    }
    return metrics;
}

wire::End AgentFixture::end() const {
    EXPECT_TRUE(client_->has_end()) << history();
    return client_->has_end() ? client_->events().back().end() : wire::End();
}

std::string AgentFixture::history() const {
    std::string all;
    for (const auto& event : client_->events()) {
        all += std::to_string(event.seq()) + " rank " + std::to_string(event.rank()) + ' ';
        all += event.has_log() ? "log " + event.log().text().substr(0, 200)
               : event.has_stage()
                   ? "stage " + wire::StageName_Name(event.stage().name()) + ' ' + event.stage().detail()
               : event.has_exit() ? "exit " + std::to_string(event.exit().code()) + " signal " +
                                        std::to_string(event.exit().signal()) + ' ' + event.exit().reason()
               : event.has_end() ? "end " + wire::Outcome_Name(event.end().outcome())
                                 : "metric";
        all += '\n';
    }
    return all;
}

}  // namespace rankscope::test
