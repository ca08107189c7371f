// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/notices.h>
#include <remote/wire/sample_keys.h>

#include <tests/gui/synthetic_run.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace rankscope::gui::testing {

namespace {

/// Numbers the events of each node, as its supervisor does.
class Reporter {
public:
    Reporter(const SyntheticRun& run, const std::function<void(const Event&)>& sink)
        : run_(run), sink_(sink), now_us_(run.start_us) {}

    void report(const std::string& node, int rank, EventBody body) {
        sink_(Event{++seqs_[node], now_us_, node, rank, std::move(body)});
    }
    void desk(StageName stage, StageStatus status, std::string detail = {}, double progress = -1) {
        report({}, -1, StageEvent{stage, status, std::move(detail), progress});
    }
    void pass(double seconds) { now_us_ += std::int64_t(seconds * 1e6); }
    const std::string& node_of(int rank) const {
        const int per_node = (run_.ranks + int(run_.nodes.size()) - 1) / int(run_.nodes.size());
        return run_.nodes[std::size_t(rank / per_node)];
    }

private:
    const SyntheticRun& run_;
    const std::function<void(const Event&)>& sink_;
    std::map<std::string, std::uint64_t> seqs_;
    std::int64_t now_us_;
};

double loss_at(double step, double noise) {
    return 2.25 * std::exp(-step / 90.0) + 0.07 + noise * (0.05 + 0.2 * std::exp(-step / 150.0));
}

void tell_beginning(Reporter& reporter, const SyntheticRun& run) {
    reporter.desk(StageName::Connect, StageStatus::Begin, run.nodes.front() + ": connecting");
    reporter.pass(0.42);
    reporter.desk(StageName::Connect, StageStatus::Done);
    reporter.desk(StageName::Push, StageStatus::Begin, run.nodes.back() + ": pushing worker 40 %", 0.4);
    reporter.pass(1.1);
    if (run.fate == Fate::CannotStart) {
        const std::string why = run.nodes.back() +
                                ": the worker cannot start: libdnnl.so.2 is not installed. On Debian: "
                                "apt install libdnnl2";
        reporter.desk(StageName::Push, StageStatus::Done);
        reporter.desk(StageName::Start, StageStatus::Begin);
        reporter.pass(0.2);
        reporter.desk(StageName::Start, StageStatus::Failed, why);
        reporter.report({}, -1, EndEvent{Outcome::Failed, 1, why, false, {}, {}});
        return;
    }
    reporter.desk(StageName::Push, StageStatus::Done);
    if (run.fate == Fate::Queued) {
        reporter.desk(StageName::Queue, StageStatus::Begin, "submitting on " + run.nodes.front());
        reporter.pass(0.3);
        reporter.desk(StageName::Queue, StageStatus::Progress,
                      "job 4711: PENDING (Resources: waits for nodes to get free), start estimated 18:20");
        return;
    }
    reporter.desk(StageName::Start, StageStatus::Begin);
    for (int rank = 0; rank < run.ranks; ++rank) {
        reporter.report(reporter.node_of(rank), rank,
                        StageEvent{StageName::Start, StageStatus::Done, {}, -1});
    }
    reporter.pass(0.15);
    reporter.desk(StageName::Start, StageStatus::Done);
    reporter.desk(StageName::Rendezvous, StageStatus::Begin);
    for (int rank = 0; rank < run.ranks; ++rank) {
        reporter.report(reporter.node_of(rank), rank,
                        StageEvent{StageName::Rendezvous, StageStatus::Done, {}, -1});
        reporter.report(reporter.node_of(rank), rank,
                        LogEvent{false, "rankscope-worker: rank " + std::to_string(rank) + " of " +
                                            std::to_string(run.ranks) + ", oneDNN, 1 thread\n"});
    }
    reporter.pass(0.3);
    reporter.desk(StageName::Rendezvous, StageStatus::Done);
    reporter.desk(StageName::FirstStep, StageStatus::Begin);
}

void tell_step(Reporter& reporter, const SyntheticRun& run, int step, std::mt19937& random) {
    std::normal_distribution<double> noise(0, 1);
    for (int rank = 0; rank < run.ranks; ++rank) {
        const double loss = std::max(0.001, loss_at(step, noise(random)));
        MetricEvent metric;
        metric.step = step;
        metric.epoch = 1 + (step - 1) / run.steps_per_epoch;
        metric.values = {{"loss", loss},
                         {"acc1", std::clamp(1 - loss / 3.2 + 0.01 * noise(random), 0.05, 1.0)},
                         {"images_per_s", 1450 + 40 * noise(random) - (rank == 3 ? 160 : 0)}};
        if (step == 1) {
            metric.values.push_back({"epochs", double(run.epochs)});
            metric.values.push_back({"steps_per_epoch", double(run.steps_per_epoch)});
        }
        reporter.report(reporter.node_of(rank), rank, metric);
        if (step % run.log_every == 0) {
            const std::string line = "epoch " + std::to_string(int(metric.epoch)) + " step " +
                                     std::to_string(step) + " loss " + std::to_string(loss) + "\n";
            reporter.report(reporter.node_of(rank), rank, LogEvent{false, line});
        }
    }
}

void tell_validation(Reporter& reporter, const SyntheticRun& run, int epoch) {
    MetricEvent metric;
    metric.epoch = epoch;
    metric.values = {{"val_loss", 0.09 / epoch}, {"val_acc1", 1 - 0.031 / epoch}, {"val_samples", 10000}};
    for (int rank = 0; rank < run.ranks; ++rank) {
        reporter.report(reporter.node_of(rank), rank, metric);
    }
}

void tell_notices(Reporter& reporter, const SyntheticRun& run) {
    const auto notice = [&](const std::string& node, int rank, FailureId id,
                            std::vector<std::string> details) {
        Event event{0, 0, node, rank, NoticeEvent{.id = id, .args = std::move(details)}};
        describe_notice(event);
        reporter.report(node, rank, event.body);
        reporter.pass(1.2);
    };
    notice(run.nodes.back(), -1, "peer-link-absent", {"10.0.0.11:40123: no route to host"});
    notice(run.nodes.back(), run.ranks - 1, "rank-stopped", {"4242", "19"});
    notice(run.nodes.front(), -1, "spool-thinned", {"120", "33554432"});
}

void tell_samples(Reporter& reporter, const SyntheticRun& run, int second) {
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    for (std::size_t node = 0; node < run.nodes.size(); ++node) {
        const double wave = 0.5 + 0.5 * std::sin(second / 4.0 + double(node));
        SampleEvent sample;
        sample.values = {{sample_key::kCpu, 0.35 + 0.5 * wave},
                         {sample_key::kLoad1, 12 + 3 * wave},
                         {sample_key::kMemUsed, (96 + 20 * wave) * kGiB},
                         {sample_key::kMemTotal, 503 * kGiB},
                         {sample_key::kDiskFree, 812 * kGiB},
                         {sample_key::kDiskTotal, 1800 * kGiB},
                         {sample_key::net("eth0", "rx"), 1.1e6 * wave},
                         {sample_key::net("eth0", "tx"), 0.4e6 * wave},
                         {sample_key::net("ib0", "rx"), 11.2e9 * wave},
                         {sample_key::net("ib0", "tx"), 11.0e9 * wave}};
        for (int gpu = 0; gpu < run.gpus; ++gpu) {
            const auto add = [&](const char* what, double value) {
                sample.values.emplace_back(sample_key::gpu(gpu, what), value);
            };
            add("util", gpu == 3 ? 0.12 : 0.80 + 0.19 * wave);
            add("mem_used", (61 + gpu) * kGiB);
            add("mem_total", 80 * kGiB);
            add("temp", 58 + gpu + 6 * wave);
            add("sm_clock", gpu == 3 ? 0.345e9 : 1.98e9 - 0.1e9 * wave);
            add("sm_clock_max", 1.98e9);
            add("throttle", gpu == 3 ? 0x40 : wave > 0.7 ? 0x4 : 0);
            add("pcie_gen", 5);
            add("pcie_width", 16);
            if (node != 1) {  // a driver that does not report them
                add("power", gpu == 3 ? 180 : 560 + 80 * wave);
                add("power_limit", 700);
                add("ecc", gpu == 5 ? 2 : 0);
                add("ecc_corrected", gpu);
                add("nvlink_tx", 180e9 * wave);
                add("nvlink_rx", 175e9 * wave);
                add("nvlink_errors", 0);
            }
        }
        reporter.report(run.nodes[node], -1, sample);
    }
}

void tell_standing(Reporter& reporter, const SyntheticRun& run) {
    for (const std::string& node : run.nodes) {
        if (run.fate == Fate::Paused) {
            reporter.report(node, -1, StageEvent{StageName::Pause, StageStatus::Done, {}, -1});
        } else {
            reporter.report(node, -1,
                            StageEvent{StageName::Stop, StageStatus::Begin, "stopped by the user", -1});
            reporter.report(node, -1, StageEvent{StageName::Checkpoint, StageStatus::Begin, {}, -1});
        }
    }
}

void tell_death(Reporter& reporter, const SyntheticRun& run) {
    const int victim = std::min(1, run.ranks - 1);
    Culprit culprit;
    culprit.rank = victim;
    culprit.node = reporter.node_of(victim);
    culprit.code = -1;
    culprit.signal = 9;
    culprit.reason =
        "Something outside of the run sent SIGKILL: often the kernel, when memory runs out (see dmesg).";
    culprit.last_lines = {"epoch 1 step 350 loss 0.118", "epoch 2 step 400 loss 0.094",
                          "warning: host memory 97 % used"};
    reporter.report(culprit.node, victim, LogEvent{true, "warning: host memory 97 % used\n"});
    ExitEvent exit;
    exit.code = -1;
    exit.signal = 9;
    exit.pid = 4242;
    exit.last_lines = culprit.last_lines;
    reporter.report(culprit.node, victim, exit);
    for (int rank = 0; rank < run.ranks; ++rank) {
        if (rank != victim) {
            ExitEvent stopped;
            stopped.code = -1;
            stopped.signal = 15;
            stopped.requested = true;
            stopped.stop_cause = "rank 1 died";
            reporter.report(reporter.node_of(rank), rank, stopped);
        }
    }
    reporter.report({}, -1, EndEvent{Outcome::Failed, 1, "", true, culprit, {}});
}

void tell_end(Reporter& reporter, const SyntheticRun& run) {
    for (int rank = 0; rank < run.ranks; ++rank) {
        ExitEvent exit;
        exit.signal = run.fate == Fate::Stopped ? 15 : 0;
        exit.code = run.fate == Fate::Stopped ? -1 : 0;
        exit.requested = run.fate == Fate::Stopped;
        reporter.report(reporter.node_of(rank), rank, exit);
    }
    const bool done = run.fate == Fate::Done;
    reporter.report({}, -1,
                    EndEvent{done ? Outcome::Done : Outcome::Stopped,
                             done ? 0 : 130,
                             done ? "validation accuracy 98.45 %" : "stopped by the user",
                             false,
                             {},
                             {}});
}

}  // namespace

LaunchPlan synthetic_plan(const SyntheticRun& run) {
    LaunchPlan plan;
    plan.job_name = run.name;
    plan.backend = "gloo";
    plan.world_size = run.ranks;
    plan.master_node = run.nodes.front();
    plan.master_addr = "10.0.0.11";
    plan.master_port = 29500;
    const int per_node = (run.ranks + int(run.nodes.size()) - 1) / int(run.nodes.size());
    for (int rank = 0; rank < run.ranks; ++rank) {
        RankPlan entry;
        entry.rank = rank;
        entry.local_rank = rank % per_node;
        entry.node = run.nodes[std::size_t(rank / per_node)];
        entry.device = run.ranks > 64 ? "cuda:" + std::to_string(rank % 8) : "cpu";
        entry.env = {{"RANK", std::to_string(rank)}, {"WORLD_SIZE", std::to_string(run.ranks)}};
        entry.command = {"{worker}", "--config", "{config}"};
        plan.ranks.push_back(entry);
    }
    for (std::size_t i = 0; i < run.nodes.size(); ++i) {
        plan.nodes.push_back({run.nodes[i], int(i), per_node, "10.0.0." + std::to_string(11 + i), {}});
    }
    return plan;
}

void synthetic_events(const SyntheticRun& run, const std::function<void(const Event&)>& sink) {
    Reporter reporter(run, sink);
    std::mt19937 random(7);
    tell_beginning(reporter, run);
    if (run.fate == Fate::CannotStart || run.fate == Fate::Queued) {
        return;
    }
    for (int second = 0; run.gpus >= 0 && second < 90; ++second) {
        tell_samples(reporter, run, second);
    }
    const int steps = int(run.until * run.epochs * run.steps_per_epoch);
    for (int step = 1; step <= steps; ++step) {
        reporter.pass(0.07);
        tell_step(reporter, run, step, random);
        if (step == 1) {
            reporter.desk(StageName::FirstStep, StageStatus::Done);
        }
        if (step % run.steps_per_epoch == 0) {
            reporter.pass(0.5);
            tell_validation(reporter, run, step / run.steps_per_epoch);
        }
    }
    if (run.notices) {
        tell_notices(reporter, run);
    }
    if (run.fate == Fate::Killed) {
        tell_death(reporter, run);
    } else if (run.fate == Fate::Paused || run.fate == Fate::Saving) {
        tell_standing(reporter, run);
    } else if (run.fate != Fate::Running) {
        tell_end(reporter, run);
    }
}

LiveData synthetic_data(const SyntheticRun& run) {
    LiveData data;
    data.state.run_id = run.id;
    data.state.name = run.name;
    data.job_yaml = synthetic_record(run).job_yaml;
    data.set_plan(synthetic_plan(run));
    synthetic_events(run, [&](const Event& event) { data.apply(event); });
    return data;
}

LiveData starting_data(const SyntheticRun& run, const std::vector<int>& missing, double waited_s) {
    LiveData data;
    data.state.run_id = run.id;
    data.state.name = run.name;
    data.set_plan(synthetic_plan(run));
    const std::function<void(const Event&)> sink = [&](const Event& event) { data.apply(event); };
    Reporter reporter(run, sink);
    reporter.desk(StageName::Connect, StageStatus::Begin);
    reporter.pass(0.42);
    reporter.desk(StageName::Connect, StageStatus::Done);
    reporter.desk(StageName::Push, StageStatus::Begin);
    reporter.pass(1.1);
    reporter.desk(StageName::Push, StageStatus::Done);
    reporter.desk(StageName::Start, StageStatus::Begin);
    reporter.pass(0.2);
    for (int rank = 0; rank < run.ranks; ++rank) {
        reporter.pass(run.ranks > 64 ? 0.0004 : 0.03);
        reporter.report(reporter.node_of(rank), rank,
                        StageEvent{StageName::Start, StageStatus::Done, {}, -1});
    }
    reporter.desk(StageName::Start, StageStatus::Done);
    reporter.desk(StageName::Rendezvous, StageStatus::Begin);
    reporter.pass(2.2);
    for (int rank = 0; rank < run.ranks; ++rank) {
        reporter.pass(run.ranks > 64 ? 0.001 : 0.11);
        if (std::find(missing.begin(), missing.end(), rank) == missing.end()) {
            reporter.report(reporter.node_of(rank), rank,
                            StageEvent{StageName::Rendezvous, StageStatus::Progress, {}, -1});
        }
    }
    StageEvent waiting{StageName::Rendezvous, StageStatus::Progress, {}, 0.5};
    waiting.waiting_for = missing;
    reporter.report(reporter.node_of(0), 0, waiting);
    reporter.pass(waited_s);
    reporter.desk(StageName::Rendezvous, StageStatus::Progress);
    return data;
}

Verdict synthetic_verdict(const SyntheticRun& run, VerdictPhase phase, std::int64_t since_us) {
    Verdict verdict;
    verdict.id = "rank-hang";
    verdict.node = run.nodes.front();
    verdict.rank = 1;
    verdict.nodes = run.nodes;
    verdict.title =
        "Rank 1 on " + verdict.node + " has not entered the collective that the other " +
        std::to_string(run.ranks - 1) +
        " ranks wait in: its main thread reads /data/train.tar, and the NFS server 10.0.0.9 does not answer.";
    verdict.confidence = 0.7;
    verdict.evidence = {{"", 0, "pid 4242: state D, wait channel rpc_wait_bit_killable"},
                        {"", 0, "  File \"/home/trainer/train.py\", line 88, in read_batch"}};
    verdict.fix = {"Bring the NFS server 10.0.0.9 back, or mount the data from another one."};
    for (int rank = 0; rank < run.ranks; ++rank) {
        if (rank != verdict.rank) {
            verdict.waiting.push_back(rank);
        }
    }
    verdict.phase = phase;
    verdict.since_us = since_us;
    return verdict;
}

RunRecord synthetic_record(const SyntheticRun& run) {
    RunRecord record;
    record.run_id = run.id;
    record.name = run.name;
    record.job_yaml =
        "name: " + run.name + "\nnodes: [local]\nprocs_per_node: 3\nmaster_port: 0\n" +
        "env: { NCCL_DEBUG: INFO }\n" +
        "train: { model: convnet, dataset: { name: synthetic-digits }, epochs: 7, batch_size: 50 }\n";
    record.plan = synthetic_plan(run);
    record.started_us = run.start_us;
    record.world_size = run.ranks;
    for (const std::string& node : run.nodes) {
        record.nodes += (record.nodes.empty() ? "" : ", ") + node;
    }
    return record;
}

void store_run(RunStore& store, const SyntheticRun& run) {
    (void)store.create_run(synthetic_record(run));
    std::vector<Event> events;
    synthetic_events(run, [&](const Event& event) { events.push_back(event); });
    (void)store.append(run.id, events);
    for (const Event& event : events) {
        const auto* end = event.as<EndEvent>();
        if (end && event.node.empty()) {
            (void)store.finish_run(run.id, event.t_us, *end);
        }
    }
}

NodeFacts synthetic_facts(const std::string& hostname, int gpus) {
    NodeFacts facts;
    facts.hostname = hostname;
    facts.os = "Debian GNU/Linux 12 (bookworm)";
    facts.kernel = "6.1.0-28-amd64";
    facts.machine = "x86_64";
    facts.libc = "glibc 2.36";
    facts.user = "trainer";
    facts.cpus = 64;
    facts.cpu_model = "AMD EPYC 9354 32-Core Processor";
    facts.load1 = 0.37;
    facts.memory_bytes = 540ULL << 30;
    facts.memory_free_bytes = 498ULL << 30;
    facts.cache_free_bytes = 812ULL << 30;
    facts.cache_dir = "/home/trainer/.cache/rankscope";
    for (int i = 0; i < gpus; ++i) {
        facts.gpus.push_back({i, "NVIDIA H100 80GB HBM3", 80ULL << 30});
    }
    facts.interfaces = {{"lo", {"127.0.0.1"}, true, true, 65536},
                        {"eth0", {"10.0.0.11", "fe80::5054:ff:fe12:3456"}, true, false, 1500},
                        {"ib0", {"192.168.100.11"}, true, false, 4092}};
    facts.agent_version = "0.1.0";
    facts.connected_as = "trainer@10.0.0.11:22";
    facts.peer_address = "10.0.0.11";
    facts.desk_address = "10.0.0.1";
    facts.clock_offset_s = 0.0021;
    facts.connect_s = 0.184;
    facts.round_trip_s = 0.00042;
    return facts;
}

}  // namespace rankscope::gui::testing
