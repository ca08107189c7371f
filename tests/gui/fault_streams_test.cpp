// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs with a fault, through the real window: while it lasts and after the end, pill, rank strip, rank table, telemetry
// and title must name the same culprit. FaultsOfARun composes the events as nodes and desk report them, and takes the end
// from RunTracker; FaultStreams reads streams that tests/integration/record_faults.py has recorded on a virtual cluster
// (RANKSCOPE_FAULT_STREAMS names their folder).

#include <gui/live/live_page.h>
#include <gui/live/rank_strip.h>
#include <gui/models/node_samples_model.h>
#include <gui/models/rank_table_model.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/run/run_tracker.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>
#include <tests/gui/pages_fixture.h>

#include <QTableView>
#include <QTreeView>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

namespace rankscope::gui::testing {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct Blame {
    std::string culprit;  ///< "rank 1", "node2", "node2 – node3"
    std::set<int> ranks;  ///< that are at fault, or on the node or at the connection at fault
    std::set<std::string> nodes;
};

struct Stream {
    std::string name;
    Blame blame;
    std::optional<Blame> before_end;  ///< where it is another
    bool live = true;                 ///< it is named before the end, too
    LaunchPlan plan;
    std::vector<Event> events;
};

Event event_of(const Json& json) {
    Event event;
    event.seq = json.value("seq", std::uint64_t{0});
    event.t_us = static_cast<std::int64_t>(json.at("t").get<double>() * 1e6);
    EXPECT_TRUE(body_from_json(json.at("event").get<std::string>(), json.dump(), event.body)) << json.dump();
    if (event.as<DiagnosisEvent>() ==
        nullptr) {  // whose node and rank are those at fault; it is the desk's own
        event.node = json.value("node", "");
        event.rank = json.at("rank").is_null() ? -1 : json.at("rank").get<int>();
    }
    return event;
}

Blame read_blame(const Json& culprit, const LaunchPlan& plan) {
    Blame blame;
    if (culprit.contains("rank")) {
        const int rank = culprit.at("rank").get<int>();
        return {"rank " + std::to_string(rank), {rank}, {plan.ranks.at(std::size_t(rank)).node}};
    }
    if (culprit.contains("node")) {
        blame.culprit = culprit.at("node").get<std::string>();
        blame.nodes = {blame.culprit};
    } else {
        const auto ends = culprit.at("pair").get<std::vector<std::string>>();
        blame.culprit = ends.at(0) + " – " + ends.at(1);
        blame.nodes = {ends.begin(), ends.end()};
    }
    for (const auto& rank : plan.ranks) {
        if (blame.nodes.contains(rank.node)) {
            blame.ranks.insert(rank.rank);
        }
    }
    return blame;
}

Stream read_stream(const fs::path& path) {
    Stream stream;
    stream.name = path.stem().string();
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const Json head = Json::parse(line);
    stream.live = head.value("live", true);
    auto plan = plan_from_json(head.at("plan"));
    EXPECT_TRUE(plan.ok()) << stream.name;
    stream.plan = plan ? *plan : LaunchPlan();
    const Json& culprit = head.at("culprit");
    stream.blame = read_blame(culprit, stream.plan);
    if (culprit.contains("live")) {
        stream.before_end = read_blame(culprit.at("live"), stream.plan);
    }
    while (std::getline(file, line)) {
        stream.events.push_back(event_of(Json::parse(line)));
    }
    return stream;
}

std::vector<std::string> streams() {
    const QString other = qEnvironmentVariable("RANKSCOPE_FAULT_STREAMS");
    const fs::path folder = other.isEmpty() ? fs::path(RANKSCOPE_TEST_DATA) / "faults" : fs::path(ss(other));
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".jsonl") {
            found.push_back(entry.path().string());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool is_end(const Event& event) {
    return event.node.empty() && event.as<EndEvent>() != nullptr;
}

bool is_part_of_the_end(const Event& event) {
    const auto* stage = event.as<StageEvent>();
    const auto* verdict = event.as<DiagnosisEvent>();
    return (stage != nullptr && stage->name == StageName::Stop) ||
           (verdict != nullptr && verdict->phase == VerdictPhase::End);
}

/// Reads what the window says of who is at fault, in five places.
class FivePlaces : public Pages {
protected:
    void show(const Stream& stream, std::size_t until) {
        LiveData data;
        data.set_plan(stream.plan);
        for (std::size_t i = 0; i < until; ++i) {
            data.apply(stream.events[i]);
        }
        window_->live_page()->show_stored(std::move(data));
        QApplication::processEvents();
    }

    /// Ranks whose marks are those of the one at fault, in the table.
    std::set<int> marked_ranks() {
        using Kind = RankHold::Kind;
        std::set<int> ranks;
        const QAbstractItemModel* table = find<QTableView>("rankTable")->model();
        for (int row = 0; row < table->rowCount(); ++row) {
            const QModelIndex cell = table->index(row, RankTableModel::Phase);
            const auto kind = Kind(cell.data(RankTableModel::HoldRole).toInt());
            if (kind == Kind::Faulty || kind == Kind::Failed || kind == Kind::Slow || kind == Kind::Unknown ||
                kind == Kind::NotStarted) {
                ranks.insert(cell.data(RankTableModel::RankRole).toInt());
            } else if (kind == Kind::None) {
                EXPECT_NE(RankPhase(cell.data(RankTableModel::PhaseRole).toInt()), RankPhase::Failed)
                    << "rank " << row << " is red without a mark";
            }
        }
        return ranks;
    }

    std::set<std::string> marked_nodes() {
        std::set<std::string> nodes;
        const QAbstractItemModel* telemetry = find<QTreeView>("telemetryTable")->model();
        for (int row = 0; row < telemetry->rowCount(); ++row) {
            const QModelIndex cell = telemetry->index(row, NodeSamplesModel::Node);
            if (cell.data(NodeSamplesModel::FaultRole).toBool()) {
                nodes.insert(ss(cell.data().toString().section(u' ', 0, 0)));
            }
        }
        return nodes;
    }

    void expect_five_of_five(const Stream& stream);

    void expect_the_same(const std::string& name, const Blame& blame, const char* when) {
        SCOPED_TRACE(name + ", " + when);
        const auto text = [this](const char* name) { return ss(find<QLabel>(name)->text()); };
        const std::string title = text("failureTitle");
        EXPECT_NE(text("runOutcome").find(blame.culprit), std::string::npos)
            << "pill: " << text("runOutcome");
        const std::string strip = text("rankSummary");
        for (const auto& node : blame.nodes) {
            const bool named =
                strip.find(blame.culprit) != std::string::npos || strip.find(node) != std::string::npos;
            EXPECT_TRUE(named) << "strip: " << strip;
        }
        std::set<int> expected = blame.ranks;
        EXPECT_EQ(marked_ranks(), expected) << "table, strip: " << strip;
        std::set<std::string> sampled;
        const QAbstractItemModel* telemetry = find<QTreeView>("telemetryTable")->model();
        for (int row = 0; row < telemetry->rowCount(); ++row) {
            sampled.insert(ss(telemetry->index(row, 0).data().toString().section(u' ', 0, 0)));
        }
        std::set<std::string> nodes;
        for (const auto& node : blame.nodes) {
            if (sampled.contains(node)) {
                nodes.insert(node);
            }
        }
        EXPECT_EQ(marked_nodes(), nodes) << "telemetry";
        std::string lower = title;
        std::replace(lower.begin(), lower.end(), 'R', 'r');
        bool named = lower.find(blame.culprit) != std::string::npos;
        for (const auto& node : blame.nodes) {
            named = named || (blame.culprit.find("rank") == std::string::npos &&
                              title.find(node) != std::string::npos);
        }
        EXPECT_TRUE(named) << "title: " << title;
        std::printf("%-28s %-8s pill \"%s\" · strip \"%s\" · title \"%s\"\n", name.c_str(), when,
                    text("runOutcome").c_str(), strip.c_str(), title.c_str());
    }
};

/// While it lasts, and after its end.
void FivePlaces::expect_five_of_five(const Stream& stream) {
    ASSERT_FALSE(stream.events.empty());
    open();
    window_->show_page(MainWindow::Page::Live);
    const auto end = std::find_if(stream.events.begin(), stream.events.end(), is_end);
    ASSERT_NE(end, stream.events.end()) << "a run without an end";
    // The last moment at which the run goes on.
    const auto last = std::find_if(stream.events.begin(), end, is_part_of_the_end);
    if (stream.live) {
        show(stream, std::size_t(last - stream.events.begin()));
        EXPECT_TRUE(find<QLabel>("failureTitle")->isVisible()) << "no card while it lasts";
        expect_the_same(stream.name, stream.before_end.value_or(stream.blame), "live");
    }
    show(stream, stream.events.size());
    expect_the_same(stream.name, stream.blame, "end");
}

class FaultStreams : public FivePlaces, public ::testing::WithParamInterface<std::string> {};

TEST_P(FaultStreams, FiveOfFiveNameTheSame) {
    expect_five_of_five(read_stream(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Recorded, FaultStreams, ::testing::ValuesIn(streams()), [](const auto& info) {
    std::string name = fs::path(info.param).stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultStreams);

constexpr std::int64_t kStart = 1'760'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

/// A run of four nodes with a rank each, event by event as nodes and desk report it; its end is what RunTracker makes of
/// them.
class Composed {
public:
    explicit Composed(bool engine = true) {
        plan_ = synthetic_plan({.ranks = 4, .nodes = {"node1", "node2", "node3", "node4"}});
        for (auto& rank : plan_.ranks) {
            rank.command = {engine ? "{worker}" : "python3"};
        }
        tracker_.set_plan(plan_);
        add("", -1, StageEvent{StageName::Start, StageStatus::Done, {}, -1});
    }

    Composed& trains() {
        for (int step = 1; step <= 20; ++step) {
            ++second_;
            for (int rank = 0; rank < 4; ++rank) {
                add(node_of(rank), rank, MetricEvent{step * 10, 1, {{"loss", 1.0 / step}}, {}});
                add(node_of(rank), -1, SampleEvent{{{"cpu", 0.9}, {"mem_used", 4e9}, {"mem_total", 2e10}}});
            }
        }
        return *this;
    }
    Composed& after(int seconds) {
        second_ += seconds;
        return *this;
    }
    Composed& sees(const char* id, int rank, const char* reason = "", const std::string& node = {},
                   std::vector<NodePair> pairs = {}) {
        Verdict verdict;
        verdict.id = FailureId::from(id);
        verdict.rank = rank;
        verdict.node = rank >= 0 ? node_of(rank) : node;
        verdict.ranks = rank >= 0 ? std::vector<int>{rank} : std::vector<int>{};
        verdict.reason = reason;
        verdict.confidence = 0.9;
        verdict.phase = VerdictPhase::Live;
        verdict.since_us = now() - 5 * kSecond;
        std::string who = rank >= 0 ? "Rank " + std::to_string(rank) + " on " + verdict.node : verdict.node;
        for (const auto& pair : pairs) {
            who += who.empty() ? pair.from + " and " + pair.to : "";
            verdict.nodes.insert(verdict.nodes.end(), {pair.from, pair.to});
        }
        verdict.pairs = std::move(pairs);
        if (!verdict.node.empty()) {
            verdict.nodes.push_back(verdict.node);
        }
        verdict.title = who + ": " + id + '.';
        for (int other = 0; other < 4; ++other) {
            verdict.waiting.push_back(other);
        }
        std::erase(verdict.waiting, rank);
        add("", -1, verdict);
        return *this;
    }
    Composed& link(const std::string& node, LinkState state) {
        LinkEvent link;
        link.node = node;
        link.state = state;
        link.last_seen_us = last_sign_[node];
        add("", -1, link);
        return *this;
    }
    Composed& exits(int rank, int code, int signal = 0, const char* reason = "") {
        ExitEvent exit;
        exit.code = signal != 0 ? -1 : code;
        exit.signal = signal;
        exit.reason = reason;
        exit.lost_peer = code == 75;
        add(node_of(rank), rank, exit);
        return *this;
    }
    Composed& stopped_with_the_run(int rank) {
        ExitEvent exit;
        exit.code = -1;
        exit.signal = 15;
        exit.requested = true;
        add(node_of(rank), rank, exit);
        return *this;
    }
    Composed& others_lose_it(const std::vector<int>& ranks) {
        for (const int rank : ranks) {
            exits(rank, 75);
        }
        return *this;
    }
    Composed& lost(const std::string& node, LostHow how, const std::vector<std::string>& by) {
        for (const auto& other : by) {
            EndEvent end;
            end.outcome = Outcome::Failed;
            end.lost_node = node;
            end.lost_how = how;
            end.silent_s = how == LostHow::Silent ? 10 : 0;
            add(other, -1, end);
        }
        return *this;
    }
    Composed& given_up(const std::string& node) {
        EndEvent end;
        end.outcome = Outcome::Lost;
        end.presumed = true;
        add(node, -1, end);
        return *this;
    }
    Composed& names_stopped(int rank, const std::vector<std::string>& by) {
        for (const auto& node : by) {
            EndEvent end;
            end.outcome = Outcome::Failed;
            end.has_culprit = true;
            end.culprit.rank = rank;
            end.culprit.node = node_of(rank);
            end.culprit.code = -1;
            end.culprit.process_state = "T";
            add(node, -1, end);
        }
        return *this;
    }

    Stream stream(const std::string& culprit, std::set<int> ranks, std::set<std::string> nodes,
                  bool live = true) {
        Stream made{"", {culprit, std::move(ranks), std::move(nodes)}, {}, live, plan_, std::move(events_)};
        EndEvent end = tracker_.verdict(false);
        if (auto cause = tracker_.diagnosis(); cause && (end.has_culprit || !cause->reason.empty())) {
            made.events.push_back({++seq_, now(), "", -1, *cause});
        }
        made.events.push_back({++seq_, now(), "", -1, std::move(end)});
        return made;
    }

private:
    static std::string node_of(int rank) { return "node" + std::to_string(rank + 1); }
    std::int64_t now() const { return kStart + second_ * kSecond; }
    void add(const std::string& node, int rank, EventBody body) {
        Event event{++seq_, now() + std::int64_t(seq_), node, rank, std::move(body)};
        last_sign_[node] = event.t_us;
        for (auto& consequence : tracker_.observe(event)) {
            consequence.t_us = now();
            consequence.seq = ++seq_;
            events_.push_back(consequence);
        }
        events_.push_back(std::move(event));
    }

    LaunchPlan plan_;
    RunTracker tracker_;
    std::vector<Event> events_;
    std::map<std::string, std::int64_t> last_sign_;  ///< by node
    std::uint64_t seq_ = 0;
    int second_ = 0;
};

const std::vector<int> kAllBut1{0, 2, 3};
const std::vector<std::string> kOthers{"node1", "node3", "node4"};

Stream of_rank_1(Composed& run, bool live = true) {
    return run.stream("rank 1", {1}, {"node2"}, live);
}

// Rank 1 ends by itself, and the others lose it.
Stream ends(bool engine, int code, int signal, const char* reason = "") {
    Composed run(engine);
    run.trains();
    run.exits(1, code, signal, reason);
    run.others_lose_it({0, 2});
    run.stopped_with_the_run(3);
    return of_rank_1(run);
}

// Rank 1 stands still, which the watcher sees; the others give up.
Stream holds(const char* id, const char* reason) {
    Composed run(false);
    run.trains();
    run.after(20);
    run.sees(id, 1, reason);
    run.after(10);
    run.others_lose_it(kAllBut1);
    run.stopped_with_the_run(1);
    return of_rank_1(run);
}

Stream loses_node_2(const char* id, const char* reason, const std::string& node,
                    std::vector<NodePair> pairs) {
    Composed run;
    run.trains();
    run.after(11);
    run.sees(id, -1, reason, node, std::move(pairs));
    run.after(10);
    run.link("node2", LinkState::Silent);
    run.others_lose_it(kAllBut1);
    run.lost("node2", LostHow::Silent, kOthers);
    run.after(30);
    run.link("node2", LinkState::PresumedLost);
    run.given_up("node2");
    return run.stream("node2", {1}, {"node2"});
}

Stream loses_supervisor(LostHow how) {
    Composed run;
    run.trains();
    run.after(1);
    run.stopped_with_the_run(1);
    run.others_lose_it(kAllBut1);
    run.lost("node2", how, kOthers);
    return run.stream("node2", {1}, {"node2"}, false);
}

Stream rank_stopped() {
    Composed run;
    run.trains();
    run.after(8);
    run.sees("rank-stopped", 1, "stopped");
    run.after(30);
    run.others_lose_it(kAllBut1);
    run.stopped_with_the_run(1);
    run.names_stopped(1, kOthers);
    return of_rank_1(run);
}

Stream exit_early() {
    Composed run(false);
    run.trains();
    run.exits(1, 0);
    run.after(1);
    run.others_lose_it(kAllBut1);
    return of_rank_1(run, false);
}

Stream pair_cut() {
    Composed run;
    run.trains();
    run.after(11);
    run.sees("partition-midrun", -1, "data-unanswered", "", {{"node2", "node3"}, {"node3", "node2"}});
    run.after(30);
    run.others_lose_it({0, 1, 2, 3});
    return run.stream("node2 – node3", {1, 2}, {"node2", "node3"});
}

const std::vector<NodePair> kToMaster{{"node2", "node1"}, {"node3", "node1"}};

Stream master_port_dropped() {
    Composed run;
    run.trains();
    run.after(20);
    run.sees("master-port-dropped", -1, "store-path", "node1", kToMaster);
    run.after(60);
    run.others_lose_it({1, 2, 3});
    run.stopped_with_the_run(0);
    return run.stream("node1", {0}, {"node1"});
}

// The ranks lose each other at once; the paths are tested after that.
Stream master_port_reset() {
    Composed run;
    run.trains();
    run.others_lose_it({1, 2, 3});
    run.stopped_with_the_run(0);
    run.sees("master-port-reset", -1, "connection-lost", "node1", kToMaster);
    return run.stream("node1", {0}, {"node1"});
}

Stream ranks_cannot_meet() {
    Composed run;
    run.after(14);
    run.sees("master-port-dropped", -1, "connecting", "node1", kToMaster);
    run.after(60);
    run.exits(2, 1);
    run.exits(1, 1);
    run.stopped_with_the_run(0);
    run.stopped_with_the_run(3);
    return run.stream("node1", {0}, {"node1"});
}

const std::map<std::string, std::function<Stream()>>& faults() {
    const std::vector<NodePair> by_two{{"node1", "node2"}, {"node3", "node2"}};
    const std::vector<NodePair> by_one{{"node1", "node2"}};
    const char* cut = "partition-midrun";
    const char* silent = "data-unanswered";
    static const std::map<std::string, std::function<Stream()>> all{
        {"RankKilled", [] { return ends(true, 0, 9); }},
        {"Segfault", [] { return ends(false, 0, 11); }},
        {"Abort", [] { return ends(false, 0, 6); }},
        {"Exception", [] { return ends(false, 1, 0, "ValueError: bad label"); }},
        {"DiskFull", [] { return ends(false, 1, 0, "OSError: No space left on device"); }},
        {"OutOfMemory", [] { return ends(false, 1, 0, "MemoryError"); }},
        {"LoaderKilled", [] { return ends(false, 1, 0, "DataLoader worker is killed by signal: Killed."); }},
        {"InnerRankKilled", [] { return ends(false, 1, 0, "ChildFailedError"); }},
        {"ExitEarly", exit_early},
        {"RankStopped", rank_stopped},
        {"Sleep", [] { return holds("rank-hang", "sleeps"); }},
        {"EndlessLoop", [] { return holds("rank-hang", "spins-on-cpu"); }},
        {"UnevenBatches", [] { return holds("collective-mismatch", "waits-in-collective"); }},
        {"NodeCut", [=] { return loses_node_2(cut, silent, "node2", by_two); }},
        {"NodeCutSeenByOne", [=] { return loses_node_2(cut, silent, "", by_one); }},
        {"NodeFrozen", [] { return loses_node_2("node-lost", "no-answer", "node2", {}); }},
        {"SupervisorKilled", [] { return loses_supervisor(LostHow::SupervisorKilled); }},
        {"SupervisorStopped", [] { return loses_supervisor(LostHow::SupervisorStopped); }},
        {"PairCut", pair_cut},
        {"MasterPortDroppedMidRun", master_port_dropped},
        {"MasterPortResetMidRun", master_port_reset},
        {"RanksCannotMeet", ranks_cannot_meet},
    };
    return all;
}

std::vector<std::string> names_of_faults() {
    std::vector<std::string> names;
    for (const auto& [name, made] : faults()) {
        names.push_back(name);
    }
    return names;
}

class FaultsOfARun : public FivePlaces, public ::testing::WithParamInterface<std::string> {};

TEST_P(FaultsOfARun, FiveOfFiveNameTheSame) {
    Stream stream = faults().at(GetParam())();
    stream.name = GetParam();
    expect_five_of_five(stream);
}

INSTANTIATE_TEST_SUITE_P(Composed, FaultsOfARun, ::testing::ValuesIn(names_of_faults()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace rankscope::gui::testing
