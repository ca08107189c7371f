// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/save_bundle_dialog.h>
#include <gui/live/live_page.h>
#include <gui/logs/logs_page.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/archive/failure_bundle/archive_writer.h>
#include <remote/desk/archive/failure_bundle/bundle_import.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QCheckBox>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <random>

namespace rankscope::gui::testing {
namespace {

const std::string kToken = "hf_abcdefghijklmnopqrstuvwxyzABCDEF12";

std::string content_of(const QString& file) {
    std::ifstream in(ss(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Every text of the output of the ranks in a bundle.
std::string output_of(const QString& file) {
    std::string all;
    const auto read = read_bundle_file(ss(file), [&](const RunRecord&, const Event& event) {
        if (const auto* log = event.as<LogEvent>()) {
            all += log->text;
        }
        return true;
    });
    EXPECT_TRUE(read.ok());
    return all;
}

class Bundles : public Pages {
protected:
    QString path(const char* name) const { return folder_.path() + u'/' + QString::fromUtf8(name); }

    /// A failed run whose rank 1 printed a token.
    void fill_store_with_leak() {
        const SyntheticRun run{.name = "leaks", .id = "leak-1", .until = 0.3, .fate = Fate::Killed};
        fill_store(
            {{.name = "older", .id = "old-1", .steps_per_epoch = 5, .start_us = 1'750'000'000'000'000}, run});
        auto store = RunStore::open(options_in(folder_.path()).store_path());
        ASSERT_TRUE(store.ok());
        ASSERT_TRUE((*store)->append(
            run.id, {{1, run.start_us, "late", 1, LogEvent{false, "login with " + kToken + "\n", 0}}}));
    }

    /// So much that its writing takes longer than a click, and so little that reading it takes a second or two: the test
    /// reads it three times, also where the machine is busy.
    void fill_store_with_much() {
        fill_store_with_leak();
        std::mt19937 random(1);
        std::string text(4'000'000, '\n');
        for (std::size_t i = 0; i < text.size(); ++i) {
            text[i] = i % 100 == 99 ? '\n' : char('a' + random() % 26);
        }
        auto store = RunStore::open(options_in(folder_.path()).store_path());
        ASSERT_TRUE(store.ok());
        ASSERT_TRUE((*store)->append(
            "leak-1", {{2, 1'750'000'000'000'000, "late", 1, LogEvent{false, std::move(text), 0}}}));
    }

    /// A bundle of a run that the window's store does not have.
    QString foreign_bundle(const char* name) {
        const QTemporaryDir other;
        auto store = RunStore::open(options_in(other.path()).store_path());
        EXPECT_TRUE(store.ok());
        store_run(**store, {.name = "foreign", .id = "foreign-1", .until = 0.2, .fate = Fate::Killed});
        auto draft = BundleDraft::make(**store, "foreign-1", {});
        EXPECT_TRUE(draft.ok());
        EXPECT_TRUE(draft->write(ss(path(name)), false));
        return path(name);
    }

    void open_runs(int count) {
        open();
        click(find<QToolButton>("navRuns"));
        ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == count; }));
    }
    QTableView* table() { return find<QTableView>("runsTable"); }
    std::string selected() {
        const RunRecord* run = window_->runs_page()->selected();
        return run ? run->run_id : std::string();
    }
    QString fault() {
        return find<NoticeBar>("runsFault")->isVisible() ? find<NoticeBar>("runsFault")->text() : QString();
    }

    /// The dialog, once it shows what goes in.
    QDialog* save_dialog() {
        click(find<QPushButton>("saveBundle"));
        QDialog* dialog = wait_dialog("saveBundleDialog");
        EXPECT_TRUE(wait_until([&] { return child<QPushButton>(dialog, "bundleSave")->isEnabled(); }));
        return dialog;
    }
    void save_to(QDialog* dialog, const QString& file) {
        type_into(child<QLineEdit>(dialog, "bundleFile"), file);
        click(child<QPushButton>(dialog, "bundleSave"));
    }
    static bool saved(QDialog* dialog) {
        return wait_until([&] {
            return child<QLabel>(dialog, "bundleWhat")->text().startsWith(u"Saved:"_s) &&
                   !child<QPushButton>(dialog, "bundleSave")->isVisible();
        });
    }
    static bool says(QDialog* dialog, const char* label, const QString& text) {
        return wait_until([&] { return child<QLabel>(dialog, label)->text().contains(text); });
    }
    QStringList files() const { return QDir(folder_.path()).entryList({u"*.rankscope*"_s}, QDir::Files); }
};

TEST_F(Bundles, WhatIsReplacedIsShownBeforeTheFileIsWritten) {
    fill_store_with_leak();
    open_runs(2);
    ASSERT_EQ(selected(), "leak-1");
    QDialog* dialog = save_dialog();
    auto* parts = child<QTableWidget>(dialog, "bundleParts");
    ASSERT_GT(parts->rowCount(), 5);
    EXPECT_EQ(parts->item(0, 0)->text(), u"manifest.json"_s);
    EXPECT_FALSE(parts->item(0, 1)->text().isEmpty()) << "its size";
    auto* redactions = child<QTableWidget>(dialog, "bundleRedactions");
    ASSERT_TRUE(redactions->isVisible());
    bool listed = false;
    for (int row = 0; row < redactions->rowCount(); ++row) {
        listed = listed || redactions->item(row, 1)->text() == u"output of rank 1"_s;
        EXPECT_FALSE(redactions->item(row, 3)->text().isEmpty()) << "why";
    }
    EXPECT_TRUE(listed);
    EXPECT_TRUE(files().isEmpty());

    save_to(dialog, path("out.rankscope"));
    ASSERT_TRUE(saved(dialog));
    EXPECT_EQ(files(), QStringList{u"out.rankscope"_s});
    const std::string output = output_of(path("out.rankscope"));
    EXPECT_NE(output.find("login with [redacted]"), std::string::npos);
    EXPECT_EQ(output.find(kToken), std::string::npos);
    click(child<QPushButton>(dialog, "bundleCancel"));
    EXPECT_TRUE(wait_until([&] { return !window_->findChild<SaveBundleDialog*>(); }));
}

TEST_F(Bundles, AFileIsReplacedOnlyWhenTheUserWantsIt) {
    fill_store_with_leak();
    write(path("there.rankscope"), "mine");
    open_runs(2);
    QDialog* dialog = save_dialog();
    save_to(dialog, path("there.rankscope"));
    QDialog* question = wait_dialog("bundleReplaceDialog");
    question->reject();
    ASSERT_TRUE(wait_until([&] { return child<QPushButton>(dialog, "bundleSave")->isEnabled(); }));
    EXPECT_EQ(content_of(path("there.rankscope")), "mine");
    ASSERT_TRUE(wait_until([&] { return !dialog->findChild<QMessageBox*>(); }));
    click(child<QPushButton>(dialog, "bundleSave"));
    question = wait_dialog("bundleReplaceDialog");
    click(child<QPushButton>(question, "bundleReplace"));
    ASSERT_TRUE(saved(dialog));
    EXPECT_TRUE(is_bundle(ss(path("there.rankscope"))));
    EXPECT_EQ(files().size(), 1) << "no temporary file stays";
}

TEST_F(Bundles, ACancelledWriteLeavesNothing) {
    fill_store_with_much();
    open_runs(2);
    QDialog* dialog = save_dialog();
    save_to(dialog, path("half.rankscope"));
    click(child<QPushButton>(dialog, "bundleCancel"));
    EXPECT_TRUE(dialog->isVisible());
    ASSERT_TRUE(says(dialog, "bundleWhat", u"Cancelled: nothing was written"_s));
    EXPECT_TRUE(files().isEmpty());
    // It can be saved after that, and without the names of users.
    child<QCheckBox>(dialog, "bundleHideUsers")->click();
    ASSERT_TRUE(wait_until([&] { return child<QPushButton>(dialog, "bundleSave")->isEnabled(); }));
    click(child<QPushButton>(dialog, "bundleSave"));
    EXPECT_TRUE(saved(dialog));
}

TEST_F(Bundles, AFileThatCannotBeWrittenIsReportedWithARemedy) {
    fill_store_with_leak();
    open_runs(2);
    QDialog* dialog = save_dialog();
    save_to(dialog, path("no such folder/x.rankscope"));
    ASSERT_TRUE(says(dialog, "bundleProblem", u"no such folder/x.rankscope"_s));
    EXPECT_TRUE(says(dialog, "bundleProblem", u"Check the folder"_s));
    type_into(child<QLineEdit>(dialog, "bundleFile"), QString());
    click(child<QPushButton>(dialog, "bundleSave"));
    EXPECT_TRUE(says(dialog, "bundleProblem", u"Choose a file."_s));
    // A folder: the file goes into it.
    save_to(dialog, folder_.path());
    ASSERT_TRUE(saved(dialog));
    EXPECT_EQ(files(), QStringList{u"leak-1.rankscope"_s});
}

TEST_F(Bundles, ADroppedBundleIsAddedAndSelected) {
    fill_store_with_leak();
    const QString file = foreign_bundle("of somebody else.rankscope");
    open_runs(2);
    QMimeData dropped;
    dropped.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_->runs_page(), &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_->runs_page(), &drop);
    ASSERT_TRUE(wait_until([&] { return selected() == "foreign-1"; }));
    EXPECT_EQ(table()->model()->rowCount(), 3);
    EXPECT_EQ(fault(), QString());
    ASSERT_TRUE(wait_until([&] { return !find<NoticeBar>("runsProgress")->isVisible(); }));
    // It opens like any other.
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    EXPECT_TRUE(find<QLabel>("failureTitle")->text().contains(u"killed by signal 9"_s));

    // The same file again, from another page: the run that is there is shown.
    window_->show_page(MainWindow::Page::Runs);
    for (int row = 0; row < table()->model()->rowCount() && selected() == "foreign-1"; ++row) {
        table()->selectRow(row);
    }
    ASSERT_NE(selected(), "foreign-1");
    window_->show_page(MainWindow::Page::Logs);
    QDragEnterEvent again(QPoint(300, 300), Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(window_->logs_page(), &again);
    ASSERT_TRUE(again.isAccepted());
    QCoreApplication::sendEvent(window_->logs_page(), &drop);
    EXPECT_EQ(window_->page(), MainWindow::Page::Runs);
    auto* there = find<NoticeBar>("runsThere");
    ASSERT_TRUE(wait_until([&] { return there->isVisible(); }));
    EXPECT_EQ(there->text().trimmed(),
              u"The run of of somebody else.rankscope is already here; it is selected."_s);
    EXPECT_EQ(fault(), QString()) << "nothing has failed";
    EXPECT_TRUE(wait_until([&] { return selected() == "foreign-1"; }));
    EXPECT_EQ(table()->model()->rowCount(), 3);
}

TEST_F(Bundles, FilesThatCannotBeOpenedAreExplainedAndChangeNothing) {
    fill_store_with_leak();
    const QString whole = foreign_bundle("whole.rankscope");
    const std::string bytes = content_of(whole);
    write(path("damaged.rankscope"), bytes.substr(0, bytes.size() / 2));
    write(path("text.rankscope"), "epoch 1 loss 0.5\n");
    {
        auto newer = ArchiveWriter::create(ss(path("newer.rankscope")), false);
        ASSERT_TRUE(newer.ok());
        ASSERT_TRUE((*newer)->add(
            "manifest.json",
            R"({"format": "rankscope failure bundle", "version": 99, "run": "x", "events": 0})"));
        ASSERT_TRUE((*newer)->finish());
    }
    open_runs(2);
    const std::vector<std::pair<const char*, QString>> cases{
        {"damaged.rankscope", u"damaged"_s},
        {"text.rankscope", u"no failure bundle"_s},
        {"newer.rankscope", u"newer Rankscope"_s},
        {"nowhere.rankscope", u"cannot be read"_s},
    };
    for (const auto& [name, text] : cases) {
        const QString expected = text;
        const QString title = QString::fromUtf8(name) + u" was not added."_s;
        window_->runs_page()->open_bundles({path(name)});
        ASSERT_TRUE(wait_until([&] { return fault().contains(title) && fault().contains(expected); }))
            << name << ": " << qPrintable(fault());
        EXPECT_GE(fault().count(u'\n'), 2) << "what, where and a remedy: " << qPrintable(fault());
        EXPECT_EQ(table()->model()->rowCount(), 2);
        EXPECT_EQ(selected(), "leak-1");
    }
}

TEST_F(Bundles, ABundleOfTheCommandLineIsOpened) {
    Options options = options_in(folder_.path());
    options.bundles = {foreign_bundle("given.rankscope")};
    open(options);
    EXPECT_EQ(window_->page(), MainWindow::Page::Runs);
    ASSERT_TRUE(wait_until([&] { return selected() == "foreign-1"; }));
}

TEST_F(Bundles, MenusOfferWhatFits) {
    fill_store_with_leak();
    open_runs(2);
    auto* save = find<QAction>("file.save_bundle");
    QMenu* file_menu = nullptr;
    for (QObject* owner : save->associatedObjects()) {
        file_menu = qobject_cast<QMenu*>(owner) ? qobject_cast<QMenu*>(owner) : file_menu;
    }
    ASSERT_NE(file_menu, nullptr);
    emit file_menu->aboutToShow();
    EXPECT_TRUE(save->isEnabled());
    window_->show_page(MainWindow::Page::Fleet);
    emit file_menu->aboutToShow();
    EXPECT_FALSE(save->isEnabled());
    window_->show_page(MainWindow::Page::Live);
    emit file_menu->aboutToShow();
    EXPECT_FALSE(save->isEnabled()) << "there is no run";

    window_->show_page(MainWindow::Page::Runs);
    emit table()->customContextMenuRequested(table()->visualRect(table()->model()->index(0, 0)).center());
    auto* menu = find<QMenu>("runsMenu");
    ASSERT_TRUE(wait_until([&] { return menu->isVisible(); }));
    const auto actions = menu->actions();
    const auto entry = std::find_if(actions.begin(), actions.end(), [](const QAction* action) {
        return action->text().contains(u"failure bundle"_s);
    });
    ASSERT_NE(entry, actions.end());
    menu->close();
    (*entry)->trigger();
    wait_dialog("saveBundleDialog")->reject();

    // A run on Live that is over.
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    emit file_menu->aboutToShow();
    EXPECT_TRUE(save->isEnabled());
    ASSERT_TRUE(wait_until([&] { return !window_->findChild<SaveBundleDialog*>(); }));
    ASSERT_TRUE(find<QPushButton>("bundleButton")->isVisible());
    click(find<QPushButton>("bundleButton"));
    QDialog* dialog = wait_dialog("saveBundleDialog");
    EXPECT_TRUE(dialog->windowTitle().contains(u"leaks"_s));
    dialog->reject();
    EXPECT_TRUE(wait_until([&] { return !window_->findChild<SaveBundleDialog*>(); }));
}

}  // namespace
}  // namespace rankscope::gui::testing
