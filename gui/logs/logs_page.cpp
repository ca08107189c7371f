// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <gui/actions/page_command.h>
#include <gui/bundle/bundle_file.h>
#include <gui/live/failure_banner.h>
#include <gui/logs/fact_rows.h>
#include <gui/logs/file_log.h>
#include <gui/logs/logs_page.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/plain_text.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/layout_helpers.h>

#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cstring>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kLeastVerdicts = 60;
constexpr int kMostVerdicts = 65;  ///< of kWhole of the height
constexpr int kAnswerShare = 40;   ///< of kWhole of the width
constexpr int kWhole = 100;
constexpr double kHint = 0.2;  ///< below it, a verdict is only named
constexpr int kTicks = 1000;   ///< of the progress bar

QTreeWidget* make_list(const char* object_name, const QString& name, const QStringList& columns) {
    auto* list = new QTreeWidget;
    list->setObjectName(QString::fromLatin1(object_name));
    list->setAccessibleName(name);
    list->setHeaderLabels(columns);
    list->setRootIsDecorated(false);
    list->setUniformRowHeights(true);
    list->setTextElideMode(Qt::ElideMiddle);
    list->setFrameShape(QFrame::NoFrame);
    return list;
}

/// With its last slash; empty: none. Files are named from there on.
std::string common_folder(const std::vector<std::string>& paths) {
    std::string folder = paths.empty() ? std::string() : paths.front();
    for (const std::string& path : paths) {
        const auto differ = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
        folder.erase(differ.first, folder.end());
    }
    const std::size_t slash = folder.rfind('/');
    return slash == std::string::npos || slash == 0 ? std::string() : folder.substr(0, slash + 1);
}

// Qt's is empty where TMPDIR names a folder that is not there: that would be the root of the disk.
QString temporary_place() {
    const QString place = QDir::tempPath();
    return place.isEmpty() ? QDir::cleanPath(qEnvironmentVariable("TMPDIR")) : place;
}

}  // namespace

LogsPage::LogsPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      data_(workspace->pool()),
      paste_job_(this, workspace->pool()),
      stack_(new QStackedWidget(this)) {
    setObjectName(u"logsPage"_s);
    setAcceptDrops(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(8);
    layout->addWidget(make_bar());
    stack_->addWidget(make_empty());
    stack_->addWidget(make_content());
    layout->addWidget(stack_, 1);
    connect(&data_, &NcclData::changed, this, &LogsPage::refresh);
    connect(&data_, &NcclData::progress, this, [this](qint64 done, qint64 total) {
        progress_->setRange(0, total > 0 ? kTicks : 0);
        progress_->setValue(total > 0 ? int(kTicks * done / total) : 0);
        lines_->update(data_.reading());
    });
    on_command(
        this, PageCommand::Find, [this] { lines_->focus_search(); },
        [this] { return stack_->currentIndex() == 1; });
    refresh();
}

LogsPage::~LogsPage() = default;

QWidget* LogsPage::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* files = make_button(tr("&Open files…"), "logsFiles", bar, "primary");
    files->setToolTip(tr("Logs of one or all ranks, or archives of them (.tar.gz, .zip)"));
    auto* folder = make_button(tr("Open fol&der…"), "logsFolder", bar);
    folder->setToolTip(tr("Every log below a folder: of torchrun --log-dir, NCCL_DEBUG_FILE, Slurm"));
    auto* text = make_button(tr("&Paste"), "logsPaste", bar);
    text->setToolTip(tr("The text of the clipboard"));
    what_ = make_label({}, bar, "muted");
    what_->setObjectName(u"logsWhat"_s);
    what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    progress_ = new QProgressBar(bar);
    progress_->setObjectName(u"logsProgress"_s);
    progress_->setAccessibleName(tr("Progress of the reading"));
    progress_->setFixedWidth(200);
    cancel_ = make_button(tr("&Cancel"), "logsCancel", bar);
    for (QWidget* part : std::initializer_list<QWidget*>{files, folder, text}) {
        layout->addWidget(part);
    }
    layout->addWidget(what_, 1);
    layout->addWidget(progress_);
    layout->addWidget(cancel_);
    connect(files, &QPushButton::clicked, this, &LogsPage::choose_files);
    connect(folder, &QPushButton::clicked, this, &LogsPage::choose_folder);
    connect(text, &QPushButton::clicked, this, &LogsPage::paste);
    connect(cancel_, &QPushButton::clicked, this, [this] { data_.cancel(); });
    return bar;
}

QWidget* LogsPage::make_empty() {
    auto* empty = new EmptyState(
        tr("Logs from anywhere"),
        tr("Open the output of a failed run, whoever started it: files, a folder, an archive, or drop them "
           "here. The more ranks, the better. Rankscope names the cause, shows the lines that prove it, and "
           "draws what NCCL did."),
        {}, this);
    empty->setObjectName(u"logsEmpty"_s);
    return empty;
}

QWidget* LogsPage::make_content() {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(u"logsVerdicts"_s);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumHeight(kLeastVerdicts);
    verdicts_ = scroll;
    auto* inside = new QWidget(scroll);
    cards_ = new QVBoxLayout(inside);
    cards_->setContentsMargins(0, 0, 4, 0);
    cards_->setSpacing(6);
    scroll->setWidget(inside);
    inside->installEventFilter(this);
    lines_ = new FileLog(workspace_->pool(), this);
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(u"logsTabs"_s);
    tabs_->setDocumentMode(true);
    nccl_ = new NcclPane(&data_, this);
    timeline_ = make_list("logsTimeline", tr("Timeline"), {tr("Time"), tr("What"), tr("Who"), tr("Line")});
    facts_ = make_list("logsFacts", tr("Facts"), {tr("Fact"), tr("Value")});
    auto* room = new QScrollArea(this);  // it may be narrower than all of NCCL's controls
    room->setWidgetResizable(true);
    room->setFrameShape(QFrame::NoFrame);
    room->setFocusPolicy(Qt::NoFocus);
    room->setWidget(nccl_);
    tabs_->addTab(room, tr("NCCL"));
    tabs_->addTab(timeline_, tr("Timeline"));
    tabs_->addTab(facts_, tr("Facts"));
    // What the logs say on the left, the lines themselves over the whole height.
    answer_ = new QSplitter(Qt::Vertical, this);
    answer_->setObjectName(u"logsAnswer"_s);
    answer_->addWidget(scroll);
    answer_->addWidget(tabs_);
    answer_->setStretchFactor(0, 0);
    answer_->setStretchFactor(1, 1);
    answer_->setHandleWidth(8);
    auto* columns = new QSplitter(Qt::Horizontal, this);
    columns->setObjectName(u"logsColumns"_s);
    columns->addWidget(answer_);
    columns->addWidget(lines_);
    columns->setStretchFactor(0, kAnswerShare);
    columns->setStretchFactor(1, kWhole - kAnswerShare);
    columns->setSizes({kAnswerShare * kWhole, (kWhole - kAnswerShare) * kWhole});
    columns->setHandleWidth(10);
    for (QSplitter* splitter : {answer_, columns}) {
        splitter->setChildrenCollapsible(false);
    }
    connect(answer_, &QSplitter::splitterMoved, this, [this] { is_sized_ = true; });
    connect(columns, &QSplitter::splitterMoved, this, &LogsPage::fit_verdicts);
    connect(nccl_, &NcclPane::lineRequested, this, &LogsPage::show_place);
    connect(nccl_, &NcclPane::jobRequested, this, &LogsPage::jobRequested);
    const auto open_place = [this](const QTreeWidgetItem* item) {
        const QVariantList place = item->data(0, Qt::UserRole).toList();
        if (place.size() == 2) {
            show_place(place.at(0).toUInt(), place.at(1).toULongLong());
        }
    };
    for (QTreeWidget* list : {timeline_, facts_}) {
        connect(list, &QTreeWidget::itemClicked, this, open_place);
        connect(list, &QTreeWidget::itemActivated, this, open_place);
    }
    return columns;
}

// The cards are whole, with what fixes it, as far as what NCCL did keeps a part of the height; the user's own sizes stay.
void LogsPage::fit_verdicts() {
    if (is_sized_ || answer_->height() < 2 * kLeastVerdicts) {
        return;
    }
    const int width = verdicts_->viewport()->width();
    const int wanted = cards_->totalHeightForWidth(width) + 2 * verdicts_->frameWidth();
    const int most = answer_->height() * kMostVerdicts / kWhole;
    const int height = std::clamp(wanted, kLeastVerdicts, std::max(most, kLeastVerdicts));
    answer_->setSizes({height, answer_->height() - answer_->handleWidth() - height});
}

void LogsPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    // Once the parts have their widths.
    QMetaObject::invokeMethod(this, &LogsPage::fit_verdicts, Qt::QueuedConnection);
}

bool LogsPage::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {  // the lines of a card are wrapped, fixes come
        QMetaObject::invokeMethod(this, &LogsPage::fit_verdicts, Qt::QueuedConnection);
    }
    return QWidget::eventFilter(object, event);
}

void LogsPage::choose_files() {
    auto* dialog = new QFileDialog(this, tr("Open logs"));
    dialog->setObjectName(u"logsFileDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
        std::vector<std::string> paths;
        std::transform(files.begin(), files.end(), std::back_inserter(paths), ss);
        open(paths);
    });
    dialog->open();
}

void LogsPage::choose_folder() {
    auto* dialog = new QFileDialog(this, tr("Open a folder of logs"));
    dialog->setObjectName(u"logsFolderDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) { open({ss(folder)}); });
    dialog->open();
}

void LogsPage::paste() {
    const QString text = QGuiApplication::clipboard()->text();
    if (!text.trimmed().isEmpty()) {
        open_text(text);
    }
}

void LogsPage::open(const std::vector<std::string>& paths) {
    QStringList bundles;
    for (const std::string& path : paths) {
        if (is_bundle_name(qs(path))) {
            bundles += qs(path);
        }
    }
    if (!bundles.isEmpty()) {
        emit bundlesRequested(bundles);
        return;
    }
    start(paths, common_folder(paths));
    paste_job_.cancel();
    pasted_.reset();
}

void LogsPage::open_text(const QString& text) {
    // A file like others: lines are looked up in it again.
    struct Written {
        std::shared_ptr<QTemporaryDir> folder;
        std::string name;
        QString problem;  ///< empty: it is written
    };
    paste_job_.start(
        [content = ss(text), title = ss(tr("pasted text"))](const JobHandle&) {
            Written written{
                std::make_shared<QTemporaryDir>(temporary_place() % u"/rankscope-XXXXXX"_s), {}, {}};
            if (!written.folder->isValid()) {
                written.problem = written.folder->errorString();
                return written;
            }
            written.name = ss(written.folder->path()) + '/' + title;
            if (const int error = write_file_atomically(written.name, content); error != 0) {
                written.problem = QString::fromLocal8Bit(std::strerror(error));
            }
            return written;
        },
        [this](Written written) {
            if (!written.problem.isEmpty()) {
                tell_not_pasted(written.problem);
                return;
            }
            start({written.name}, ss(written.folder->path()) + "/");
            pasted_ = std::move(written.folder);
        });
}

void LogsPage::tell_not_pasted(const QString& problem) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, tr("Paste"),
        plain_text(
            tr("The pasted text cannot be written to %1, so it cannot be read: %2. Free some space there, "
               "or set TMPDIR to another folder.")
                .arg(temporary_place(), problem)),
        QMessageBox::Ok, this);
    box->setObjectName(u"logsNotPasted"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void LogsPage::start(const std::vector<std::string>& paths, const std::string& strip) {
    progress_->setRange(0, 0);
    data_.show_files(paths, strip, lines_->start(strip));
}

void LogsPage::dragEnterEvent(QDragEnterEvent* event) {
    const QMimeData* brought = event->mimeData();
    const auto urls = brought->urls();
    if (brought->hasText() ||
        std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); })) {
        event->acceptProposedAction();
    }
}

void LogsPage::dropEvent(QDropEvent* event) {
    std::vector<std::string> paths;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            paths.push_back(ss(url.toLocalFile()));
        }
    }
    if (!paths.empty()) {
        open(paths);
    } else if (event->mimeData()->hasText()) {
        open_text(event->mimeData()->text());
    }
    event->acceptProposedAction();
}

void LogsPage::refresh() {
    const bool reading = data_.reading();
    lines_->update(reading);
    progress_->setVisible(reading);
    cancel_->setVisible(reading);
    const ReadingSnapshot& snapshot = *data_.snapshot();
    stack_->setCurrentIndex(reading || snapshot.complete ? 1 : 0);
    lines_->setVisible(reading || snapshot.lines_read > 0);
    if (reading) {
        what_->setText(tr("%1 lines so far").arg(snapshot.lines_read));
    } else if (snapshot.complete) {
        const QString files = snapshot.sources.size() == 1 ? qs(snapshot.sources.front())
                                                           : tr("%1 files").arg(snapshot.sources.size());
        what_->setText(snapshot.flights->empty() ? tr("%1, %2 lines").arg(files).arg(snapshot.lines_read)
                                                 : tr("%1, %2 lines, dumps of %3 ranks")
                                                       .arg(files)
                                                       .arg(snapshot.lines_read)
                                                       .arg(snapshot.flights->dumps().size()));
    }
    if (shown_ == data_.snapshot()) {
        return;
    }
    shown_ = data_.snapshot();
    if (shown_->complete) {
        lines_->set_clocks(shown_->clocks);
    }
    show_verdicts();
    show_timeline();
    fill_facts(facts_, snapshot);
    for (QTreeWidget* list : {timeline_, facts_}) {
        tabs_->setTabVisible(tabs_->indexOf(list), list->topLevelItemCount() > 0);
    }
}

void LogsPage::show_verdicts() {
    while (QLayoutItem* item = cards_->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const auto say = [this](const QString& text) {
        auto* label = make_label(text, cards_->parentWidget(), "muted");
        label->setObjectName(u"logsSummary"_s);
        label->setWordWrap(true);
        cards_->addWidget(label);
    };
    QStringList hints;
    bool first = true;
    for (const Verdict& verdict : shown_->verdicts) {
        if (!first && verdict.confidence < kHint) {
            hints += qs(verdict.id.str());
            continue;
        }
        auto* card = new FailureBanner(workspace_->fixes(), cards_->parentWidget());
        card->set_verdict(verdict, first);
        connect(card, &FailureBanner::placeRequested, this, &LogsPage::show_named_place);
        connect(card, &FailureBanner::jobRequested, this, &LogsPage::jobRequested);
        cards_->addWidget(card);
        first = false;
    }
    if (!hints.isEmpty()) {
        say(tr("Not ruled out: %1").arg(hints.join(u", "_s)));
    }
    if (first) {
        say(!shown_->complete ? tr("The cause is named when everything is read.")
            : shown_->lines_read == 0 && shown_->flights->empty()
                ? tr("There is no line to read in what you opened. Facts lists what was skipped.")
                : tr("Nothing in these logs points to a fault."));
    }
    cards_->addStretch(1);
}

void LogsPage::show_timeline() {
    fill_timeline(timeline_, *shown_);
    tabs_->setTabText(
        1, shown_->timeline.empty() ? tr("Timeline") : tr("Timeline (%1)").arg(shown_->timeline.size()));
}

void LogsPage::show_place(quint32 file, quint64 line) {
    const auto& sources = data_.snapshot()->sources;
    if (file < sources.size()) {
        lines_->show_line(file, line);
    }
}

void LogsPage::show_named_place(const QString& file, qint64 line) {
    const auto& sources = data_.snapshot()->sources;
    const auto found = std::find(sources.begin(), sources.end(), ss(file));
    if (found != sources.end()) {
        show_place(quint32(found - sources.begin()), quint64(line));
    }
}

}  // namespace rankscope::gui
