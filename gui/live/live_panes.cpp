// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/live_panes.h>
#include <gui/live/pane_title.h>
#include <gui/strings.h>

#include <QDockWidget>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QScreen>
#include <QStyle>
#include <QTimer>
#include <QWindow>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

// Of stored layouts: another set of panes has another one. The first had neither telemetry nor start-up nor events.
constexpr int kVersion = 2;
constexpr int kFirstVersion = 1;
// Shares of the height and of the width in the default layout.
constexpr int kCurvesShare = 633;
constexpr int kRanksShare = 573;
constexpr int kWhole = 1000;
constexpr int kLeastPlot = 90;  ///< what MetricPlot needs
constexpr int kEnoughPlot =
    200;  ///< pixels of curves: what is more goes to the log first, until it shows its lines

constexpr std::array kNames{"curvesPane",    "ncclPane",  "ranksPane", "logPane",
                            "telemetryPane", "startPane", "eventsPane"};
using Pane = LivePanes::Pane;
constexpr std::array kHidden{Pane::Nccl, Pane::Start, Pane::Events};
constexpr std::array kNew{Pane::Telemetry, Pane::Start, Pane::Events};

constexpr QSize kWindow(900, 600);
constexpr int kDragMs = 100;

bool is_hidden_by_default(Pane pane) {
    return std::find(kHidden.begin(), kHidden.end(), pane) != kHidden.end();
}

}  // namespace

QRect pane_window_place(const QRect& window, QSize size, const QRect& screen) {
    const QSize fitted = size.expandedTo(kWindow).boundedTo(screen.size());
    const int right = screen.right() - window.right();
    const int left = window.left() - screen.left();
    int x = 0;
    if (right >= left) {
        x = std::min(window.right() + 1, screen.right() + 1 - fitted.width());
    } else {
        x = std::max(window.left() - fitted.width(), screen.left());
    }
    const int y = std::clamp(window.top(), screen.top(), screen.bottom() + 1 - fitted.height());
    return {QPoint(x, y), fitted};
}

LivePanes::LivePanes(const std::array<QWidget*, kAll.size()>& contents, QWidget* parent)
    : QMainWindow(parent) {
    setObjectName(u"livePanes"_s);
    setWindowFlags(Qt::Widget);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    const QScopedValueRollback<bool> arranging(arranging_, true);
    for (const Pane pane : kAll) {
        const auto at = std::size_t(pane);
        auto* dock = new QDockWidget(name(pane), this);
        dock->setObjectName(QString::fromLatin1(kNames[at]));
        docks_[at] = dock;
        titles_[at] = new PaneTitle(name(pane), dock);
        dock->setTitleBarWidget(titles_[at]);
        dock->setWidget(contents[at]);
        connect_dock(pane);
        update_title(pane);
    }
    reset();
}

QString LivePanes::name(Pane pane) const {
    switch (pane) {
        case Pane::Curves:
            return tr("Curves");
        case Pane::Nccl:
            return tr("NCCL");
        case Pane::Ranks:
            return tr("Ranks");
        case Pane::Telemetry:
            return tr("Telemetry");
        case Pane::Start:
            return tr("Start-up");
        case Pane::Events:
            return tr("Events");
        case Pane::Log:
            break;
    }
    return tr("Log");
}

void LivePanes::connect_dock(Pane pane) {
    QDockWidget* dock = this->dock(pane);
    connect(titles_[std::size_t(pane)], &PaneTitle::hideRequested, this,
            [this, pane] { set_shown(pane, false); });
    QMenu* menu = titles_[std::size_t(pane)]->menu();
    connect(menu, &QMenu::aboutToShow, this, [this, menu, pane] { fill_menu(menu, pane); });
    connect(dock, &QDockWidget::visibilityChanged, this, [this, pane] { note_shown(pane); });
    connect(dock, &QDockWidget::topLevelChanged, this, [this, pane] {
        note_moved();
        update_title(pane);
        // Not now: Qt goes on with its own window after this.
        QMetaObject::invokeMethod(
            this, [this, pane, place = !arranging_] { make_window(pane, place); }, Qt::QueuedConnection);
    });
    connect(titles_[std::size_t(pane)], &PaneTitle::pinned, this, &LivePanes::show_windows);
    connect(dock, &QDockWidget::dockLocationChanged, this, &LivePanes::note_moved);
}

// Of Qt it is a tool without a frame, where the pane was: nothing seems to happen, and then it covers other pages.
void LivePanes::make_window(Pane pane, bool place) {
    QDockWidget* dock = this->dock(pane);
    if (!dock->isFloating()) {
        dock->setWindowTitle(name(pane));
        return;
    }
    if (dock->windowType() == Qt::Window) {
        return;
    }
    if (QGuiApplication::mouseButtons() != Qt::NoButton) {  // it is being dragged
        QTimer::singleShot(kDragMs, this, [this, pane, place] { make_window(pane, place); });
        return;
    }
    const QScopedValueRollback<bool> arranging(arranging_, true);
    const bool shown = !dock->isHidden();
    const QRect at = place ? pane_window_place(window()->frameGeometry(), dock->size(),
                                               window()->screen()->availableGeometry())
                           : dock->geometry();
    dock->setWindowFlags(Qt::Window | Qt::WindowTitleHint | Qt::WindowSystemMenuHint |
                         Qt::WindowMinMaxButtonsHint | Qt::WindowCloseButtonHint);
    dock->setWindowTitle(tr("%1 — Rankscope").arg(name(pane)));
    dock->setGeometry(at);
    if (shown) {
        dock->show();
        // Else it would stay above the window that it came from.
        dock->windowHandle()->setTransientParent(nullptr);
    }
    show_windows();
}

// With their page, unless they are pinned; without a run there is nothing to show in them.
void LivePanes::show_windows() {
    const QScopedValueRollback<bool> arranging(arranging_, true);
    const QByteArray with_windows = suspended_.empty() ? state() : kept_;
    for (const Pane pane : kAll) {
        QDockWidget* dock = this->dock(pane);
        const bool stays =
            has_run_ && (isVisible() || (titles_[std::size_t(pane)]->is_pinned() && window()->isVisible()));
        if (stays && suspended_.erase(dock) > 0) {
            dock->show();
        } else if (!stays && dock->isFloating() && !dock->isHidden()) {
            suspended_.insert(dock);
            dock->hide();
        }
    }
    kept_ = suspended_.empty() ? QByteArray() : with_windows;
}

void LivePanes::note_moved() {
    is_default_ = is_default_ && arranging_;
    is_sized_ = is_sized_ || !arranging_;
}

void LivePanes::fill_menu(QMenu* menu, Pane pane) {
    menu->clear();
    QDockWidget* moved = dock(pane);
    QAction* window = menu->addAction(tr("&Window of its own"), this,
                                      [moved] { moved->setFloating(!moved->isFloating()); });
    window->setObjectName(u"paneFloat"_s);
    window->setCheckable(true);
    window->setChecked(moved->isFloating());
    menu->addSeparator();
    const std::array<std::pair<Place, QString>, 5> places{{{Place::LeftOf, tr("&Left of")},
                                                           {Place::RightOf, tr("&Right of")},
                                                           {Place::Above, tr("&Above")},
                                                           {Place::Below, tr("&Below")},
                                                           {Place::TabOf, tr("As a &tab of")}}};
    for (const auto& [place, text] : places) {
        QMenu* others = menu->addMenu(text);
        for (const Pane other : kAll) {
            if (other != pane && is_shown(other) && !dock(other)->isFloating()) {
                others->addAction(name(other), this,
                                  [this, pane, place = place, other] { put(pane, place, other); });
            }
        }
        others->setEnabled(!others->isEmpty());
    }
}

void LivePanes::update_title(Pane pane) {
    PaneTitle* title = titles_[std::size_t(pane)];
    title->setVisible(movable_ || dock(pane)->isFloating());
    title->set_window(dock(pane)->isFloating());
    title->updateGeometry();
    // The bar of the pane has the same word.
    if (auto* own = dock(pane)->widget()->findChild<QLabel*>(u"paneName"_s)) {
        own->setVisible(!movable_ && !dock(pane)->isFloating());
    }
}

void LivePanes::set_movable(bool on) {
    movable_ = on;
    for (const Pane pane : kAll) {
        update_title(pane);
    }
}

// What the user has hidden, not what is out of sight with the page.
bool LivePanes::is_shown(Pane pane) const {
    return !dock(pane)->isHidden() || suspended_.contains(dock(pane));
}

void LivePanes::note_shown(Pane pane) {
    bool& known = shown_[std::size_t(pane)];
    if (known == is_shown(pane)) {
        return;
    }
    known = !known;
    is_default_ = is_default_ && (arranging_ || pane == Pane::Nccl || pane == Pane::Start);
    emit shownChanged();
}

void LivePanes::set_shown(Pane pane, bool on) {
    if (on != is_shown(pane)) {
        emit chosen(pane, on);
    }
    if (on != is_shown(pane)) {
        suspended_.erase(dock(pane));
        dock(pane)->setVisible(on);
        note_shown(pane);
        fit();
        show_windows();
    }
    if (on) {
        dock(pane)->raise();
    }
}

void LivePanes::show_by_itself(Pane pane, bool on) {
    if (on != is_shown(pane)) {
        const QScopedValueRollback<bool> arranging(arranging_, true);
        dock(pane)->setVisible(on);
        note_shown(pane);
        fit();
    }
}

void LivePanes::bring(Pane pane) {
    set_shown(pane, true);
}

// Beside tabs there is no place: the pane becomes one of them. Those that are hidden do not count.
void LivePanes::put(Pane pane, Place place, Pane other) {
    QDockWidget* moved = dock(pane);
    QDockWidget* fixed = dock(other);
    if (moved == fixed || fixed->isFloating()) {
        return;
    }
    is_default_ = false;
    is_sized_ = true;
    moved->setFloating(false);
    removeDockWidget(moved);
    std::vector<QDockWidget*> away;
    bool is_tab = place == Place::TabOf;
    for (QDockWidget* tab : tabifiedDockWidgets(fixed)) {
        if (tab->isHidden()) {
            away.push_back(tab);
        } else {
            is_tab = true;
        }
    }
    if (!is_tab) {
        std::for_each(away.begin(), away.end(), [this](QDockWidget* tab) { removeDockWidget(tab); });
    }
    if (is_tab) {
        tabifyDockWidget(fixed, moved);
    } else {
        const bool is_first = place == Place::LeftOf || place == Place::Above;
        const bool across = place == Place::LeftOf || place == Place::RightOf;
        const Qt::Orientation direction = across ? Qt::Horizontal : Qt::Vertical;
        splitDockWidget(fixed, moved, direction);
        if (is_first) {
            removeDockWidget(fixed);
            splitDockWidget(moved, fixed, direction);
            fixed->show();
        }
        for (QDockWidget* tab : away) {
            tabifyDockWidget(fixed, tab);
            tab->hide();
        }
    }
    moved->show();
    moved->raise();
}

void LivePanes::reset() {
    const QScopedValueRollback<bool> arranging(arranging_, true);
    suspended_.clear();
    kept_.clear();
    for (const Pane pane : kAll) {
        dock(pane)->setFloating(false);
        removeDockWidget(dock(pane));
    }
    addDockWidget(Qt::LeftDockWidgetArea, dock(Pane::Start));
    splitDockWidget(dock(Pane::Start), dock(Pane::Telemetry), Qt::Vertical);
    splitDockWidget(dock(Pane::Telemetry), dock(Pane::Curves), Qt::Vertical);
    splitDockWidget(dock(Pane::Curves), dock(Pane::Ranks), Qt::Vertical);
    splitDockWidget(dock(Pane::Ranks), dock(Pane::Log), Qt::Horizontal);
    tabifyDockWidget(dock(Pane::Curves), dock(Pane::Nccl));
    tabifyDockWidget(dock(Pane::Log), dock(Pane::Events));
    for (const Pane pane : kAll) {
        dock(pane)->setVisible(!is_hidden_by_default(pane));
    }
    is_default_ = true;
    is_sized_ = false;
    size_default();
    note_all();
    emit wasReset();
}

void LivePanes::note_all() {
    for (const Pane pane : kAll) {
        note_shown(pane);
    }
}

int LivePanes::wanted_height(Pane pane) const {
    const PaneTitle* title = titles_[std::size_t(pane)];
    const int bar = title->isHidden() ? 0 : title->sizeHint().height();
    return std::max(bar + dock(pane)->widget()->sizeHint().height(), 1);
}

void LivePanes::fit() {
    if (is_default_) {
        size_default();
        return;
    }
    // Only panes were shown or hidden: they stand below each other as in the default.
    const std::array below{Pane::Curves, Pane::Ranks, Pane::Log};
    const auto other = std::find_if(below.begin(), below.end(), [this](Pane pane) { return is_shown(pane); });
    if (is_sized_ || !wanted_.isEmpty() || other == below.end()) {
        return;
    }
    const QScopedValueRollback<bool> arranging(arranging_, true);
    QList<QDockWidget*> rows;
    QList<int> heights;
    int rest = dock(*other)->height();
    for (const Pane pane : {Pane::Start, Pane::Telemetry}) {
        if (is_shown(pane)) {
            rows += dock(pane);
            heights += wanted_height(pane);
            rest += dock(pane)->height() - heights.back();
        }
    }
    rows += dock(*other);
    heights += std::max(rest, 1);
    resize_docked(rows, heights, Qt::Vertical);
}

// Of those that are in the window now; Qt warns of others.
void LivePanes::resize_docked(const QList<QDockWidget*>& docks, const QList<int>& sizes,
                              Qt::Orientation orientation) {
    QList<QDockWidget*> inside;
    QList<int> wanted;
    for (qsizetype i = 0; i < docks.size(); ++i) {
        if (!docks[i]->isFloating() && dockWidgetArea(docks[i]) != Qt::NoDockWidgetArea) {
            inside += docks[i];
            wanted += sizes[i];
        }
    }
    resizeDocks(inside, wanted, orientation);
}

void LivePanes::size_default() {
    constexpr int kSmallest = 20;
    if (std::min(width(), height()) < kSmallest) {
        return;  // not laid out yet: a share would be nothing, of which Qt warns
    }
    const QScopedValueRollback<bool> arranging(arranging_, true);
    const int border = style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, this);
    QList<QDockWidget*> rows;
    QList<int> heights;
    int rest = height() - border;
    for (const Pane pane : {Pane::Start, Pane::Telemetry}) {
        if (is_shown(pane)) {
            rows += dock(pane);
            heights += wanted_height(pane);
            rest -= heights.back() + border;
        }
    }
    rest = std::max(rest, kSmallest);
    const int share = rest * (kWhole - kCurvesShare) / kWhole;
    // With the bar above the curves, which is as high as the font.
    const int enough = kEnoughPlot + dock(Pane::Curves)->widget()->minimumSizeHint().height() - kLeastPlot;
    const int lower = std::max(share, std::min(wanted_height(Pane::Log), rest - enough));
    rows += {dock(Pane::Curves), dock(Pane::Ranks)};
    heights += {std::max(rest - lower, 1), lower};
    resize_docked(rows, heights, Qt::Vertical);
    resize_docked({dock(Pane::Ranks), dock(Pane::Log)},
                  {width() * kRanksShare / kWhole, width() * (kWhole - kRanksShare) / kWhole},
                  Qt::Horizontal);
}

void LivePanes::set_has_run(bool on) {
    has_run_ = on;
    show_windows();
}

QByteArray LivePanes::state() const {
    if (!wanted_.isEmpty() || !kept_.isEmpty()) {
        return wanted_.isEmpty() ? kept_ : wanted_;
    }
    return is_default_ ? QByteArray() : saveState(kVersion);
}

void LivePanes::set_state(const QByteArray& state) {
    wanted_ = state;
    if (isVisible()) {
        restore();
    }
}

// Not before the panes have their size: a layout is squeezed into the size of the moment.
void LivePanes::restore() {
    const QByteArray state = std::exchange(wanted_, {});
    if (state.isEmpty()) {
        return;
    }
    const QScopedValueRollback<bool> arranging(arranging_, true);
    is_default_ = false;
    is_sized_ = true;
    const bool any = (restoreState(state, kVersion) || restore_first(state)) &&
                     std::any_of(kAll.begin(), kAll.end(), [this](Pane pane) { return is_shown(pane); });
    if (!any) {
        reset();
    }
    note_all();
}

// A layout without the newer panes: telemetry comes above the curves, where it was before there was a choice, or above
// another pane that stands alone.
bool LivePanes::restore_first(const QByteArray& state) {
    for (const Pane pane : kNew) {
        removeDockWidget(dock(pane));
    }
    if (!restoreState(state, kFirstVersion)) {
        return false;
    }
    const auto stands_alone = [this](Pane pane) {
        const QList<QDockWidget*> tabs = tabifiedDockWidgets(dock(pane));
        return is_shown(pane) && !dock(pane)->isFloating() &&
               std::all_of(tabs.begin(), tabs.end(), [](QDockWidget* tab) { return tab->isHidden(); });
    };
    const std::array others{Pane::Curves, Pane::Ranks, Pane::Log, Pane::Nccl};
    const auto other = std::find_if(others.begin(), others.end(), stands_alone);
    if (other != others.end()) {
        put(Pane::Telemetry, Place::Above, *other);
        // Once both have their size.
        QMetaObject::invokeMethod(
            this, [this, below = *other] { fit_telemetry(below); }, Qt::QueuedConnection);
    } else {
        addDockWidget(Qt::LeftDockWidgetArea, dock(Pane::Telemetry));
    }
    splitDockWidget(dock(Pane::Telemetry), dock(Pane::Start), Qt::Vertical);
    if (dock(Pane::Log)->isFloating()) {
        addDockWidget(Qt::LeftDockWidgetArea, dock(Pane::Events));
    } else {
        tabifyDockWidget(dock(Pane::Log), dock(Pane::Events));
    }
    for (const Pane pane : kNew) {
        dock(pane)->setVisible(pane == Pane::Telemetry);
    }
    return true;
}

void LivePanes::fit_telemetry(Pane below) {
    const QScopedValueRollback<bool> arranging(arranging_, true);
    const int wanted = wanted_height(Pane::Telemetry);
    const int room = dock(Pane::Telemetry)->height() + dock(below)->height();
    resize_docked({dock(Pane::Telemetry), dock(below)}, {wanted, std::max(room - wanted, 1)}, Qt::Vertical);
}

void LivePanes::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    show_windows();
    if (!wanted_.isEmpty()) {
        QMetaObject::invokeMethod(this, &LivePanes::restore, Qt::QueuedConnection);
    }
}

void LivePanes::hideEvent(QHideEvent* event) {
    QMainWindow::hideEvent(event);
    if (!event->spontaneous()) {  // not: the window was minimised
        show_windows();
    }
}

void LivePanes::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (is_default_) {
        size_default();
    }
}

bool LivePanes::event(QEvent* event) {
    // A press on a border between two panes: the user sets sizes.
    if (event->type() == QEvent::MouseButtonPress &&
        isSeparator(static_cast<QMouseEvent*>(event)->position().toPoint())) {
        is_default_ = false;
        is_sized_ = true;
    }
    return QMainWindow::event(event);
}

}  // namespace rankscope::gui
