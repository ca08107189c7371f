// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>

#include <QFrame>

class QPlainTextEdit;
class QPushButton;

namespace rankscope::gui {

/// What nodes noticed in a run: time, node, what it is and what to do. As high as it needs to be, to a few
/// lines; the rest scrolls. Without what the verdict card shows. Closed until the user opens it.
class NoticeList : public QFrame {
    Q_OBJECT

public:
    explicit NoticeList(QWidget* parent = nullptr);
    void set_notices(const LiveData& run);
    int count() const { return int(notices_.size() + dropped_); }
    /// Something was noticed since the user last looked.
    bool is_news() const { return is_news_; }
    void set_open(bool on);
    QString text() const;

signals:
    /// By its own button.
    void closed();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void write();
    void fit();

    std::vector<NodeNotice> notices_;
    std::uint64_t dropped_ = 0;
    bool is_news_ = false;
    std::string run_id_;
    QPlainTextEdit* view_;
    QPushButton* dismiss_;
};

}  // namespace rankscope::gui
