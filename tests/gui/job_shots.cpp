// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/launch/job_text_edit.h>
#include <gui/launch/launch_page.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/job_shots.h>

#include <QDialog>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTextBlock>
#include <QTreeWidget>

namespace rankscope::gui::testing {

namespace {

constexpr const char* kJob =
    "# ResNet-18 on the lab's machines. The rate is for 256 pictures.\n"
    "name: cifar10-nightly\n"
    "nodes: [local]   # add gpu-1 when it is back\n"
    "procs_per_node: 4\n"
    "master_port: 0\n"
    "env: { NCCL_DEBUG: WARN, NCCL_SOCKET_IFNAM: eth0 }\n"
    "owner: vision-team\n"
    "\n"
    "train:\n"
    "  model: { name: resnet18, classes: 10 }\n"
    "  dataset: { name: cifar10, augment: standard, normalize: cifar10 }\n"
    "  epochs: 90\n"
    "  batch_size: 256\n"
    "  optimizer: { name: sgd, lr: 0.1, momentum: 0.9, nesterov: true }\n"
    "  schedule: { name: cos, by: step, warmup: { epochs: 5, factor: 0.1 } }\n";

}  // namespace

void job_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    window.show_page(MainWindow::Page::Launch);
    auto* page = window.launch_page();
    auto* tabs = page->findChild<QTabWidget*>(u"launchTabs"_s);
    auto* edit = page->findChild<JobTextEdit*>(u"jobText"_s);
    page->set_job_text(kJob, "nightly.yaml");
    wait_until([&] { return page->state().planning == false; });
    auto* advice = page->findChild<QWidget*>(u"launchAdvice"_s);
    auto* scroll = page->findChild<QScrollArea*>(u"launchScroll"_s);
    scroll->ensureWidgetVisible(advice, 0, 200);
    take(&window, "launch-advice");
    scroll->verticalScrollBar()->setValue(0);
    tabs->setCurrentIndex(1);
    edit->go_to_line(14);
    QTextCursor cursor = edit->textCursor();
    cursor.movePosition(QTextCursor::EndOfBlock);
    cursor.movePosition(QTextCursor::Left, QTextCursor::MoveAnchor, 2);
    edit->setTextCursor(cursor);
    QTest::qWait(200);
    take(&window, "launch-text");
    QString broken = qs(kJob);
    broken.replace(u"epochs: 90"_s, u"epochs: many"_s);
    page->set_job_text(ss(broken), "nightly.yaml");
    edit->go_to_line(12);
    QTest::qWait(200);
    take(&window, "launch-text-value");
    page->set_job_text("name: x\nnodes: [local\ntrain:\n  model: convnet\n", "broken.yaml");
    QTest::qWait(200);
    take(&window, "launch-text-broken");
    page->set_job_text(kJob, "nightly.yaml");
    page->findChild<QPushButton*>(u"launch.env.table"_s)->click();
    auto* table = page->findChild<QDialog*>(u"envDialog"_s);
    take(table, "launch-env");
    table->reject();
    page->findChild<QPushButton*>(u"openRecipes"_s)->click();
    auto* recipes = page->findChild<QDialog*>(u"recipesDialog"_s);
    auto* list = recipes->findChild<QTreeWidget*>(u"recipeList"_s);
    wait_until([&] { return list->topLevelItemCount() > 0; });
    take(recipes, "launch-recipes");
    recipes->reject();
    tabs->setCurrentIndex(0);
}

}  // namespace rankscope::gui::testing
