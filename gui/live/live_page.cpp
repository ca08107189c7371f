// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/events_pane.h>
#include <gui/live/failure_banner.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/log_pane.h>
#include <gui/live/metric_area.h>
#include <gui/live/notice_list.h>
#include <gui/live/rank_strip.h>
#include <gui/live/run_header.h>
#include <gui/live/run_standing.h>
#include <gui/live/stage_strip.h>
#include <gui/live/start_waterfall.h>
#include <gui/live/telemetry_strip.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/on_thread.h>
#include <gui/plot/metric_plot.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/table_delegates.h>
#include <gui/texts.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/fitting_scroll.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/run/log_diagnosis.h>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <chrono>

namespace rankscope::gui {

namespace {

constexpr int kStateWidth = 122;
constexpr int kWidestState = 240;
constexpr int kExitWidth = 66;
constexpr int kPlaceRoom = 16;
const QString kWidestValue = QStringLiteral("8.8888e-8");
constexpr int kSwatch = 38;     ///< colour and gap next to a rank's number
constexpr int kMeansMs = 1000;  ///< means over a range are counted again, which may read a lot
constexpr int kPageGap = 8;     ///< between the parts of the page
constexpr int kTightGap = 3;
constexpr double kMostCards = 0.3;  ///< of the page's height
constexpr int kRoomForCards =
    800;                      ///< pixels of the page: in a lower one a verdict is its title, until asked why
constexpr int kTickMs = 200;  ///< clocks and the table: as fast as one can read

// As wide as the longest state that is in view: "ended with the run", "waits for rank 12". It does not shrink again, so that
// nothing jumps to and fro while states change.
void fit_states(QTableView& table, bool anew) {
    const int now = anew ? kStateWidth : table.columnWidth(RankTableModel::Phase);
    const int last = table.rowAt(table.viewport()->height() - 1);
    const int rows = last < 0 ? table.model()->rowCount() : last + 1;
    int wanted = kStateWidth;
    for (int row = std::max(table.rowAt(0), 0); row < rows; ++row) {
        wanted = std::max(
            wanted, table.sizeHintForIndex(table.model()->index(row, RankTableModel::Phase)).width() + 1);
    }
    if (const int width = std::clamp(wanted, now, std::max(now, kWidestState)); anew || width != now) {
        table.setColumnWidth(RankTableModel::Phase, width);
    }
}

}  // namespace

LivePage::LivePage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      session_(workspace->session()),
      fixes_(workspace->fixes()),
      stored_(nullptr),
      nccl_data_(workspace->pool()),
      means_(this, workspace->pool(), &rank_means,
             [this](std::optional<RankMeans> means) {
                 if (means && range_.is_set()) {
                     table_model_->set_means(*std::move(means));
                 }
             }),
      stack_(new QStackedWidget(this)) {
    setObjectName(u"livePage"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    empty_ =
        new EmptyState(tr("No run yet"),
                       tr("Choose nodes and what to train on the Launch page and press Start: every rank's "
                          "curves, state and output then appear here. A finished run opens again from Runs."),
                       tr("Go to &Launch"), this);
    empty_->setObjectName(u"liveEmpty"_s);
    stack_->addWidget(empty_);
    stack_->addWidget(make_content());
    setFocusProxy(table_);
    connect_parts();
    ticker_.setInterval(kTickMs);
    ticker_.start();
}

// Panes that close with the page ask for nothing any more.
LivePage::~LivePage() {
    panes_->disconnect(this);
}

MetricPlot* LivePage::plot() const {
    return curves_->plot();
}

MetricChooser* LivePage::chooser() const {
    return curves_->chooser();
}

QWidget* LivePage::make_content() {
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(10, kPageGap, 10, kPageGap);
    layout->setSpacing(kPageGap);
    header_ = new RunHeader(content);
    link_ = new NoticeBar(NoticeBar::Kind::Fault, "linkBanner", content);
    banner_ = new FailureBanner(fixes_, content);
    notices_ = new NoticeList(content);
    stages_ = new StageStrip(content);
    strip_ = new RankStrip(content);
    start_ = new StartWaterfall(content);
    make_switches(content);
    telemetry_ = new TelemetryStrip(content);
    layout->addWidget(header_);
    auto* cards = new QWidget(content);
    auto* stacked = new QVBoxLayout(cards);
    stacked->setContentsMargins(0, 0, 0, 0);
    stacked->setSpacing(6);
    for (QWidget* card :
         {static_cast<QWidget*>(link_), static_cast<QWidget*>(banner_), static_cast<QWidget*>(notices_)}) {
        stacked->addWidget(card);
    }
    auto* slot = new FittingScroll(FittingScroll::Kind::Slot, cards, content);
    slot->setObjectName(u"cardSlot"_s);
    slot->set_most(content, kMostCards);
    layout->addWidget(slot);
    layout->addWidget(stages_);
    auto* ranks = new QHBoxLayout;
    ranks->setSpacing(4);
    ranks->addWidget(strip_, 1);
    ranks->addWidget(range_chip_, 0, Qt::AlignTop);
    ranks->addWidget(show_start_, 0, Qt::AlignTop);
    ranks->addWidget(show_nccl_, 0, Qt::AlignTop);
    ranks->addWidget(gpu_squares_, 0, Qt::AlignTop);
    layout->addLayout(ranks);

    QWidget* ranks_table = make_rank_table();
    log_ = new LogPane(workspace_->pool(), content);
    curves_ = new MetricArea(content);
    nccl_ = new NcclPane(&nccl_data_, content);
    events_ = new EventsPane(content);
    telemetry_->set_page(content);
    panes_ = new LivePanes({curves_, nccl_, ranks_table, log_, telemetry_, start_, events_}, content);
    layout->addWidget(panes_, 1);
    return content;
}

void LivePage::make_switches(QWidget* parent) {
    const auto make = [parent](const QString& text, const QString& name, const QString& tip) {
        auto* button = new QToolButton(parent);
        button->setObjectName(name);
        button->setText(text);
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setToolTip(tip);
        return button;
    };
    range_chip_ = new QToolButton(parent);
    range_chip_->setObjectName(u"runRange"_s);
    range_chip_->setFocusPolicy(Qt::StrongFocus);
    range_chip_->setAccessibleName(tr("Range"));
    range_chip_->hide();
    show_start_ = make(tr("Start-up"), u"showStart"_s,
                       tr("How long each rank took from the connection to its first step"));
    show_nccl_ =
        make(tr("NCCL"), u"showNccl"_s,
             tr("Rings, trees and transports, collectives, log and settings of NCCL, in place of the "
                "curves"));
    gpu_squares_ = make(tr("GPU squares"), u"gpuSquaresShown"_s,
                        tr("Each GPU as a square coloured by its use, instead of a row with its figures"));
}

QWidget* LivePage::make_rank_table() {
    auto* panel = new QWidget(this);
    auto* layout = new QVBoxLayout(panel);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    table_ = new QTableView(panel);
    tune_table(table_, "rankTable", tr("Ranks"));
    table_model_ = new RankTableModel(this);
    proxy_ = new QSortFilterProxyModel(this);
    proxy_->setSourceModel(table_model_);
    proxy_->setSortRole(RankTableModel::SortRole);
    table_->setModel(proxy_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(RankTableModel::Rank, Qt::AscendingOrder);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setItemDelegate(new PhaseDelegate(table_));
    // Where columns appear and go, so do their widths.
    connect(table_model_, &QAbstractItemModel::columnsInserted, this, &LivePage::size_columns);
    connect(table_model_, &QAbstractItemModel::modelReset, this, &LivePage::size_columns);
    size_columns();
    table_->horizontalHeader()->setSectionResizeMode(RankTableModel::Node, QHeaderView::Stretch);
    table_->setMinimumHeight(60);
    layout->addWidget(table_);
    return panel;
}

void LivePage::size_columns() {
    constexpr std::array<int, RankTableModel::FIRST_METRIC> widths{52, 80, 58, 100, kStateWidth, 50, 48};
    for (int column = 0; column < RankTableModel::FIRST_METRIC; ++column) {
        table_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    const QFontMetrics text = table_->horizontalHeader()->fontMetrics();
    // The largest rank beside its swatch.
    const QString largest(QString::number(std::max(table_model_->rowCount() - 1, 0)).size(), u'8');
    table_->setColumnWidth(RankTableModel::Rank,
                           std::max(widths[0], text.horizontalAdvance(largest) + kSwatch));
    if (table_model_->any_place()) {
        const QModelIndex last = table_model_->index(table_model_->rowCount() - 1, RankTableModel::Place);
        table_->setColumnWidth(RankTableModel::Place,
                               text.horizontalAdvance(last.data().toString()) + kPlaceRoom);
    }
    for (int column = RankTableModel::FIRST_METRIC; column < table_model_->exit_column(); ++column) {
        const QString header = table_model_->headerData(column, Qt::Horizontal).toString();
        const int wide =
            std::max(text.horizontalAdvance(header) + 22, text.horizontalAdvance(kWidestValue) + 12);
        table_->setColumnWidth(column, std::clamp(wide, 62, 150));
    }
    table_->setColumnWidth(table_model_->exit_column(), kExitWidth);
    fit_states(*table_, true);
}

void LivePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    banner_->set_brief(height() < kRoomForCards);
}

bool LivePage::shows_nccl() const {
    return nccl_->isVisibleTo(this);
}

void LivePage::show_session() {
    show_model(session_->model());
}

void LivePage::show_stored(LiveData run) {
    keep_place();
    current_ = &stored_;
    stored_.reset(std::move(run));
}

std::optional<RunRecord> LivePage::shown_record() const {
    if (!current_ || current_->empty()) {
        return {};
    }
    const RunState& state = current_->state();
    RunRecord record;
    record.run_id = state.run_id;
    record.name = state.name;
    record.outcome = state.outcome;
    return record;
}

void LivePage::forget(const std::string& run_id) {
    places_.erase(run_id);
    if (stored_.state().run_id == run_id) {
        place_of_.clear();
        stored_.clear();
    }
}

void LivePage::show_model(LiveModel* model) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    keep_place();
    current_ = model;
    // Before anything is laid out: both remember how many there were.
    strip_->set_live(*model);
    start_wanted_.reset();
    telemetry_->set_data(model->empty() ? nullptr : &model->data());
    stack_->setCurrentIndex(model->empty() ? 0 : 1);
    panes_->set_has_run(!model->empty());
    if (model->empty()) {
        range_.clear();
        events_->set_live(nullptr);
        nccl_data_.clear();
        return;
    }
    NcclData::LookAtRun look;
    if (model == session_->model() && !session_->run_id().empty()) {
        look = [this](auto looking) { return session_->look(std::move(looking)); };
    } else if (model->data().reading) {
        look = [reading = model->data().reading](auto looking) { return reading->look(std::move(looking)); };
    }
    nccl_data_.show_run(model, workspace_->store(), std::move(look));
    table_model_->set_live(model);
    curves_->set_live(model);
    metrics_dirty_ = false;
    log_->set_live(model);
    events_->set_live(model);
    range_.clear();
    banner_->forget_log();
    // The table forgets its selection without a word when its rows are replaced.
    selection_changed();
    refresh_telemetry();
    refresh_head();
    refresh_ranks();
    return_to_place();
}

void LivePage::on_changed(const LiveChanges& changes) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (changes.plan || changes.ranks) {
        ranks_dirty_ = true;
    }
    samples_dirty_ = samples_dirty_ || changes.samples || changes.plan || changes.end;
    const bool says_why_empty = changes.stages && curves_->plot()->panels().empty();
    if (changes.metrics || changes.plan || changes.end || says_why_empty) {
        metrics_dirty_ = true;
        curves_->refresh();
    }
    if (changes.logs || changes.plan) {
        log_->refresh();
    }
    if (changes.logs || changes.stages || changes.ranks || changes.end || changes.plan) {
        events_->refresh();
    }
    if (changes.stages || changes.plan || changes.end || changes.ranks) {
        refresh_head();
    }
    if (changes.plan || changes.end) {
        refresh_ranks();
    }
}

std::int64_t LivePage::now_us() const {
    if (showing_session() && session_->live()) {
        return std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
            .count();
    }
    return current_ ? current_->state().last_us : 0;
}

// A card in a low window: how the run started, figures and gaps give way to curves and log, whatever the font.
void LivePage::set_tight(bool on) {
    telemetry_->set_tight(on);
    const bool with_stages = !on || current_->state().first_step_us == 0;
    QLayout* layout = stages_->parentWidget()->layout();
    if (with_stages != stages_->isHidden() && layout->spacing() == (on ? kTightGap : kPageGap)) {
        return;
    }
    QTimer::singleShot(0, panes_, &LivePanes::fit);  // after the new layout of the page
    stages_->setVisible(with_stages);
    layout->setSpacing(on ? kTightGap : kPageGap);
    layout->setContentsMargins(10, layout->spacing(), 10, layout->spacing());
}

void LivePage::refresh_head() {
    if (!current_ || current_->empty()) {
        return;
    }
    const bool live = showing_session() && session_->live();
    stages_->set_state(current_->state(), now_us());
    banner_->set_report(failure_report(current_->data(), now_us()), current_->data().log);
    force_sent_ = force_sent_ && session_->live() && session_->stopping();
    RunControl control;
    control.live = live;
    control.stopping = live && session_->stopping();
    control.force_sent = live && force_sent_;
    control.can_pause = live && session_->can_pause();
    control.pause_wanted = live && session_->pause_wanted();
    control.can_repeat = !current_->data().job_yaml.empty();
    control.is_stored = workspace_->store() != nullptr;
    control.has_verdict = banner_->is_dismissed();
    notices_->set_notices(current_->data());
    control.notices = notices_->count();
    control.new_notices = notices_->is_news();
    control.notices_open = !notices_->isHidden();
    header_->set_run(current_->data(), control, now_us());
    const LinkReport links = link_report(current_->state(), now_us());
    link_->set_text(links.title, links.text);
    set_tight(height() < kRoomForCards &&
              !(banner_->isHidden() && notices_->isHidden() && link_->isHidden()));
    refresh_start();
}

// While the run starts, and later where the user wants it.
void LivePage::refresh_start() {
    if (!current_ || current_->empty()) {
        return;
    }
    const RunState& state = current_->state();
    const bool starts = std::any_of(state.stages.begin(), state.stages.end(), [](const StageState& stage) {
        return stage.name == StageName::Start && stage.begun;
    });
    const bool starting = starts && state.outcome == Outcome::Running && state.first_step_us == 0;
    const bool shown = start_wanted_.value_or(starting && !state.ranks.empty());
    if (shown) {
        start_->set_run(current_->data(), now_us());
    }
    panes_->show_by_itself(LivePanes::Pane::Start, shown);
    show_start_->setVisible(!state.ranks.empty());
    show_start_->setChecked(shown);
}

void LivePage::refresh_ranks() {
    ranks_dirty_ = false;
    table_model_->refresh(now_us());
    fit_states(*table_, false);
    const bool placed = table_model_->any_place();
    if (placed && table_->isColumnHidden(RankTableModel::Place)) {
        size_columns();
    }
    for (int column = 0; column < table_model_->columnCount(); ++column) {
        table_->setColumnHidden(column,
                                (column == RankTableModel::Place && !placed) ||
                                    (column == table_model_->exit_column() && !table_model_->any_exit()));
    }
    strip_->set_live(*current_);
}

void LivePage::refresh_telemetry() {
    samples_dirty_ = false;
    telemetry_->refresh(showing_session() && session_->live(), now_us());
    gpu_squares_->setVisible(telemetry_->can_be_squares() && panes_->is_shown(LivePanes::Pane::Telemetry));
    gpu_squares_->setChecked(telemetry_->is_squares());
}

void LivePage::tick() {
    if (!isVisible() || !current_ || current_->empty()) {
        return;
    }
    if (ranks_dirty_) {
        refresh_ranks();
    }
    if (metrics_dirty_) {
        metrics_dirty_ = false;
        curves_->refresh_choice();
        if (range_.is_set() && means_age_.elapsed() > kMeansMs) {
            request_means();
        }
    }
    if (samples_dirty_) {
        refresh_telemetry();
    }
    if (session_->live()) {
        refresh_head();
        age_figures();
    }
}

// What a silent node has reported gets older without any event.
void LivePage::age_figures() {
    if (!showing_session() || now_us() / 1'000'000 == aged_s_) {
        return;
    }
    aged_s_ = now_us() / 1'000'000;
    refresh_telemetry();
    if (!current_->state().health(now_us()).unreachable.empty()) {
        refresh_ranks();
    }
}

}  // namespace rankscope::gui
