// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Real rankscope-worker processes on the loopback device.

#include <base/metrics_line.h>
#include <engine/comm/socket.h>

#include <gtest/gtest.h>
#include <tests/engine/temporary_folder.h>
#include <tests/engine/two_nodes.h>
#include <tests/engine/worker_process.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <thread>

namespace rankscope::engine::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Sanitizers make everything several times slower.
constexpr auto kLong = 240s;

json small_job() {
    return {{"model", "convnet"},
            {"dataset", {{"name", "synthetic-digits"}, {"train_size", 400}, {"test_size", 101}}},
            {"epochs", 2},
            {"batch_size", 20},
            {"seed", 3},
            {"optimizer", {{"name", "sgd"}, {"lr", 0.02}, {"momentum", 0.9}}}};
}

void expect_success(std::vector<WorkerProcess>& workers) {
    for (WorkerProcess& worker : workers) {
        ASSERT_EQ(worker.wait(kLong), 0) << worker.errors();
    }
}

TEST(Worker, MetricLinesDescribeTheWholeRun) {
    const TemporaryFolder folder;
    auto workers = start_world(folder.path(), 1, small_job());
    expect_success(workers);
    const auto steps = workers[0].series("t_step_ms");
    EXPECT_EQ(steps.size(), 40U);
    for (const char* key : {"loss", "acc1", "lr", "samples", "images_per_s", "t_data_ms", "t_forward_ms",
                            "t_backward_ms", "t_comm_ms", "epochs", "steps_per_epoch"}) {
        EXPECT_EQ(workers[0].series(key).size(), 40U) << key;
    }
    EXPECT_EQ(workers[0].series("samples").back(), 800);
    EXPECT_EQ(workers[0].series("val_samples"), (std::vector<double>{101, 101}));
    std::vector<std::string> stages;
    for (const json& line : workers[0].metrics()) {
        if (line.contains("stage") && (stages.empty() || stages.back() != line["stage"])) {
            stages.push_back(line["stage"]);
        }
    }
    EXPECT_EQ(stages, (std::vector<std::string>{"rendezvous", "data", "train", "validate", "train",
                                                "validate", "done"}));
    EXPECT_EQ(workers[0].text("params").substr(0, 7), "sha256:");
    EXPECT_EQ(workers[0].text("params").size(), 7U + 64U);
    EXPECT_NE(workers[0].output().find("validation"), std::string::npos);
}

/// What makes data-parallel training right: N ranks with batch B are one rank with batch N·B.
void expect_equal_to_one_rank(int world, json job) {
    const TemporaryFolder folder;
    auto many = start_world(folder.path(), world, job);
    expect_success(many);
    job["batch_size"] = job["batch_size"].get<int>() * world;
    auto one = start_world(folder.path(), 1, job);
    expect_success(one);
    const auto expected = one[0].series("loss");
    ASSERT_EQ(many[0].series("loss").size(), expected.size());
    for (std::size_t step = 0; step < expected.size(); ++step) {
        double mean = 0;
        for (const WorkerProcess& rank : many) {
            mean += rank.series("loss")[step] / world;
        }
        // Float error grows with the number of steps; a wrong gradient would show in the second one.
        EXPECT_NEAR(mean, expected[step], 2e-6 * static_cast<double>(step + 2) + 1e-4 * expected[step])
            << "step " << step;
    }
    for (const WorkerProcess& rank : many) {
        EXPECT_EQ(rank.text("params"), many[0].text("params"));
        EXPECT_EQ(rank.series("val_loss"), many[0].series("val_loss"));
        EXPECT_EQ(rank.series("val_samples"), one[0].series("val_samples"));
    }
    EXPECT_NEAR(many[0].series("val_loss").back(), one[0].series("val_loss").back(), 1e-3);
}

TEST(Worker, TwoRanksEqualOneWithTwiceTheBatch) {
    json job = small_job();
    job["epochs"] = 1;
    expect_equal_to_one_rank(2, job);
}

TEST(Worker, ThreeRanksEqualOneAlsoWithNesterovAndDecay) {
    json job = small_job();
    job["epochs"] = 1;
    job["dataset"]["train_size"] = 360;
    job["optimizer"] = {{"lr", 0.01}, {"momentum", 0.8}, {"weight_decay", 0.01}, {"nesterov", true}};
    job["bucket_mb"] = 0.05;
    expect_equal_to_one_rank(3, job);
}

TEST(Worker, UnevenSetsArePaddedAndShortBatchesTrained) {
    json job = small_job();
    job["dataset"]["train_size"] = 45;  // 23 per rank, one of them twice; batches of 20 and 3
    const TemporaryFolder folder;
    auto workers = start_world(folder.path(), 2, job);
    expect_success(workers);
    EXPECT_EQ(workers[0].series("samples"), (std::vector<double>{20, 23, 43, 46}));
    EXPECT_EQ(workers[0].text("params"), workers[1].text("params"));
    job["drop_last"] = true;
    auto dropping = start_world(folder.path(), 2, job);
    expect_success(dropping);
    EXPECT_EQ(dropping[0].series("samples"), (std::vector<double>{20, 40}));
}

json endless_job() {
    json job = small_job();
    job["epochs"] = 1000000;
    return job;
}

void await_steps(const WorkerProcess& worker, std::size_t steps) {
    const auto deadline = Clock::now() + kLong;
    while (worker.series("loss").size() < steps && Clock::now() < deadline) {
        std::this_thread::sleep_for(20ms);
    }
    ASSERT_GE(worker.series("loss").size(), steps) << worker.errors();
}

TEST(Worker, KilledPeerEndsTheOthersAndIsNamed) {
    for (const auto& [victim, zero] : {std::pair{0, 0}, {1, 0}, {2, 0}, {1, 1}, {0, 2}}) {
        const TemporaryFolder folder;
        json job = endless_job();
        job["parallel"] = {{"zero", zero}, {"recompute", zero > 0 ? "blocks" : "none"}};
        auto workers = start_world(folder.path(), 3, job);
        await_steps(workers[2], 3);
        workers[static_cast<std::size_t>(victim)].signal(SIGKILL);
        const auto killed = Clock::now();
        for (int rank = 0; rank < 3; ++rank) {
            WorkerProcess& worker = workers[static_cast<std::size_t>(rank)];
            if (rank == victim) {
                EXPECT_EQ(worker.wait(5s), 128 + SIGKILL);
                continue;
            }
            EXPECT_EQ(worker.wait(5s), kExitPeerLost) << worker.errors();
            EXPECT_NE(worker.errors().find("rank " + std::to_string(victim) + " is gone"), std::string::npos)
                << worker.errors();
        }
        EXPECT_LT(Clock::now() - killed, 5s);
    }
}

TEST(Worker, AStoppedPeerBlocksOthersButTheirEndIsPrompt) {
    const TemporaryFolder folder;
    auto workers = start_world(folder.path(), 2, endless_job());
    await_steps(workers[0], 2);
    workers[1].signal(SIGSTOP);  // rank 0 now hangs in a collective
    std::this_thread::sleep_for(300ms);
    workers[0].signal(SIGTERM);
    EXPECT_EQ(workers[0].wait(2s), 143);
    workers[1].signal(SIGCONT);
    EXPECT_EQ(workers[1].wait(5s), kExitPeerLost);
}

/// One whose ranks count as lost after three seconds of silence.
json watched_job() {
    json job = endless_job();
    job["ddp"] = {{"heartbeat_s", 3}};
    return job;
}

/// The end of the others when one rank is lost: within five seconds.
void expect_peer_lost(WorkerProcess& survivor, int victim, std::chrono::steady_clock::time_point lost) {
    EXPECT_EQ(survivor.wait(10s), kExitPeerLost) << survivor.errors();
    EXPECT_LT(Clock::now() - lost, 5s);
    EXPECT_NE(survivor.errors().find("rank " + std::to_string(victim) + " is gone"), std::string::npos)
        << survivor.errors();
}

TEST(Worker, AStoppedPeerEndsTheOthersAndIsNamed) {
    for (const auto& [victim, zero] : {std::pair{0, 0}, {2, 0}, {0, 1}, {2, 2}}) {
        const TemporaryFolder folder;
        json job = watched_job();
        job["parallel"] = {{"zero", zero}, {"recompute", zero > 0 ? "blocks" : "none"}};
        auto workers = start_world(folder.path(), 3, job);
        await_steps(workers[1], 3);
        workers[static_cast<std::size_t>(victim)].signal(SIGSTOP);
        const auto stopped = Clock::now();
        for (int rank = 0; rank < 3; ++rank) {
            if (rank != victim) {
                expect_peer_lost(workers[static_cast<std::size_t>(rank)], victim, stopped);
            }
        }
        // Woken too late, it learns that the others have lost it.
        workers[static_cast<std::size_t>(victim)].signal(SIGCONT);
        EXPECT_EQ(workers[static_cast<std::size_t>(victim)].wait(10s), kExitPeerLost);
    }
}

TEST(Worker, ARunThatIsPausedAsAWholeContinues) {
    setenv("RANKSCOPE_HEARTBEAT_S", "1.5", 1);
    const TemporaryFolder folder;
    auto workers = start_world(folder.path(), 3, endless_job());
    unsetenv("RANKSCOPE_HEARTBEAT_S");
    await_steps(workers[1], 3);
    for (WorkerProcess& worker : workers) {
        worker.signal(SIGSTOP);
    }
    std::this_thread::sleep_for(3s);  // beyond the limit: what is tested
    const std::size_t before = workers[1].series("loss").size();
    for (WorkerProcess& worker : workers) {
        worker.signal(SIGCONT);
    }
    await_steps(workers[1], before + 20);
    for (WorkerProcess& worker : workers) {
        EXPECT_EQ(worker.wait(0s), std::nullopt) << worker.errors();
    }
}

TEST(Worker, ANodeThatIsCutOffIsNamedOnBothSides) {
    TwoNodes nodes;
    if (!nodes.problem().empty()) {
        GTEST_SKIP() << nodes.problem();
    }
    const TemporaryFolder folder;
    write_file(folder / "config.json", watched_job().dump());
    std::vector<WorkerProcess> workers;
    for (int rank = 0; rank < 3; ++rank) {  // ranks 0 and 1 on one node, rank 2 on the other
        const int node = rank / 2;
        workers.emplace_back(folder.path(), "rank" + std::to_string(rank),
                             std::vector<std::string>{"--config", (folder / "config.json").string()},
                             std::map<std::string, std::string>{{"RANK", std::to_string(rank)},
                                                                {"LOCAL_RANK", std::to_string(rank % 2)},
                                                                {"WORLD_SIZE", "3"},
                                                                {"LOCAL_WORLD_SIZE", node == 0 ? "2" : "1"},
                                                                {"MASTER_ADDR", TwoNodes::address(0)},
                                                                {"MASTER_PORT", "29500"},
                                                                {"RANKSCOPE_TOKEN", "0123456789abcdef"}},
                             nodes.name(node));
    }
    await_steps(workers[1], 3);
    ASSERT_TRUE(nodes.cut());
    const auto cut = Clock::now();
    expect_peer_lost(workers[0], 2, cut);
    expect_peer_lost(workers[1], 2, cut);
    expect_peer_lost(workers[2], 0, cut);
}

TEST(Worker, SigtermEndsItWith143) {
    const TemporaryFolder folder;
    auto workers = start_world(folder.path(), 1, endless_job());
    await_steps(workers[0], 2);
    workers[0].signal(SIGTERM);
    EXPECT_EQ(workers[0].wait(2s), 143);
}

TEST(Worker, BadConfigurationEndsWith2AndNamesTheKey) {
    const TemporaryFolder folder;
    json job = small_job();
    job["optimizer"]["lr"] = "fast";
    job["epoch"] = 2;
    auto workers = start_world(folder.path(), 1, job);
    EXPECT_EQ(workers[0].wait(20s), 2);
    EXPECT_NE(workers[0].errors().find("train.optimizer.lr: \"fast\" is not a number"), std::string::npos)
        << workers[0].errors();
    EXPECT_NE(workers[0].errors().find("Did you mean \"epochs\"?"), std::string::npos) << workers[0].errors();
    write_file(folder / "broken.json", "{");
    WorkerProcess broken(folder.path(), "broken", {"--config", (folder / "broken.json").string()}, {});
    EXPECT_EQ(broken.wait(20s), 2);
    WorkerProcess nothing(folder.path(), "nothing", {}, {});
    EXPECT_EQ(nothing.wait(20s), 2);
    WorkerProcess rank(folder.path(), "rank", {"--config", (folder / "config.json").string()},
                       {{"RANK", "1"}});
    EXPECT_EQ(rank.wait(20s), 2);
    EXPECT_NE(rank.errors().find("WORLD_SIZE"), std::string::npos) << rank.errors();
}

TEST(Worker, WithoutATokenNoRankJoins) {
    const TemporaryFolder folder;
    write_file(folder / "config.json", small_job().dump());
    WorkerProcess worker(folder.path(), "open", {"--config", (folder / "config.json").string()},
                         {{"RANK", "0"},
                          {"WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "127.0.0.1"},
                          {"MASTER_PORT", std::to_string(free_port())}});
    EXPECT_EQ(worker.wait(20s), 2);
    EXPECT_NE(worker.errors().find("RANKSCOPE_TOKEN is not set"), std::string::npos) << worker.errors();
}

TEST(Worker, AFailureIsReportedToTheOthersAndToTorchrunsErrorFile) {
    const TemporaryFolder folder;
    json job = small_job();
    job["optimizer"]["lr"] = 9e37;  // diverges at once, on every rank
    write_file(folder / "config.json", job.dump());
    WorkerProcess worker(folder.path(), "diverging", {"--config", (folder / "config.json").string()},
                         {{"TORCHELASTIC_ERROR_FILE", (folder / "error.json").string()}});
    EXPECT_EQ(worker.wait(kLong), 1);
    EXPECT_NE(worker.errors().find("diverged"), std::string::npos) << worker.errors();
    const json error = json::parse(read_file(folder / "error.json"));
    EXPECT_NE(error["message"]["message"].get<std::string>().find("diverged"), std::string::npos);
    EXPECT_FALSE(error["message"]["extraInfo"]["timestamp"].get<std::string>().empty());
}

TEST(Worker, RanksWithDifferentConfigurationsDoNotTrainTogether) {
    const TemporaryFolder folder;
    const std::string port = std::to_string(free_port());
    std::vector<WorkerProcess> workers;
    for (int rank = 0; rank < 2; ++rank) {
        json job = small_job();
        job["optimizer"]["lr"] = rank == 0 ? 0.1 : 0.2;
        const std::string name = "rank" + std::to_string(rank);
        write_file(folder / (name + ".json"), job.dump());
        workers.emplace_back(folder.path(), name,
                             std::vector<std::string>{"--config", (folder / (name + ".json")).string()},
                             std::map<std::string, std::string>{{"RANK", std::to_string(rank)},
                                                                {"WORLD_SIZE", "2"},
                                                                {"MASTER_ADDR", "127.0.0.1"},
                                                                {"MASTER_PORT", port},
                                                                {"RANKSCOPE_TOKEN", "t"}});
    }
    for (WorkerProcess& worker : workers) {
        const auto code = worker.wait(kLong);
        EXPECT_TRUE(code == 1 || code == kExitPeerLost);
        EXPECT_NE(worker.errors().find(
                      "rank 1 has another configuration than rank 0: optimizer.lr is 0.2, not 0.1"),
                  std::string::npos)
            << worker.errors();
    }
}

TEST(Worker, MissingDataEndsWithAdviceOrInTheOtherSet) {
    const TemporaryFolder folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    setenv("RANKSCOPE_MNIST_MIRRORS", "", 1);
    json job = small_job();
    job["epochs"] = 1;
    job["dataset"] = {{"name", "mnist"}, {"root", "/nowhere"}, {"train_size", 80}, {"test_size", 20}};
    auto lost = start_world(folder.path(), 2, job);
    for (WorkerProcess& worker : lost) {
        const auto code = worker.wait(kLong);
        EXPECT_TRUE(code == 1 || code == kExitPeerLost) << worker.errors();
        EXPECT_NE(worker.errors().find("synthetic-digits"), std::string::npos) << worker.errors();
    }
    job["dataset"]["otherwise"] = "synthetic-digits";
    auto trained = start_world(folder.path(), 2, job);
    expect_success(trained);
    EXPECT_EQ(trained[0].series("samples").back(), 40);
    EXPECT_EQ(trained[0].text("params"), trained[1].text("params"));
    unsetenv("RANKSCOPE_MNIST_MIRRORS");
    unsetenv("XDG_CACHE_HOME");
}

TEST(Worker, CapabilitiesAreJson) {
    const TemporaryFolder folder;
    WorkerProcess worker(folder.path(), "capabilities", {"--capabilities"}, {});
    EXPECT_EQ(worker.wait(20s), 0);
    const json capabilities = json::parse(worker.output());
    EXPECT_EQ(capabilities["backends"][0]["name"], "cpu");
    WorkerProcess version(folder.path(), "version", {"--version"}, {});
    EXPECT_EQ(version.wait(20s), 0);
    EXPECT_EQ(version.output(), "rankscope-worker " + capabilities["version"].get<std::string>() + "\n");
}

TEST(Worker, DrawnDigitsAreLearnt) {
    const TemporaryFolder folder;
    json job = small_job();
    job["dataset"] = {{"name", "synthetic-digits"}, {"train_size", 6000}, {"test_size", 1000}};
    job["epochs"] = 1;
    job["batch_size"] = 30;
    auto workers = start_world(folder.path(), 1, job);
    expect_success(workers);
    EXPECT_GT(workers[0].series("val_acc1").back(), 0.95);
}

TEST(Worker, RealMnistTwoRanks) {
    const auto root = shared_folder() / "datasets/mnist";
    if (!std::filesystem::exists(root)) {
        GTEST_SKIP()
            << "MNIST's files are not in $RANKSCOPE_SHARED/datasets/mnist nor in ../shared/datasets/mnist";
    }
    const TemporaryFolder folder;
    json job = small_job();
    job["dataset"] = {{"name", "mnist"}, {"root", root.string()}, {"limit", 24000}};
    job["epochs"] = 1;
    job["batch_size"] = 50;
    auto workers = start_world(folder.path(), 2, job);
    expect_success(workers);
    EXPECT_EQ(workers[0].series("loss").size(), 240U);
    EXPECT_GT(workers[0].series("val_acc1").back(), 0.95);
    EXPECT_EQ(workers[0].series("val_samples").back(), 10000);
    EXPECT_EQ(workers[0].text("params"), workers[1].text("params"));
}

json language_job(const TemporaryFolder& folder) {
    return {
        {"model", "gpt2-mini"},
        {"dataset", {{"name", "synthetic-text"}, {"sequence", 24}, {"train_size", 240}, {"test_size", 17}}},
        {"epochs", 2},
        {"batch_size", 6},
        {"optimizer", {{"name", "adamw"}, {"lr", 3e-3}}},
        {"checkpoint", {{"folder", (folder / "ck").string()}}}};
}

TEST(Worker, AGptLearnsTextOnTwoRanksAndWritesSome) {
    const TemporaryFolder folder;
    auto workers = start_world(folder.path(), 2, language_job(folder));
    expect_success(workers);
    EXPECT_EQ(workers[0].text("params"), workers[1].text("params"));
    const auto losses = workers[0].series("loss");
    EXPECT_NEAR(losses.front(), std::log(256.0), 0.3) << "at first every byte is as likely";
    EXPECT_LT(losses.back(), 3.6);
    EXPECT_EQ(workers[0].series("val_samples").back(), 17);
    EXPECT_LT(workers[0].series("val_acc1").back(), 1.0);
    EXPECT_GT(workers[0].series("tokens_per_s").back(), workers[0].series("samples").back());
    EXPECT_TRUE(workers[0].series("images_per_s").empty());
    EXPECT_NE(workers[0].output().find(" tokens/s"), std::string::npos) << workers[0].output();

    const TemporaryFolder later;
    auto ended = start_world(later.path(), 2, language_job(folder));
    expect_success(ended);
    EXPECT_NE(ended[0].output().find("nothing is left to train"), std::string::npos) << ended[0].output();
    EXPECT_EQ(ended[0].text("params"), workers[0].text("params"));

    const auto sample = [&](const std::string& name, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "sample");
        return WorkerProcess(folder.path(), name, arguments, {});
    };
    const std::string weights = (folder / "ck").string();
    WorkerProcess first = sample("first", {weights, "--prompt", "KING", "--tokens", "40"});
    WorkerProcess again = sample("again", {weights, "--prompt", "KING", "--tokens", "40"});
    WorkerProcess other = sample("other", {weights, "--prompt", "KING", "--tokens", "40", "--seed", "5"});
    WorkerProcess wrong = sample("wrong", {weights, "--prompt-tokens", "300"});
    WorkerProcess missing = sample("missing", {(folder / "none").string()});
    for (WorkerProcess* one : {&first, &again, &other}) {
        ASSERT_EQ(one->wait(kLong), 0) << one->errors();
        EXPECT_EQ(one->output().size(), 4U + 40U + 1U);
        EXPECT_EQ(one->output().rfind("KING", 0), 0U);
    }
    EXPECT_EQ(first.output(), again.output());
    EXPECT_NE(first.output(), other.output());
    EXPECT_EQ(wrong.wait(kLong), 2);
    EXPECT_NE(wrong.errors().find("300 is no token; the model has 0 to 255"), std::string::npos);
    EXPECT_NE(missing.wait(kLong), 0);
    EXPECT_NE(missing.errors().find("none"), std::string::npos);
}

}  // namespace
}  // namespace rankscope::engine::test
