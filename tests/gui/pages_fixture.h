// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/app/main_window.h>
#include <gui/session/workspace.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/synthetic_run.h>

#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <fstream>
#include <memory>

namespace rankscope::gui::testing {

inline void write(const QString& file, const std::string& text) {
    std::ofstream(ss(file)) << text;
}

inline NodeSpec node_called(const std::string& name) {
    NodeSpec node;
    node.name = name;
    node.host = name;
    return node;
}

/// The window over a temporary folder, driven as a user does.
class Pages : public ::testing::Test {
protected:
    QString inventory_file() const { return folder_.path() + u"/cluster.yaml"_s; }

    void fill_store(const std::vector<SyntheticRun>& runs) {
        auto store = RunStore::open(options_in(folder_.path()).store_path());
        ASSERT_TRUE(store.ok());
        for (const SyntheticRun& run : runs) {
            store_run(**store, run);
        }
    }

    void open(Options options) {
        window_ = std::make_unique<MainWindow>(options);
        window_->resize(1280, 800);
        window_->show();
        ASSERT_TRUE(wait_until([&] {
            return window_->workspace()->fleet()->loaded() && window_->workspace()->store_settled();
        }));
    }
    void open() { open(options_in(folder_.path())); }

    template <typename Widget>
    Widget* find(const char* name) {
        return child<Widget>(window_.get(), name);
    }
    QDialog* wait_dialog(const char* name) {
        QDialog* dialog = nullptr;
        EXPECT_TRUE(wait_until([&] {
            dialog = window_->findChild<QDialog*>(QString::fromLatin1(name));
            return dialog && dialog->isVisible();
        })) << name;
        return dialog;
    }
    bool wait_start_enabled() {
        return wait_until([&] { return find<QPushButton>("startButton")->isEnabled(); });
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

}  // namespace rankscope::gui::testing
