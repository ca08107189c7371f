// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QMainWindow>
#include <filesystem>

class QAction;
class QTextBrowser;
class QUrl;

namespace rankscope::gui {

/// The folder of the installed documentation; empty: there is none.
std::filesystem::path docs_folder();

/// The documentation, which is Markdown on this computer: no network, no other program. Links to the web open the
/// browser.
class DocsWindow : public QMainWindow {
    Q_OBJECT

public:
    DocsWindow(const std::filesystem::path& folder, QWidget* parent);

    QTextBrowser* browser() const { return browser_; }

private:
    void follow(const QUrl& link);

    QTextBrowser* browser_;
};

/// Opens the documentation, or brings its window of `parent` to the front.
void show_docs(const std::filesystem::path& folder, QWidget* parent);

}  // namespace rankscope::gui
