// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/command_palette.h>
#include <gui/app/attach_bar.h>
#include <gui/app/away_bar.h>
#include <gui/app/doctor_runs.h>
#include <gui/app/leave_runs.h>
#include <gui/app/main_window.h>
#include <gui/app/nav_bar.h>
#include <gui/app/run_tabs.h>
#include <gui/app/run_window.h>
#include <gui/app/window_actions.h>
#include <gui/app/window_news.h>
#include <gui/bundle/bundle_file.h>
#include <gui/bundle/save_bundle_dialog.h>
#include <gui/doctor/doctor_page.h>
#include <gui/fleet/fleet_page.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/logs/logs_page.h>
#include <gui/notify/notifier.h>
#include <gui/preferences/retention_dialog.h>
#include <gui/preferences/settings_dialog.h>
#include <gui/runs/export_bar.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/scaling_start.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/fitting_scroll.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/shared/yaml_write.h>

#include <nlohmann/json.hpp>

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr double kMostNews = 0.25;  ///< of the window's height
const QString kSaidKey = QStringLiteral("notifications/said");

/// Not for the next run, window or start again: a desktop without a notification service stays one.
bool is_first_time(const Failure& failure) {
    QSettings file;
    QStringList said = file.value(kSaidKey).toStringList();
    if (said.contains(qs(failure.what))) {
        return false;
    }
    said += qs(failure.what);
    file.setValue(kSaidKey, said);
    return true;
}

}  // namespace

MainWindow::MainWindow(const Options& options, bool system_is_dark)
    : options_(options),
      system_is_dark_(system_is_dark),
      pages_(new QStackedWidget(this)),
      nav_(new NavBar(this)),
      workspace_(std::make_unique<Workspace>(options, this)) {
    setObjectName(u"mainWindow"_s);
    setAcceptDrops(true);
    setWindowIcon(app_icon());
    theme_ = options_.theme.value_or(workspace_->settings()->now().look.theme);
    make_pages();
    actions_ = std::make_unique<WindowActions>(this);
    connect_pages();
    connect_session();
    connect_news();
    for (const auto& session : workspace_->runs()->all()) {
        connect_notifier(session.get());
    }
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
    qDeleteAll(findChildren<QDialog*>(Qt::FindDirectChildrenOnly));
    delete takeCentralWidget();
}

void MainWindow::make_pages() {
    auto* central = new QWidget(this);
    auto* layout = new QHBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(nav_);
    fleet_ = new FleetPage(workspace_->fleet(), pages_);
    launch_ = new LaunchPage(workspace_.get(), pages_);
    doctor_ = new DoctorPage(workspace_.get(), pages_);
    live_ = new LivePage(workspace_.get(), pages_);
    runs_ = new RunsPage(workspace_.get(), pages_);
    logs_ = new LogsPage(workspace_.get(), pages_);
    for (QWidget* page :
         {static_cast<QWidget*>(fleet_), static_cast<QWidget*>(launch_), static_cast<QWidget*>(doctor_),
          static_cast<QWidget*>(live_), static_cast<QWidget*>(runs_), static_cast<QWidget*>(logs_)}) {
        pages_->addWidget(new FittingScroll(FittingScroll::Kind::Page, page, pages_));
    }
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    news_ = new WindowNews(workspace_.get(), central);
    export_ = new ExportBar(workspace_->pool(), central);
    news_->layout()->addWidget(export_);
    auto* slot = new FittingScroll(FittingScroll::Kind::Slot, news_, central);
    slot->set_most(central, kMostNews);
    right->addWidget(slot);
    tabs_ = new RunTabs(workspace_.get(), live_, central);
    right->addWidget(tabs_);
    right->addWidget(pages_, 1);
    layout->addLayout(right, 1);
    setCentralWidget(central);
}

void MainWindow::connect_pages() {
    connect(launch_, &LaunchPage::startRequested, this, &MainWindow::start_run);
    connect(launch_, &LaunchPage::doctorRequested, this, [this] {
        doctor_->show_job();
        doctor_->show_first_fault();
        show_page(Page::Doctor);
    });
    connect(fleet_, &FleetPage::runRequested, this, [this](const QString& run_id) {
        show_page(Page::Runs);
        runs_->open_run(run_id);
    });
    connect(doctor_, &DoctorPage::launchRequested, this, [this] { show_page(Page::Launch); });
    connect(live_, &LivePage::portRequested, fleet_, &FleetPage::show_port);
    connect_doctor(this);
    connect(live_, &LivePage::jobRequested, this, [this](const std::map<std::string, std::string>& keys) {
        run_again(qs(live_->shown()->state().name), live_->shown()->data().job_yaml,
                  live_->shown()->state().run_id);
        (void)launch_->set_job_keys(keys);  // what is wrong with a value is shown at its field
    });
    connect(live_, &LivePage::launchRequested, this, [this] { show_page(Page::Launch); });
    connect(live_, &LivePage::againRequested, this, &MainWindow::run_again);
    connect(live_, &LivePage::bundleRequested, this, &MainWindow::save_bundle);
    connect(runs_, &RunsPage::bundleRequested, this, &MainWindow::save_bundle);
    connect(runs_, &RunsPage::exportRequested, this, &MainWindow::export_run);
    connect(runs_, &RunsPage::windowRequested, this,
            [this](const RunRecord& run) { open_run_window(*this, run); });
    connect(logs_, &LogsPage::bundlesRequested, this, &MainWindow::open_bundles);
    connect(logs_, &LogsPage::jobRequested, this, [this](const std::map<std::string, std::string>& keys) {
        show_page(Page::Launch);
        (void)launch_->set_job_keys(keys);  // what is wrong with a value is shown at its field
    });
    connect(runs_, &RunsPage::againRequested, this, &MainWindow::run_again);
    connect(runs_, &RunsPage::launchRequested, this, [this] { show_page(Page::Launch); });
    connect(runs_, &RunsPage::showSession, this, [this] {
        if (!live_->showing_session()) {
            live_->show_session();
        }
        show_page(Page::Live);
    });
    runs_->set_reads_lines([this] { return live_->shows_nccl(); });
    connect(runs_, &RunsPage::opened, this, [this](const std::shared_ptr<LiveData>& run) {
        tabs_->show_stored(std::move(*run));
        show_page(Page::Live);
    });
    connect(runs_, &RunsPage::deleted, this, [this](const QString& run_id) { tabs_->forget(ss(run_id)); });
    connect(tabs_, &RunTabs::shownChanged, this, &MainWindow::update_title);
    connect(tabs_, &RunTabs::left, news_->attach_bar(), &AttachBar::dismiss);
    connect(tabs_, &RunTabs::windowRequested, this,
            [this](const RunRecord& run) { open_run_window(*this, run); });
}

void MainWindow::connect_session() {
    RunSessions* runs = workspace_->runs();
    connect(runs, &RunSessions::added, this, &MainWindow::connect_notifier);
    connect(runs, &RunSessions::attached, this, [this, runs](RunSession* session) {
        runs->bring_to_front(session);
        show_page(Page::Live);
    });
    connect(runs, &RunSessions::changed, this, &MainWindow::update_title);
    connect(runs, &RunSessions::changed, this, &MainWindow::mark_live);
    connect(runs, &RunSessions::ended, this, [this, runs](RunSession* session) {
        note_end(session);
        if (close_when_over_ && runs->live().empty()) {
            may_close_ = true;
            close();
        }
    });
}

void MainWindow::connect_news() {
    connect(nav_, &NavBar::chosen, this, [this](int page) { show_page(Page(page)); });
    connect(pages_, &QStackedWidget::currentChanged, news_, &WindowNews::forget_message);
    connect(news_->attach_bar(), &AttachBar::attachRequested, this, &MainWindow::open_run);
    connect(news_->attach_bar(), &AttachBar::listRequested, this, [this] { show_page(Page::Runs); });
    connect(news_->away_bar(), &AwayBar::showRequested, this, &MainWindow::open_run);
    connect(news_->away_bar(), &AwayBar::listRequested, this, [this] { show_page(Page::Runs); });
    connect(news_->attach_bar(), &AttachBar::refreshed, this,
            [this] { fleet_->set_has_runs(!known_runs().empty()); });
    connect(fleet_, &FleetPage::quickStartRequested, this, &MainWindow::run_quick_start);
    connect(fleet_, &FleetPage::trainingRequested, this, &MainWindow::open_first_training);
    connect(launch_, &LaunchPage::startRefused, this, [this] { show_page(Page::Launch); });
    connect(news_, &WindowNews::settingsRequested, this, [this] { show_settings(SettingsPart::Appearance); });
    connect(news_, &WindowNews::retentionRequested, this, &MainWindow::review_store);
    connect(actions_->registry(), &ActionRegistry::refused, this,
            [this](const QString& name, const QString& reason) {
                news_->say(tr("%1 cannot be done now.").arg(name), reason);
            });
    SettingsFile* settings = workspace_->settings();
    actions_->registry()->set_keys(settings->now().shortcuts);
    fleet_->set_refresh_s(settings->now().fleet_refresh_s);
    connect(settings, &SettingsFile::changed, this, [this, settings](const Settings& before) {
        if (settings->now().look != before.look) {
            theme_ = settings->now().look.theme;
            update_look();
        }
        fleet_->set_refresh_s(settings->now().fleet_refresh_s);
        actions_->registry()->set_keys(settings->now().shortcuts);
    });
}

// Each run is watched by itself, also while the tab of another is chosen.
void MainWindow::connect_notifier(RunSession* session) {
    auto* notifier = new Notifier(this);
    notifier_ = notifier_ != nullptr ? notifier_ : notifier;
    SettingsFile* settings = workspace_->settings();
    notifier->set_settings(settings->now().notifications);
    connect(settings, &SettingsFile::changed, notifier,
            [notifier, settings] { notifier->set_settings(settings->now().notifications); });
    const auto begin = [notifier, session] {
        const RunState& run = session->model()->state();
        notifier->begin(run.run_id, run.name);
    };
    connect(session, &RunSession::started, notifier, begin);
    connect(session, &RunSession::attached, notifier, begin);
    connect(session, &RunSession::arrived, notifier, &Notifier::apply);
    connect(notifier, &Notifier::reported, this, [this] { QApplication::alert(this); });
    connect(notifier, &Notifier::failed, this, [this](const Failure& failure) {
        if (is_first_time(failure)) {
            news_->say(tr("A notification could not be sent."),
                       QString(qs(failure.what) % u' ' % qs(failure.remedy)));
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

// A run that is over and on view makes room; one in progress, or one from the store, keeps its tab.
void MainWindow::start_run(const RunRequest& request) {
    RunSessions* runs = workspace_->runs();
    RunSession* front = runs->front();
    const bool over = live_->showing_session() && !front->live() && !front->attaching();
    RunSession* session = over ? front : runs->free_session();
    session->start(request, workspace_->store(), workspace_->prompter());
    runs->bring_to_front(session);
    show_page(Page::Live);
}

// Of the run on view; before Live has shown one, of the one that it would show.
void MainWindow::update_title() {
    const bool any = live_->shown() != nullptr && !live_->shown()->empty();
    const LiveModel* run = any ? live_->shown() : workspace_->session()->model();
    const auto live = workspace_->runs()->live();
    const bool is_live =
        std::any_of(live.begin(), live.end(), [run](const RunSession* each) { return each->model() == run; });
    const QString name = qs(run->state().name);
    const QString text = run->empty() ? QString()
                         : is_live    ? name
                                      : tr("%1: %2").arg(name, outcome_text(run->state().outcome));
    const int others = int(live.size()) - int(is_live);
    if (text.isEmpty()) {
        setWindowTitle(tr("Rankscope"));
    } else if (others == 0) {
        setWindowTitle(tr("%1 — Rankscope").arg(text));
    } else {
        setWindowTitle(tr("%1 and %n more in progress — Rankscope", nullptr, others).arg(text));
    }
}

void MainWindow::note_end(RunSession* session) {
    if (page() != Page::Live) {
        unseen_.insert(session);
    }
    mark_live();
}

// How runs ended is on view in Live; elsewhere its button says so.
void MainWindow::mark_live() {
    std::erase_if(unseen_, [](const RunSession* session) {
        return session->live() || session->model()->empty() || !session->model()->state().end;
    });
    bool well = true;
    QStringList ends;
    for (const RunSession* session : unseen_) {
        const RunState& run = session->model()->state();
        well = well && (run.outcome == Outcome::Done || run.outcome == Outcome::Stopped);
        ends += tr("%1: %2").arg(qs(run.name), outcome_text(run.outcome));
    }
    nav_->set_mark(int(Page::Live),
                   ends.isEmpty() ? PageButton::Mark::None
                   : well         ? PageButton::Mark::Done
                                  : PageButton::Mark::Failed,
                   ends.join(u'\n'));
}

MainWindow::Page MainWindow::page() const {
    return Page(pages_->currentIndex());
}

QWidget* MainWindow::page_widget(Page page) const {
    return static_cast<FittingScroll*>(pages_->widget(int(page)))->content();
}

void MainWindow::show_page(Page page) {
    pages_->setCurrentIndex(int(page));
    nav_->set_current(int(page));
    page_widget(page)->setFocus();  // the page passes it to its main widget
    tabs_->setVisible(page == Page::Live);
    if (page == Page::Live) {
        unseen_.clear();
        mark_live();
    }
}

void MainWindow::choose_bundle() {
    show_page(Page::Runs);
    runs_->choose_bundle();
}

void MainWindow::choose_folder() {
    show_page(Page::Runs);
    runs_->choose_folder();
}

std::optional<RunRecord> MainWindow::run_at_hand() const {
    if (!workspace_->store()) {
        return {};
    }
    if (page() == Page::Runs) {
        const RunRecord* selected = runs_->selected();
        return selected ? std::optional(*selected) : std::nullopt;
    }
    return live_->shown_record();
}

void MainWindow::save_shown_bundle() {
    if (const auto run = run_at_hand()) {
        save_bundle(qs(run->run_id), qs(run->name));
    }
}

void MainWindow::export_shown(ExportFormat format) {
    if (const auto run = run_at_hand()) {
        export_run(*run, format);
    }
}

void MainWindow::export_run(const RunRecord& run, ExportFormat format) {
    if (workspace_->store()) {
        export_->choose(workspace_->store(), run, format);
    }
}

bool MainWindow::can_attach() const {
    return !news_->attach_bar()->continuing().empty() && !workspace_->runs()->attaching();
}

void MainWindow::attach_found() {
    if (can_attach()) {
        open_run(news_->attach_bar()->continuing().front());
    }
}

const std::vector<RunRecord>& MainWindow::known_runs() const {
    return news_->attach_bar()->known_runs();
}

// Runs shows how far it is, and what goes wrong.
void MainWindow::open_run(const RunRecord& run) {
    show_page(Page::Runs);
    runs_->select(run.run_id);
    runs_->open_record(run);
}

void MainWindow::open_job(const std::filesystem::path& file) {
    launch_->open_job(file);
    show_page(Page::Launch);
}

void MainWindow::open_quick_start() {
    load_quick_start();
    show_page(Page::Launch);
}

void MainWindow::load_quick_start() {
    const Recipe recipe = quick_start_recipe(QApplication::applicationDirPath());
    launch_->set_job_text(recipe.yaml, recipe.file.empty() ? "mnist-quickstart.yaml" : recipe.file);
}

void MainWindow::open_first_training(const std::vector<std::string>& nodes) {
    launch_->open_recipe(u"two-boxes"_s,
                         brought_recipe(u"two-boxes"_s, QApplication::applicationDirPath()).yaml);
    static_cast<void>(launch_->set_job_keys({{"nodes", yaml_flow(nlohmann::ordered_json(nodes))}}));
    show_page(Page::Launch);
}

// One click, and the start is on view.
void MainWindow::run_quick_start() {
    load_quick_start();
    launch_->start_when_ready();
}

void MainWindow::show_settings(SettingsPart part) {
    auto* dialog = findChild<SettingsDialog*>(QString(), Qt::FindDirectChildrenOnly);
    if (dialog == nullptr) {
        dialog = new SettingsDialog(workspace_.get(), actions_->registry(), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &SettingsDialog::notificationTestRequested, this, [this] {
            QSettings().remove(kSaidKey);  // the user wants to know
            notifier_->report({AlertKind::Ended, ss(tr("A notification of Rankscope")),
                               ss(tr("This is what it looks like.")), -1, -1});
        });
    }
    dialog->show_part(part);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void MainWindow::show_palette() {
    auto* palette = new CommandPalette(actions_->commands(), this);
    actions_->add_recipes(palette);
    palette->open();
}

void MainWindow::review_store() {
    auto* dialog = new RetentionDialog(workspace_->store(), workspace_->options().store_path(),
                                       workspace_->settings()->now().retention(), workspace_->pool(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

bool MainWindow::can_start_scaling() const {
    return workspace_->store() && launch_->state().is_ready();
}

void MainWindow::open_scaling_run() {
    if (can_start_scaling()) {
        open_scaling(workspace_.get(), launch_->job(), this);
    }
}

void MainWindow::open_first_job() {
    if (!options_.job_file.empty()) {
        launch_->open_job(options_.job_file);
    } else if (options_.quick_start) {
        open_quick_start();
    } else {
        launch_->restore_draft();
    }
}

void MainWindow::set_theme(LookTheme theme) {
    Settings settings = workspace_->settings()->now();
    if (settings.look.theme == theme && theme_ != theme) {  // --theme hid the user's own
        theme_ = theme;
        update_look();
    }
    settings.look.theme = theme;
    workspace_->settings()->set(settings);
}

void MainWindow::update_look() {
    Look look = workspace_->settings()->now().look;
    look.theme = theme_;
    apply_look(*static_cast<QApplication*>(QApplication::instance()), look, system_is_dark_);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const std::vector<RunSession*> runs = workspace_->runs()->live();
    if (!runs.empty() && !may_close_) {
        event->ignore();
        ask_before_closing(runs);
        return;
    }
    save_state();
    // From here on a connection that asks gets "no", and no thread waits.
    workspace_->shut_down();
    workspace_->runs()->detach();
    event->accept();
}

void MainWindow::ask_before_closing(const std::vector<RunSession*>& runs) {
    ask_before_leaving(this, u"closeDialog"_s, runs, [this](Leaving choice) {
        if (choice == Leaving::Leave || workspace_->runs()->live().empty()) {
            may_close_ = true;
            close();
            return;
        }
        close_when_over_ = true;
        for (RunSession* session : workspace_->runs()->live()) {
            session->stop(false);
        }
        show_page(Page::Live);
    });
}

}  // namespace rankscope::gui
