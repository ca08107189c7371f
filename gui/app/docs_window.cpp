// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/docs_window.h>
#include <gui/strings.h>
#include <remote/logs/read/own_resource.h>

#include <QAction>
#include <QDesktopServices>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolBar>
#include <QUrl>

namespace rankscope::gui {

namespace {

constexpr QSize kSize(900, 760);
constexpr const char* kFirstPage = "README.md";

/// The name that Markdown gives a heading: "Commands and keys" is #commands-and-keys.
QString anchor_of(const QString& heading) {
    QString anchor;
    for (const QChar c : heading.toLower()) {
        if (c.isLetterOrNumber() || c == u'-' || c == u'_') {
            anchor += c;
        } else if (c.isSpace()) {
            anchor += u'-';
        }
    }
    return anchor;
}

void scroll_to(QTextBrowser& browser, const QString& anchor) {
    for (QTextBlock block = browser.document()->begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0 && anchor_of(block.text()) == anchor) {
            // From below the heading is at the top, not at the bottom.
            browser.moveCursor(QTextCursor::End);
            browser.setTextCursor(QTextCursor(block));
            return;
        }
    }
}

}  // namespace

std::filesystem::path docs_folder() {
    // In the source tree they are beside the resources.
    for (const char* place : {"docs", "../docs"}) {
        const std::filesystem::path folder = logs::own_resource(place);
        if (std::error_code error; std::filesystem::exists(folder / kFirstPage, error)) {
            return folder;
        }
    }
    return {};
}

DocsWindow::DocsWindow(const std::filesystem::path& folder, QWidget* parent)
    : QMainWindow(parent, Qt::Window), browser_(new QTextBrowser(this)) {
    setObjectName(u"docsWindow"_s);
    setWindowTitle(tr("Documentation — Rankscope"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kSize);
    browser_->setObjectName(u"docsText"_s);
    browser_->setAccessibleName(tr("Documentation"));
    browser_->setOpenLinks(false);
    browser_->document()->setDocumentMargin(18);
    setCentralWidget(browser_);
    auto* bar = addToolBar(tr("Pages"));
    bar->setObjectName(u"docsBar"_s);
    bar->setMovable(false);
    QAction* back = bar->addAction(tr("← Back"), browser_, &QTextBrowser::backward);
    back->setShortcut(Qt::ALT | Qt::Key_Left);
    back->setEnabled(false);
    QAction* all = bar->addAction(tr("All pages"), browser_, &QTextBrowser::home);
    all->setShortcut(Qt::ALT | Qt::Key_Home);
    auto* done = new QAction(this);
    done->setShortcut(Qt::Key_Escape);
    addAction(done);
    connect(done, &QAction::triggered, this, &QWidget::close);
    connect(browser_, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
    connect(browser_, &QTextBrowser::anchorClicked, this, &DocsWindow::follow);
    browser_->setSource(QUrl::fromLocalFile(qs((folder / kFirstPage).string())),
                        QTextDocument::MarkdownResource);
}

void DocsWindow::follow(const QUrl& link) {
    const QUrl target = browser_->source().resolved(link);
    if (!target.isLocalFile()) {
        QDesktopServices::openUrl(target);
        return;
    }
    const QUrl page = target.adjusted(QUrl::RemoveFragment);
    if (!page.path().endsWith(u".md"_s)) {
        QDesktopServices::openUrl(page);
        return;
    }
    if (page != browser_->source()) {
        browser_->setSource(page, QTextDocument::MarkdownResource);
    }
    if (target.hasFragment()) {
        scroll_to(*browser_, target.fragment());
    }
}

void show_docs(const std::filesystem::path& folder, QWidget* parent) {
    auto* window = parent->findChild<DocsWindow*>(QString(), Qt::FindDirectChildrenOnly);
    if (window == nullptr) {
        window = new DocsWindow(folder, parent);
    }
    window->show();
    window->raise();
    window->activateWindow();
}

}  // namespace rankscope::gui
