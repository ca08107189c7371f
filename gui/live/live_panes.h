// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QByteArray>
#include <QMainWindow>
#include <QString>
#include <array>
#include <set>
#include <vector>

class QDockWidget;
class QMenu;

namespace rankscope::gui {

class PaneTitle;

/// Where the window of a pane opens: next to the window that it comes from, as far as the screen allows; large enough to
/// work in.
QRect pane_window_place(const QRect& window, QSize size, const QRect& screen);

/// The large parts of Live, which the user can put elsewhere: beside each other, as tabs, in windows of their own, or
/// away. Bars to drag them by are shown only on demand.
class LivePanes : public QMainWindow {
    Q_OBJECT

public:
    enum class Pane { Curves, Nccl, Ranks, Log, Telemetry, Start, Events };
    enum class Place { LeftOf, RightOf, Above, Below, TabOf };
    static constexpr std::array kAll{Pane::Curves,    Pane::Nccl,  Pane::Ranks, Pane::Log,
                                     Pane::Telemetry, Pane::Start, Pane::Events};

    /// What the panes contain, in the order of Pane.
    LivePanes(const std::array<QWidget*, kAll.size()>& contents, QWidget* parent);

    /// Its name as users read it.
    QString name(Pane pane) const;
    QDockWidget* dock(Pane pane) const { return docks_[std::size_t(pane)]; }
    bool is_shown(Pane pane) const;
    /// By the user.
    void set_shown(Pane pane, bool on);
    /// Because of the state of the run: the layout stays what it is.
    void show_by_itself(Pane pane, bool on);
    /// Shows it, before the others of its tabs.
    void bring(Pane pane);
    void put(Pane pane, Place place, Pane other);
    bool movable() const { return movable_; }
    void set_movable(bool on);
    /// Telemetry above the curves, ranks and log below.
    void reset();
    /// A pane wants another height: it gets it unless the user has set the sizes.
    void fit();
    /// Panes in windows of their own are shown with this page, pinned ones with every page; only while there is a run.
    void set_has_run(bool on);

    /// Empty: the default, which fits every size of window.
    QByteArray state() const;
    /// Takes effect when the panes are shown; what is not a layout of these panes is ignored.
    void set_state(const QByteArray& state);

    /// The window's menu has the panes.
    QMenu* createPopupMenu() override { return nullptr; }

signals:
    /// A pane was shown or hidden.
    void shownChanged();
    /// The user shows or hides it.
    void chosen(rankscope::gui::LivePanes::Pane pane, bool on);
    /// The first layout is back.
    void wasReset();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void connect_dock(Pane pane);
    void fill_menu(QMenu* menu, Pane pane);
    void update_title(Pane pane);
    void note_shown(Pane pane);
    void note_moved();
    void make_window(Pane pane, bool place);
    void show_windows();
    void note_all();
    void restore();
    bool restore_first(const QByteArray& state);
    int wanted_height(Pane pane) const;
    void size_default();
    void fit_telemetry(Pane below);
    void resize_docked(const QList<QDockWidget*>& docks, const QList<int>& sizes,
                       Qt::Orientation orientation);

    std::array<QDockWidget*, kAll.size()> docks_{};
    std::array<PaneTitle*, kAll.size()> titles_{};
    std::array<bool, kAll.size()> shown_{};
    std::set<QDockWidget*> suspended_;  ///< windows that are hidden with the page, or while there is no run
    QByteArray kept_;                   ///< the layout with them
    QByteArray wanted_;                 ///< to restore
    bool has_run_ = true;
    bool movable_ = false;
    bool is_default_ = true;
    bool is_sized_ = false;   ///< the user has moved a pane or a border
    bool arranging_ = false;  ///< by the program
};

}  // namespace rankscope::gui
