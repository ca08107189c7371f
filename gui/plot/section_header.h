// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/panel_sections.h>

#include <QToolButton>

namespace rankscope::gui {

/// The title of a section of panels; a click, Space, Enter, ← and → fold and unfold it.
class SectionHeader : public QToolButton {
    Q_OBJECT

public:
    explicit SectionHeader(QWidget* parent);

    void set_section(const PanelSection& section);
    const std::string& key() const { return key_; }

signals:
    void foldRequested(bool on);
    void menuRequested(const QPoint& global);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    std::string key_;
    bool folded_ = false;
};

}  // namespace rankscope::gui
