// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/nccl_data.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/nccl/settings_tab.h>
#include <gui/runs/run_opener.h>
#include <remote/desk/runs/reading/edge_texts.h>
#include <remote/desk/runs/run/log_diagnosis.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_nccl.h>
#include <tests/gui/synthetic_run.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTreeView>
#include <fstream>
#include <future>

namespace rankscope::gui::testing {
namespace {

Event output(int rank, const std::string& node, std::uint64_t seq, const std::string& text) {
    return {seq, 1'760'000'000'000'000 + std::int64_t(seq) * 1000, node, rank, LogEvent{false, text, 0}};
}

const Event kEnd{1, 1'760'000'001'000'000, "", -1, EndEvent{}};

/// A run that is followed: its events go to its reading and to its model, as a controller brings them.
class Followed {
public:
    explicit Followed(LiveModel* model) : model_(model) {}

    NcclData::LookAtRun look() {
        return [this](auto looking) { return reading_.look(std::move(looking)); };
    }
    void bring(const std::vector<Event>& events) {
        std::vector<QueuedItem> items;
        for (const Event& event : events) {
            reading_.observe(event);
            items.emplace_back(event);
        }
        model_->apply(items);
    }
    LogFindings causes() {
        std::promise<LogFindings> found;
        reading_.conclude([&](LogFindings all) { found.set_value(std::move(all)); });
        return found.get_future().get();
    }

private:
    LiveModel* model_;
    LogDiagnosis reading_{"live-1", [](const Event&) {}, ReadingDepth::All};
};

class NcclFrame : public ::testing::Test {
protected:
    bool settled(const NcclData& data) {
        return wait_until([&] { return !data.reading() && data.snapshot()->complete; });
    }

    QTemporaryDir folder_;
    QThreadPool pool_;
};

TEST_F(NcclFrame, AFileGivesFactsLinesAndVerdicts) {
    const std::string file = ss(folder_.path()) + "/all.log";
    std::ofstream(file)
        << nccl_log({.nodes = 2, .gpus = 2})
        << "node-0:100:100 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens9\n\n"
           "node-0:100:100 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found\n";
    NcclData data(&pool_);
    data.show_files({file}, ss(folder_.path()) + "/");
    EXPECT_TRUE(data.reading());
    ASSERT_TRUE(settled(data));
    const auto snapshot = data.snapshot();
    ASSERT_EQ(snapshot->sources, std::vector<std::string>{"all.log"});
    ASSERT_EQ(snapshot->facts.communicators.size(), 1U);
    EXPECT_EQ(snapshot->facts.communicators[0].nranks, 4);
    ASSERT_FALSE(snapshot->verdicts.empty());
    EXPECT_EQ(snapshot->verdicts[0].id.str(), "socket-ifname-invalid");
    ASSERT_FALSE(snapshot->verdicts[0].evidence.empty());
    EXPECT_EQ(snapshot->verdicts[0].evidence[0].file, "all.log");
    EXPECT_FALSE(snapshot->timeline.empty());
    // An edge knows its line.
    const auto& edge = snapshot->facts.communicators[0].edges.at(0);
    EXPECT_NE(snapshot->edge_texts.find({edge.file, edge.line}).find(" NCCL INFO Channel "),
              std::string_view::npos);
    EXPECT_TRUE(snapshot->edge_texts.find({edge.file, 1}).empty()) << "a line that states none";
}

TEST_F(NcclFrame, ALiveRunGrowsAndIsJudgedAtItsEnd) {
    LiveModel model(nullptr);
    LiveData run;
    run.set_plan(synthetic_plan({.ranks = 2}));
    run.state.plan.backend = "nccl";
    run.state.run_id = "live-1";
    model.reset(std::move(run));
    Followed run_of(&model);
    NcclData data(&pool_);
    NcclPane pane(&data);
    pane.show();
    data.show_run(&model, nullptr, run_of.look());
    EXPECT_EQ(absence_of(data), NcclAbsence::Waiting);
    const std::string log = nccl_log({.nodes = 1, .gpus = 1});
    const std::size_t middle = log.find('\n', log.size() / 2) + 1;
    run_of.bring({output(0, "node1", 1, log.substr(0, middle))});
    ASSERT_TRUE(wait_until([&] { return data.snapshot()->facts.nccl_lines > 0; }));
    const auto first = data.snapshot();
    const auto lines = first->facts.nccl_lines;
    const auto edges = first->edge_texts.size();
    EXPECT_FALSE(first->complete);
    EXPECT_EQ(absence_of(data), NcclAbsence::None);
    // The rest follows; an earlier snapshot stays as it was.
    run_of.bring({output(0, "node1", 2, log.substr(middle)), kEnd});
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(first->facts.nccl_lines, lines);
    EXPECT_EQ(first->edge_texts.size(), edges);
    EXPECT_EQ(data.snapshot()->facts.nccl_lines, std::size_t(std::count(log.begin(), log.end(), '\n')));
    EXPECT_EQ(data.snapshot()->source_ranks, std::vector<int>{0});
    EXPECT_EQ(data.snapshot()->sources, std::vector<std::string>{"live-1/rank0"});
}

TEST_F(NcclFrame, TheLinesOfARunThatIsFollowedAreParsedOnce) {
    LiveModel model(nullptr);
    LiveData run;
    run.set_plan(synthetic_plan({.ranks = 2}));
    run.state.run_id = "live-1";
    model.reset(std::move(run));
    Followed run_of(&model);
    NcclData data(&pool_);
    NcclPane pane(&data);
    const std::string log = nccl_log({.nodes = 1, .gpus = 1}) +
                            "node1:1:1 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens9\n"
                            "node1:1:1 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found\n";
    const auto lines = std::uint64_t(std::count(log.begin(), log.end(), '\n'));
    data.show_run(&model, nullptr, run_of.look());
    run_of.bring({output(0, "node1", 1, log)});  // the pane is hidden
    pane.show();
    ASSERT_TRUE(wait_until([&] { return data.snapshot()->lines_read == lines; }));
    pane.hide();
    run_of.bring({output(1, "node1", 2, log)});
    EXPECT_EQ(run_of.causes().verdicts.size(), 1U) << "the causes are of the same reading";
    run_of.bring({kEnd});
    pane.show();
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(data.snapshot()->lines_read, 2 * lines);
    ASSERT_FALSE(data.snapshot()->verdicts.empty());
    EXPECT_EQ(data.snapshot()->verdicts[0].id.str(), "socket-ifname-invalid");
}

TEST_F(NcclFrame, OfARunThatIsLeftTheStoreIsRead) {
    auto store = RunStore::open(std::filesystem::path(ss(folder_.path())) / "runs.sqlite");
    ASSERT_TRUE(store.ok());
    const SyntheticRun run{.id = "stored", .ranks = 1};
    store_run(**store, run);
    ASSERT_TRUE((*store)->append(run.id, {output(0, "node9", 1, nccl_log({.nodes = 1, .gpus = 1}))}).ok());
    LiveModel model(nullptr);
    model.reset(synthetic_data(run));
    NcclData data(&pool_);
    data.show_run(&model, *store, [](const auto&) { return false; });
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(data.snapshot()->facts.communicators.size(), 1U);
}

TEST_F(NcclFrame, AStoredRunIsReadFromTheStore) {
    auto store = RunStore::open(std::filesystem::path(ss(folder_.path())) / "runs.sqlite");
    ASSERT_TRUE(store.ok());
    const SyntheticRun run{.id = "stored", .ranks = 2};
    store_run(**store, run);
    std::vector<Event> events;
    for (int rank = 0; rank < 2; ++rank) {
        events.push_back(output(rank, "node9", std::uint64_t(rank) + 1, nccl_log({.nodes = 1, .gpus = 2})));
    }
    ASSERT_TRUE((*store)->append(run.id, events).ok());
    LiveModel model(nullptr);
    model.reset(synthetic_data(run));
    NcclData data(&pool_);
    data.show_run(&model, *store);
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(data.snapshot()->facts.communicators.size(), 1U);
    EXPECT_EQ(data.snapshot()->source_ranks.size(), 2U);
}

TEST_F(NcclFrame, ARunThatIsOpenedWithItsPaneVisibleIsReplayedOnce) {
    auto store = RunStore::open(std::filesystem::path(ss(folder_.path())) / "runs.sqlite");
    ASSERT_TRUE(store.ok());
    const SyntheticRun run{.id = "stored", .ranks = 1};
    store_run(**store, run);
    const std::string log = nccl_log({.nodes = 1, .gpus = 1});
    ASSERT_TRUE((*store)->append(run.id, {output(0, "node9", 1, log + "the last line has no end")}).ok());
    RunRecord record;
    record.run_id = run.id;
    RunOpener opener(&pool_);
    bool visible = false;
    opener.set_reads_lines([&] { return visible; });
    LiveData opened;
    QObject::connect(&opener, &RunOpener::opened,
                     [&](const std::shared_ptr<LiveData>& data) { opened = std::move(*data); });
    opener.open(*store, record);
    ASSERT_TRUE(wait_until([&] { return opened.state.run_id == run.id; }));
    EXPECT_EQ(opened.reading, nullptr) << "nothing is parsed for a hidden pane";

    visible = true;
    opened = {};
    opener.open(*store, record);
    ASSERT_TRUE(wait_until([&] { return opened.state.run_id == run.id; }));
    ASSERT_NE(opened.reading, nullptr);
    LiveModel model(nullptr);
    model.reset(std::move(opened));
    NcclData data(&pool_);
    // Without a store: what is shown was read when the run was opened.
    data.show_run(&model, nullptr, [reading = model.data().reading](auto looking) {
        return reading->look(std::move(looking));
    });
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(data.snapshot()->facts.nccl_lines, std::size_t(std::count(log.begin(), log.end(), '\n')));
    EXPECT_GT(data.snapshot()->lines_read, data.snapshot()->facts.nccl_lines) << "with the last line";
    model.clear();
    pool_.waitForDone();
}

TEST_F(NcclFrame, NothingIsReadForAHiddenPane) {
    auto store = RunStore::open(std::filesystem::path(ss(folder_.path())) / "runs.sqlite");
    ASSERT_TRUE(store.ok());
    const SyntheticRun run{.id = "stored", .ranks = 1};
    store_run(**store, run);
    const std::string log = nccl_log({.nodes = 1, .gpus = 1});
    ASSERT_TRUE((*store)->append(run.id, {output(0, "node9", 1, log)}).ok());
    LiveModel model(nullptr);
    model.reset(synthetic_data(run));
    NcclData data(&pool_);
    NcclPane pane(&data);
    data.show_run(&model, *store);
    EXPECT_FALSE(data.reading());
    EXPECT_EQ(data.snapshot()->lines_read, 0U);
    pane.show();
    EXPECT_TRUE(data.reading());
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(data.snapshot()->facts.nccl_lines, std::size_t(std::count(log.begin(), log.end(), '\n')));
    pane.hide();
    EXPECT_TRUE(data.snapshot()->complete) << "what was read stays";
}

TEST_F(NcclFrame, AnEmptyPaneSaysWhyAndOffersTheVariable) {
    LiveModel model(nullptr);
    LiveData run = synthetic_data({.ranks = 2});
    run.state.plan.backend = "nccl";
    run.job_yaml = "name: a\n";
    model.reset(std::move(run));
    NcclData data(&pool_);
    NcclPane pane(&data);
    pane.show();
    const auto title = [&] {
        QStringList shown;
        for (const QLabel* label : pane.findChildren<QLabel*>(u"ncclEmptyTitle"_s)) {
            if (label->isVisible()) {
                shown += label->text();
            }
        }
        return shown.join(u'|');
    };
    EXPECT_EQ(title(), u"No logs yet"_s);
    EXPECT_FALSE(pane.tabs()->isVisible());
    data.show_run(&model, nullptr);
    ASSERT_TRUE(settled(data));
    EXPECT_EQ(title(), u"NCCL printed nothing"_s);
    EXPECT_TRUE(pane.tabs()->isVisible()) << "the settings of the run are known";
    EXPECT_EQ(pane.tabs()->currentIndex(), 0);
    auto* set = child<QPushButton>(pane.tabs()->currentWidget(), "ncclSetDebug");
    ASSERT_TRUE(set->isVisible());
    std::map<std::string, std::string> keys;
    QObject::connect(&pane, &NcclPane::jobRequested,
                     [&](const std::map<std::string, std::string>& wanted) { keys = wanted; });
    click(set);
    EXPECT_EQ(keys, (std::map<std::string, std::string>{{"env.NCCL_DEBUG", "INFO"}}));
    // Gloo: nothing to set.
    LiveData gloo = synthetic_data({.ranks = 2});
    gloo.state.plan.backend = "gloo";
    model.reset(std::move(gloo));
    data.show_run(&model, nullptr);
    EXPECT_EQ(title(), u"This run uses Gloo"_s);
    EXPECT_FALSE(set->isVisible());
}

TEST_F(NcclFrame, SettingsOfARunAreShownWithoutALineOfNccl) {
    LiveModel model(nullptr);
    LiveData run = synthetic_data({.ranks = 2});
    run.state.plan.backend = "nccl";
    for (RankPlan& rank : run.state.plan.ranks) {
        rank.env = {{"NCCL_IB_TIMEOUT", "22"}, {"PATH", "/bin"}};
    }
    run.job_yaml.clear();
    model.reset(std::move(run));
    NcclData data(&pool_);
    NcclPane pane(&data);
    pane.resize(900, 500);
    pane.show();
    data.show_run(&model, nullptr);
    ASSERT_TRUE(settled(data));
    auto* settings = child<SettingsTab>(&pane, "ncclSettingsTab");
    EXPECT_FALSE(settings->isVisible()) << "the pane begins with why there is nothing else";
    pane.tabs()->setCurrentIndex(pane.tabs()->count() - 1);
    ASSERT_TRUE(settings->isVisible());
    auto* view = child<QTreeView>(&pane, "ncclSettings");
    ASSERT_EQ(view->model()->rowCount(), 1);
    EXPECT_EQ(view->model()->index(0, 0).data().toString(), u"NCCL_IB_TIMEOUT"_s);
    EXPECT_FALSE(child<QLabel>(&pane, "ncclSettingsNone")->isVisible());

    // Nothing is set: a sentence, and no empty table.
    LiveData bare = synthetic_data({.ranks = 2});
    for (RankPlan& rank : bare.state.plan.ranks) {
        rank.env.clear();
    }
    model.reset(std::move(bare));
    data.show_run(&model, nullptr);
    ASSERT_TRUE(settled(data));
    EXPECT_TRUE(wait_until([&] { return child<QLabel>(&pane, "ncclSettingsNone")->isVisible(); }));
    EXPECT_FALSE(view->isVisible());
    EXPECT_TRUE(child<QLineEdit>(&pane, "ncclSettingName")->isVisible());
}

TEST(EdgeTexts, AreBounded) {
    EdgeTexts texts;
    const std::string text(2000, 'x');
    const std::size_t count = 2 * EdgeTexts::kMostBytes / EdgeTexts::kLongest;
    for (std::size_t i = 0; i < count; ++i) {
        texts.add({0, i + 1}, text);
    }
    EXPECT_LT(texts.size() * EdgeTexts::kLongest, EdgeTexts::kMostBytes);
    EXPECT_GT(texts.size() * 2 * EdgeTexts::kLongest, EdgeTexts::kMostBytes);
    EXPECT_EQ(texts.find({0, 1}).size(), EdgeTexts::kLongest);
    EXPECT_TRUE(texts.find({0, count}).empty());
}

TEST(EdgeTexts, OfACopyDoNotChange) {
    EdgeTexts texts;
    texts.add({0, 1}, "one");
    const EdgeTexts before = texts.copy();
    for (std::uint64_t line = 2; line < 10'000; ++line) {
        texts.add({1, line}, std::to_string(line));
    }
    EXPECT_EQ(before.size(), 1U);
    EXPECT_TRUE(before.find({1, 2}).empty());
    EXPECT_EQ(texts.find({0, 1}), "one");
    EXPECT_EQ(texts.find({1, 5000}), "5000");
    EXPECT_EQ(texts.find({1, 9999}), "9999");
}

}  // namespace
}  // namespace rankscope::gui::testing
