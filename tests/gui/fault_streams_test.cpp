// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Streams of runs with a fault, recorded at a virtual cluster (tests/integration/record_faults.py), through the real
// window: while it lasts and after the end, pill, rank strip, rank table, telemetry and title must name the same culprit.
// RANKSCOPE_FAULT_STREAMS names a folder of other streams.

#include <gui/live/live_page.h>
#include <gui/live/rank_strip.h>
#include <gui/models/node_samples_model.h>
#include <gui/models/rank_table_model.h>
#include <remote/desk/plan/launch_plan.h>
#include <remote/wire/event_json.h>

#include <nlohmann/json.hpp>
#include <tests/gui/pages_fixture.h>

#include <QTableView>
#include <QTreeView>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

namespace rankscope::gui::testing {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct Stream {
    std::string name;
    std::string culprit;  ///< "rank 1", "node2", "node2 – node3"
    std::set<int> ranks;  ///< that are at fault, or on the node or at the connection at fault
    std::set<std::string> nodes;
    bool live = true;  ///< it is named before the end, too
    LaunchPlan plan;
    std::vector<Event> events;
};

Event event_of(const Json& json) {
    Event event;
    event.seq = json.value("seq", std::uint64_t{0});
    event.t_us = static_cast<std::int64_t>(json.at("t").get<double>() * 1e6);
    event.node = json.value("node", "");
    event.rank = json.at("rank").is_null() ? -1 : json.at("rank").get<int>();
    EXPECT_TRUE(body_from_json(json.at("event").get<std::string>(), json.dump(), event.body)) << json.dump();
    return event;
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
    if (culprit.contains("rank")) {
        const int rank = culprit.at("rank").get<int>();
        stream.culprit = "rank " + std::to_string(rank);
        stream.ranks = {rank};
        stream.nodes = {stream.plan.ranks.at(std::size_t(rank)).node};
    } else if (culprit.contains("node")) {
        stream.culprit = culprit.at("node").get<std::string>();
        stream.nodes = {stream.culprit};
    } else if (culprit.contains("pair")) {
        const auto ends = culprit.at("pair").get<std::vector<std::string>>();
        stream.culprit = ends.at(0) + " – " + ends.at(1);
        stream.nodes = {ends.begin(), ends.end()};
    }
    if (stream.ranks.empty()) {
        for (const auto& rank : stream.plan.ranks) {
            if (stream.nodes.contains(rank.node)) {
                stream.ranks.insert(rank.rank);
            }
        }
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

class FaultStreams : public Pages, public ::testing::WithParamInterface<std::string> {
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

    void expect_the_same(const Stream& stream, const char* when) {
        SCOPED_TRACE(stream.name + ", " + when);
        const auto text = [this](const char* name) { return ss(find<QLabel>(name)->text()); };
        const std::string title = text("failureTitle");
        EXPECT_NE(text("runOutcome").find(stream.culprit), std::string::npos)
            << "pill: " << text("runOutcome");
        const std::string strip = text("rankSummary");
        for (const auto& node : stream.nodes) {
            const bool named =
                strip.find(stream.culprit) != std::string::npos || strip.find(node) != std::string::npos;
            EXPECT_TRUE(named) << "strip: " << strip;
        }
        std::set<int> expected = stream.ranks;
        EXPECT_EQ(marked_ranks(), expected) << "table, strip: " << strip;
        std::set<std::string> sampled;
        const QAbstractItemModel* telemetry = find<QTreeView>("telemetryTable")->model();
        for (int row = 0; row < telemetry->rowCount(); ++row) {
            sampled.insert(ss(telemetry->index(row, 0).data().toString().section(u' ', 0, 0)));
        }
        std::set<std::string> nodes;
        for (const auto& node : stream.nodes) {
            if (sampled.contains(node)) {
                nodes.insert(node);
            }
        }
        EXPECT_EQ(marked_nodes(), nodes) << "telemetry";
        std::string lower = title;
        std::replace(lower.begin(), lower.end(), 'R', 'r');
        bool named = lower.find(stream.culprit) != std::string::npos;
        for (const auto& node : stream.nodes) {
            named = named || (stream.culprit.find("rank") == std::string::npos &&
                              title.find(node) != std::string::npos);
        }
        EXPECT_TRUE(named) << "title: " << title;
        std::printf("%-28s %-8s pill \"%s\" · strip \"%s\" · title \"%s\"\n", stream.name.c_str(), when,
                    text("runOutcome").c_str(), strip.c_str(), title.c_str());
    }
};

TEST_P(FaultStreams, FiveOfFiveNameTheSame) {
    const Stream stream = read_stream(GetParam());
    ASSERT_FALSE(stream.events.empty());
    open();
    window_->show_page(MainWindow::Page::Live);
    const auto end = std::find_if(stream.events.begin(), stream.events.end(), is_end);
    ASSERT_NE(end, stream.events.end()) << "a run without an end";
    // The last moment at which the run goes on, and something is known: the verdicts of the end come just before it.
    auto last = end;
    while (last != stream.events.begin()) {
        const auto* verdict = std::prev(last)->as<DiagnosisEvent>();
        if (verdict == nullptr || verdict->phase != VerdictPhase::End) {
            break;
        }
        --last;
    }
    if (stream.live) {
        show(stream, std::size_t(last - stream.events.begin()));
        const bool has_card = find<QLabel>("failureTitle")->isVisible();
        if (has_card) {
            expect_the_same(stream, "live");
        } else {
            ADD_FAILURE() << "no card while it lasts: " << ss(find<QLabel>("runOutcome")->text());
        }
    }
    show(stream, stream.events.size());
    expect_the_same(stream, "end");
}

INSTANTIATE_TEST_SUITE_P(Recorded, FaultStreams, ::testing::ValuesIn(streams()), [](const auto& info) {
    std::string name = fs::path(info.param).stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultStreams);

}  // namespace
}  // namespace rankscope::gui::testing
