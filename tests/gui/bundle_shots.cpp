// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/bundle/save_bundle_dialog.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/bundle_shots.h>
#include <tests/gui/synthetic_run.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <fstream>

namespace rankscope::gui::testing {

namespace {

const std::string kLong =
    "a-run-with-a-name-that-operations-made-eighty-characters-long-of-a-large-cluster-0";

void wait_for(const std::function<bool()>& condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < 20000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
}

SyntheticRun leaking_run(const std::string& id, const std::string& name) {
    return {.name = name,
            .id = id,
            .ranks = 16,
            .nodes = {"gpu-worker-" + kLong, "node2"},
            .until = 0.4,
            .fate = Fate::Killed};
}

void leak(RunStore& store, const SyntheticRun& run) {
    std::vector<Event> events;
    for (int rank = 0; rank < 12; ++rank) {
        events.push_back({std::uint64_t(rank) + 1, run.start_us, "late", rank,
                          LogEvent{false,
                                   "HF_TOKEN=hf_" + std::string(34, char('A' + rank)) +
                                       " Authorization: Bearer abcdefghijkl" + std::to_string(rank) + '\n',
                                   0}});
    }
    (void)store.append(run.id, events);
}

}  // namespace

void bundle_shots(QSize size, const std::function<void(QWidget*, const char*)>& take) {
    const QTemporaryDir folder;
    Options options;
    options.data_dir = ss(folder.path());
    options.inventory_file = ss(folder.path() + u"/cluster.yaml"_s);
    options.probe_this_computer = false;
    MainWindow window(options);
    window.resize(size);
    window.show();
    wait_for([&] { return window.workspace()->store_settled(); });
    RunStore& store = *window.workspace()->store();
    const SyntheticRun leaks = leaking_run("20261104-093012-" + kLong, "resnet-" + kLong);
    store_run(store, leaks);
    leak(store, leaks);
    store_run(store, {.id = "20261104-101500-mnist-convnet", .start_us = 1'760'000'900'000'000});

    const auto dialog_of = [&](const std::string& id, const std::string& name) {
        auto* dialog = new SaveBundleDialog(window.workspace()->store(), id, qs(name),
                                            window.workspace()->pool(), &window);
        dialog->open();
        return dialog;
    };
    const auto part = [](QWidget* dialog, const char* name) {
        return dialog->findChild<QPushButton*>(QString::fromLatin1(name));
    };
    const auto ready = [&](QWidget* dialog) {
        wait_for([&] { return part(dialog, "bundleSave")->isEnabled(); });
    };
    SaveBundleDialog* dialog = dialog_of(leaks.id, leaks.name);
    take(dialog, "bundle-reading");
    ready(dialog);
    take(dialog, "bundle-save");
    dialog->findChild<QLineEdit*>(u"bundleFile"_s)->setText(u"/proc/no such folder/x.rankscope"_s);
    part(dialog, "bundleSave")->click();
    wait_for([&] { return !dialog->findChild<QLabel*>(u"bundleProblem"_s)->text().isEmpty(); });
    take(dialog, "bundle-save-error");
    dialog->findChild<QLineEdit*>(u"bundleFile"_s)->setText(folder.path() + u"/saved.rankscope"_s);
    part(dialog, "bundleSave")->click();
    wait_for([&] { return !part(dialog, "bundleSave")->isVisible(); });
    take(dialog, "bundle-saved");
    delete dialog;
    dialog = dialog_of("20261104-101500-mnist-convnet", "mnist-convnet");
    ready(dialog);
    take(dialog, "bundle-save-clean");
    delete dialog;

    window.show_page(MainWindow::Page::Runs);
    auto* fault = window.findChild<QWidget*>(u"runsFault"_s);
    window.runs_page()->open_bundles({folder.path() + u"/saved.rankscope"_s});
    wait_for([&] { return fault->isVisible(); });
    take(&window, "bundle-open-there");
    std::ofstream(ss(folder.path()) + "/" + kLong + ".rankscope") << "cut off";
    window.runs_page()->open_bundles({folder.path() + u'/' + qs(kLong) + u".rankscope"_s});
    wait_for([&] { return fault->isVisible(); });
    take(&window, "bundle-open-foreign");
}

}  // namespace rankscope::gui::testing
