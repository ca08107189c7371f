// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/bundle/bundle_file.h>
#include <gui/bundle/save_bundle_dialog.h>
#include <gui/doctor/doctor_page.h>
#include <gui/fleet/fleet_page.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/logs/logs_page.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/scaling_start.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/page_button.h>

#include <QActionGroup>
#include <QApplication>
#include <QButtonGroup>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QShowEvent>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kNavWidth = 84;
constexpr QSize kFirstSize(1280, 800);
/// Title bar and borders, before the window manager reports them.
constexpr QSize kLikelyFrame(16, 40);
constexpr QSize kSmallest(640, 480);

}  // namespace

QSize first_window_size(QSize room) {
    return kFirstSize.boundedTo(room - kLikelyFrame).expandedTo(kSmallest.boundedTo(room));
}

MainWindow::MainWindow(const Options& options, bool system_is_dark)
    : options_(options),
      system_is_dark_(system_is_dark),
      pages_(new QStackedWidget(this)),
      workspace_(std::make_unique<Workspace>(options, this)) {
    setObjectName(u"mainWindow"_s);
    setAcceptDrops(true);
    setWindowIcon(app_icon());
    auto* central = new QWidget(this);
    auto* layout = new QHBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(make_nav_bar());
    fleet_ = new FleetPage(workspace_->fleet(), pages_);
    launch_ = new LaunchPage(workspace_.get(), pages_);
    doctor_ = new DoctorPage(workspace_.get(), launch_, pages_);
    live_ = new LivePage(workspace_.get(), pages_);
    runs_ = new RunsPage(workspace_.get(), pages_);
    logs_ = new LogsPage(workspace_.get(), pages_);
    for (QWidget* page :
         {static_cast<QWidget*>(fleet_), static_cast<QWidget*>(launch_), static_cast<QWidget*>(doctor_),
          static_cast<QWidget*>(live_), static_cast<QWidget*>(runs_), static_cast<QWidget*>(logs_)}) {
        pages_->addWidget(page);
    }
    layout->addWidget(pages_, 1);
    setCentralWidget(central);
    make_menus();
    connect_pages();
    restore_geometry();
    show_page(options_.quick_start || !options_.job_file.empty() ? Page::Launch : Page::Fleet);
    open_first_job();
    if (!options_.bundles.isEmpty()) {
        open_bundles(options_.bundles);
    }
    update_title();
    workspace_->begin();
}

MainWindow::~MainWindow() {
    // Pages and dialogs use the workspace: they are deleted first.
    qDeleteAll(findChildren<SaveBundleDialog*>(Qt::FindDirectChildrenOnly));
    delete takeCentralWidget();
}

QWidget* MainWindow::make_nav_bar() {
    auto* bar = new QFrame(this);
    bar->setObjectName(u"navBar"_s);
    bar->setAccessibleName(tr("Pages"));
    bar->setFixedWidth(kNavWidth);
    auto* layout = new QVBoxLayout(bar);
    layout->setContentsMargins(0, 6, 0, 6);
    layout->setSpacing(2);
    const std::array<QString, 6> texts{tr("Fleet"), tr("Launch"), tr("Doctor"),
                                       tr("Live"),  tr("Runs"),   tr("Logs")};
    const std::array<const char*, 6> names{"navFleet", "navLaunch", "navDoctor",
                                           "navLive",  "navRuns",   "navLogs"};
    auto* group = new QButtonGroup(this);
    for (std::size_t i = 0; i < nav_.size(); ++i) {
        auto* button = new PageButton(bar);
        button->setObjectName(QString::fromLatin1(names[i]));
        button->setText(texts[i]);
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize(QSize(26, 26));
        button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        button->setToolTip(tr("%1 (Ctrl+%2)").arg(texts[i]).arg(i + 1));
        button->setFocusPolicy(Qt::TabFocus);
        group->addButton(button);
        layout->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this, i] { show_page(Page(i)); });
        nav_[i] = button;
    }
    layout->addStretch();
    icon_nav_bar();
    return bar;
}

void MainWindow::icon_nav_bar() {
    const ThemeColors colors = theme_colors(palette());
    for (std::size_t i = 0; i < nav_.size(); ++i) {
        if (nav_[i]) {
            nav_[i]->setIcon(nav_icon(NavIcon(i), colors.muted, colors.accent));
        }
    }
}

void MainWindow::make_file_menu() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    QAction* open = file->addAction(tr("&Open failure bundle…"), this, [this] {
        show_page(Page::Runs);
        runs_->choose_bundle();
    });
    open->setObjectName(u"menuOpenBundle"_s);
    QAction* import = file->addAction(tr("&Import runs from a folder…"), this, [this] {
        show_page(Page::Runs);
        runs_->choose_folder();
    });
    import->setObjectName(u"menuImportFolder"_s);
    QAction* save = file->addAction(tr("&Save failure bundle…"), this, [this] {
        const RunRecord* run = runs_->selected();
        if (page() == Page::Live && live_->can_save()) {
            save_bundle(qs(live_->shown()->state().run_id), qs(live_->shown()->state().name));
        } else if (page() == Page::Runs && run) {
            save_bundle(qs(run->run_id), qs(run->name));
        }
    });
    save->setObjectName(u"menuSaveBundle"_s);
    QAction* scaling = file->addAction(tr("Scaling &run of the job in Launch…"), this, [this] {
        if (workspace_->store()) {
            open_scaling(workspace_.get(), launch_->job(), this);
        }
    });
    scaling->setObjectName(u"menuScalingRun"_s);
    connect(file, &QMenu::aboutToShow, this, [this, save, scaling] {
        scaling->setEnabled(launch_->state().is_ready() && workspace_->store());
        save->setEnabled(page() == Page::Live ? live_->can_save()
                                              : page() == Page::Runs && runs_->selected() != nullptr);
    });
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::make_menus() {
    make_file_menu();
    QMenu* view = menuBar()->addMenu(tr("&View"));
    const std::array<QString, 6> texts{tr("&Fleet"), tr("&Launch"), tr("&Doctor"),
                                       tr("L&ive"),  tr("&Runs"),   tr("Lo&gs")};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        view->addAction(texts[i], QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_1 + int(i))), this,
                        [this, i] { show_page(Page(i)); });
    }
    view->addSeparator();
    QMenu* theme = view->addMenu(tr("&Theme"));
    themes_ = new QActionGroup(this);
    const std::array<std::pair<QString, ThemeChoice>, 3> choices{{{tr("As the &system"), ThemeChoice::System},
                                                                  {tr("&Light"), ThemeChoice::Light},
                                                                  {tr("&Dark"), ThemeChoice::Dark}}};
    for (const auto& [text, choice] : choices) {
        QAction* action = theme->addAction(text, this, [this, choice = choice] { set_theme(choice); });
        action->setCheckable(true);
        action->setChecked(choice == options_.theme);
        themes_->addAction(action);
    }
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&About Rankscope"), this, [this] {
        QMessageBox::about(
            this, tr("About Rankscope"),
            tr("<h3>Rankscope %1</h3><p>Launch, watch and diagnose distributed training.</p>"
               "<p>Free software under the GNU General Public License, version 3 or later.</p>")
                .arg(QApplication::applicationVersion()));
    });
}

void MainWindow::connect_pages() {
    connect(launch_, &LaunchPage::startRequested, this, &MainWindow::start_run);
    connect(launch_, &LaunchPage::doctorRequested, this, [this] {
        doctor_->show_first_fault();
        show_page(Page::Doctor);
    });
    connect(doctor_, &DoctorPage::launchRequested, this, [this] { show_page(Page::Launch); });
    connect(live_, &LivePage::portRequested, fleet_, &FleetPage::show_port);
    connect(live_, &LivePage::doctorRequested, this, [this](const PreflightReport& report) {
        doctor_->show_run_report(qs(live_->shown()->state().name), report);
        show_page(Page::Doctor);
    });
    connect(live_, &LivePage::jobRequested, this, [this](const std::map<std::string, std::string>& keys) {
        run_again(qs(live_->shown()->state().name), live_->shown()->data().job_yaml,
                  live_->shown()->state().run_id);
        (void)launch_->set_job_keys(keys);  // what is wrong with a value is shown at its field
    });
    connect(live_, &LivePage::launchRequested, this, [this] { show_page(Page::Launch); });
    connect(live_, &LivePage::againRequested, this, &MainWindow::run_again);
    connect(live_, &LivePage::bundleRequested, this, &MainWindow::save_bundle);
    connect(runs_, &RunsPage::bundleRequested, this, &MainWindow::save_bundle);
    connect(logs_, &LogsPage::bundlesRequested, this, &MainWindow::open_bundles);
    connect(logs_, &LogsPage::jobRequested, this, [this](const std::map<std::string, std::string>& keys) {
        show_page(Page::Launch);
        (void)launch_->set_job_keys(keys);  // what is wrong with a value is shown at its field
    });
    connect(runs_, &RunsPage::againRequested, this, &MainWindow::run_again);
    connect(runs_, &RunsPage::launchRequested, this, [this] { show_page(Page::Launch); });
    connect(runs_, &RunsPage::showSession, this, [this] {
        live_->show_session();
        show_page(Page::Live);
    });
    connect(runs_, &RunsPage::opened, this, [this](const std::shared_ptr<LiveData>& run) {
        live_->show_stored(std::move(*run));
        show_page(Page::Live);
    });
    connect(runs_, &RunsPage::deleted, this, [this](const QString& run_id) { live_->forget(ss(run_id)); });
    RunSession* session = workspace_->session();
    connect(session, &RunSession::attached, this, [this] { show_page(Page::Live); });
    connect(session, &RunSession::stateChanged, this, &MainWindow::update_title);
    connect(session, &RunSession::ended, this, [this] {
        if (close_when_over_) {
            may_close_ = true;
            close();
        }
    });
}

void MainWindow::open_bundles(const QStringList& files) {
    show_page(Page::Runs);
    runs_->open_bundles(files);
}

void MainWindow::save_bundle(const QString& run_id, const QString& name) {
    if (!workspace_->store()) {
        return;
    }
    auto* dialog = new SaveBundleDialog(workspace_->store(), ss(run_id), name, workspace_->pool(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!bundles_of(*event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    open_bundles(bundles_of(*event->mimeData()));
    event->acceptProposedAction();
}

void MainWindow::run_again(const QString& name, const std::string& job_yaml, const std::string& run_id) {
    launch_->set_job_again(name, job_yaml, run_id);
    show_page(Page::Launch);
}

void MainWindow::start_run(const RunRequest& request) {
    workspace_->session()->start(request, workspace_->store(), workspace_->prompter());
    show_page(Page::Live);
}

void MainWindow::update_title() {
    const LiveModel* run = workspace_->session()->model();
    const QString name = qs(run->state().name);
    if (run->empty()) {
        setWindowTitle(tr("Rankscope"));
    } else if (workspace_->session()->live()) {
        setWindowTitle(tr("%1 — Rankscope").arg(name));
    } else {
        setWindowTitle(tr("%1: %2 — Rankscope").arg(name, outcome_text(run->state().outcome)));
    }
}

MainWindow::Page MainWindow::page() const {
    return Page(pages_->currentIndex());
}

void MainWindow::show_page(Page page) {
    pages_->setCurrentIndex(int(page));
    nav_[std::size_t(page)]->setChecked(true);
    pages_->currentWidget()->setFocus();  // the page passes it to its main widget
}

void MainWindow::open_first_job() {
    if (!options_.job_file.empty()) {
        launch_->open_job(options_.job_file);
    } else if (options_.quick_start) {
        const Recipe recipe = quick_start_recipe(QApplication::applicationDirPath());
        launch_->set_job_text(recipe.yaml, recipe.file.empty() ? "mnist-quickstart.yaml" : recipe.file);
    } else {
        launch_->restore_draft();
    }
}

void MainWindow::set_theme(ThemeChoice choice) {
    options_.theme = choice;
    apply_theme(*static_cast<QApplication*>(QApplication::instance()), choice, system_is_dark_);
    QSettings().setValue(u"theme"_s, int(choice));
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        icon_nav_bar();
    }
}

void MainWindow::restore_geometry() {
    const QSettings settings;
    if (!restoreGeometry(settings.value(u"geometry"_s).toByteArray()) && screen()) {
        const QRect room = screen()->availableGeometry();
        const QSize size = first_window_size(room.size());
        resize(size);
        move(room.topLeft() + QPoint((room.width() - size.width() - kLikelyFrame.width()) / 2,
                                     (room.height() - size.height() - kLikelyFrame.height()) / 2));
    }
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    // The real frame is known now; a window of an earlier session may come from a larger screen.
    QTimer::singleShot(0, this, &MainWindow::fit_screen);
}

void MainWindow::fit_screen() {
    if (!screen() || isMaximized() || isFullScreen()) {
        return;
    }
    const QRect room = screen()->availableGeometry();
    const QSize frame = frameGeometry().size() - size();
    resize(size().boundedTo(room.size() - frame));
    const QRect outer = frameGeometry();
    const QPoint inside(
        std::clamp(outer.left(), room.left(), std::max(room.left(), room.right() + 1 - outer.width())),
        std::clamp(outer.top(), room.top(), std::max(room.top(), room.bottom() + 1 - outer.height())));
    if (inside != outer.topLeft()) {
        move(inside);
    }
}

void MainWindow::closeEvent(QCloseEvent* event) {
    RunSession* session = workspace_->session();
    if (session->live() && !may_close_) {
        event->ignore();
        ask_before_closing();
        return;
    }
    QSettings().setValue(u"geometry"_s, saveGeometry());
    // From here on a connection that asks gets "no", and no thread waits.
    workspace_->shut_down();
    session->detach();
    event->accept();
}

void MainWindow::ask_before_closing() {
    if (findChild<QMessageBox*>(u"closeDialog"_s)) {
        return;
    }
    const bool on_nodes = workspace_->session()->runs_on_nodes();
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("Run in progress"),
                        tr("A run is in progress. What should happen to it?"), QMessageBox::NoButton, this);
    box->setObjectName(u"closeDialog"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        on_nodes ? tr("Its ranks run on their nodes and continue without this window. Attach to it later "
                      "from Runs.")
                 : tr("Its ranks are not started yet: if you leave now, the start is cancelled."));
    QPushButton* leave =
        box->addButton(on_nodes ? tr("&Leave it running") : tr("&Abort"), QMessageBox::AcceptRole);
    leave->setObjectName(u"closeLeave"_s);
    QPushButton* stop = box->addButton(tr("&Stop it"), QMessageBox::DestructiveRole);
    stop->setObjectName(u"closeStop"_s);
    QPushButton* cancel = box->addButton(QMessageBox::Cancel);
    box->setDefaultButton(on_nodes ? leave : cancel);
    connect(box, &QMessageBox::finished, this, [this, box, leave, stop] {
        if (box->clickedButton() == leave) {
            may_close_ = true;
            close();
        } else if (box->clickedButton() == stop) {
            close_when_over_ = true;
            workspace_->session()->stop(false);
            show_page(Page::Live);
        }
    });
    box->open();
}

}  // namespace rankscope::gui
