// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_sections.h>
#include <gui/plot/section_header.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QInputDialog>
#include <QMenu>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

PlotSections::PlotSections(MetricPlot* plot) : QObject(plot), plot_(plot) {
    connect(plot->plot(), &QCustomPlot::afterLayout, this, &PlotSections::place_headers);
}

int PlotSections::header_height() const {
    return plot_->fontMetrics().height() + 6;
}

int PlotSections::height() const {
    return int(rows_.size()) * header_height();
}

std::vector<QCPLayoutGrid*> PlotSections::lay_out(const std::vector<PanelSection>& sections,
                                                  const std::vector<int>& columns) {
    QCPLayoutGrid* all = plot_->plot()->plotLayout();
    all->clear();
    all->simplify();
    all->setRowStretchFactors(QList<double>(all->rowCount(), 1));
    shown_ = sections;
    // The widgets remain: one of them may have the focus.
    std::vector<Row> before = std::exchange(rows_, {});
    const bool headers = sections.size() > 1 || (sections.size() == 1 && sections.front().folded);
    std::vector<QCPLayoutGrid*> grids;
    int row = 0;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const PanelSection& section = sections[i];
        if (headers) {
            const auto same = std::find_if(before.begin(), before.end(), [&](const Row& each) {
                return each.header && each.header->key() == section.key;
            });
            rows_.push_back({same != before.end() ? std::exchange(same->header, nullptr) : nullptr, nullptr});
            add_header(section, row++);
        }
        if (section.folded) {
            grids.push_back(nullptr);
            continue;
        }
        if (!headers) {
            grids.push_back(all);
            continue;
        }
        auto* grid = new QCPLayoutGrid;
        grid->setRowSpacing(0);
        grid->setColumnSpacing(all->columnSpacing());
        all->addElement(row, 0, grid);
        const auto count = int(section.names.size());
        all->setRowStretchFactor(row++, (count + columns[i] - 1) / columns[i]);
        grids.push_back(grid);
    }
    if (std::all_of(grids.begin(), grids.end(), [](const auto* grid) { return grid == nullptr; }) &&
        headers) {
        all->addElement(row, 0, new QCPLayoutElement(plot_->plot()));  // the headers stay on top
    }
    for (const Row& old : before) {
        if (old.header) {
            old.header->hide();
            old.header->deleteLater();
        }
    }
    // By Tab in the order in which they stand.
    QWidget* last = plot_;
    for (const Row& each : rows_) {
        QWidget::setTabOrder(last, each.header);
        last = each.header;
    }
    return grids;
}

void PlotSections::add_header(const PanelSection& section, int row) {
    QCustomPlot* plot = plot_->plot();
    Row& at = rows_.back();
    if (!at.header) {
        at.header = new SectionHeader(plot);
        SectionHeader* header = at.header;
        header->move(0, -2 * header_height());  // out of sight until the layout has a place for it
        connect(header, &SectionHeader::foldRequested, this,
                [this, header](bool on) { fold(header->key(), on); });
        connect(header, &SectionHeader::menuRequested, this, [this, header](const QPoint& global) {
            QMenu* menu = make_menu(header->key());
            menu->setAttribute(Qt::WA_DeleteOnClose);
            menu->popup(global);
        });
    }
    at.header->set_section(section);
    at.header->setVisible(!plot_->at_once());
    auto* room = new QCPTextElement(plot);
    if (plot_->at_once()) {  // widgets are not in a picture
        room->setText(section.title);
        room->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
        room->setFont(plot_->font());
        room->setTextColor(theme_colors(plot_->palette()).muted);
    }
    at.room = room;
    at.room->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
    at.room->setMinimumSize(0, header_height());
    at.room->setMaximumSize(QWIDGETSIZE_MAX, header_height());
    plot->plotLayout()->addElement(row, 0, at.room);
    plot->plotLayout()->setRowStretchFactor(row, 0.001);
}

void PlotSections::place_headers() {
    for (const Row& row : rows_) {
        const QRect room = row.room->outerRect();
        const QSize size(std::min(row.header->sizeHint().width(), room.width()), room.height());
        row.header->setGeometry(QRect(room.topLeft(), size));
    }
}

std::optional<std::string> PlotSections::header_at(const QPoint& place) const {
    for (const Row& row : rows_) {
        if (row.room->outerRect().contains(place)) {
            return row.header->key();
        }
    }
    return {};
}

QRect PlotSections::header_rect(const std::string& key) const {
    const auto at =
        std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.header->key() == key; });
    return at == rows_.end() ? QRect() : at->room->outerRect();
}

void PlotSections::fold(const std::string& key, bool on) {
    if (chosen_.is_folded(key) != on) {
        chosen_.fold(key, on);
        emit changed();
    }
}

void PlotSections::fold_all(bool on) {
    for (const PanelSection& section : shown_) {
        chosen_.fold(section.key, on);
    }
    emit changed();
}

void PlotSections::move(const std::string& name, const std::string& key) {
    if (chosen_.section_of(name) != key) {
        chosen_.move(name, key);
        chosen_.fold(key, false);  // what was moved is seen
        emit changed();
    }
}

void PlotSections::ask_title(const QString& window_title, const QString& title,
                             const std::function<void(const QString&)>& take) {
    auto* dialog = new QInputDialog(plot_->window());
    dialog->setObjectName(u"sectionDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(window_title);
    dialog->setLabelText(tr("Title of the section"));
    dialog->setTextValue(title);
    connect(dialog, &QInputDialog::textValueSelected, this, take);
    dialog->open();
}

void PlotSections::ask_new(const std::string& name) {
    ask_title(tr("New section"), {}, [this, name](const QString& title) {
        if (const std::string key = chosen_.add(title); !key.empty()) {
            move(name, key);
        }
    });
}

QMenu* PlotSections::make_menu(const std::string& key) {
    auto* menu = new QMenu(plot_);
    menu->setObjectName(u"sectionMenu"_s);
    const bool folded = chosen_.is_folded(key);
    menu->addAction(folded ? tr("&Unfold") : tr("&Fold"), this, [this, key, folded] { fold(key, !folded); })
        ->setObjectName(u"sectionFold"_s);
    menu->addAction(tr("Fold &all sections"), this, [this] { fold_all(true); })
        ->setObjectName(u"sectionFoldAll"_s);
    menu->addAction(tr("Unfold a&ll sections"), this, [this] { fold_all(false); })
        ->setObjectName(u"sectionUnfoldAll"_s);
    const auto at = std::find_if(shown_.begin(), shown_.end(),
                                 [&](const PanelSection& section) { return section.key == key; });
    if (at == shown_.end() || !at->is_own) {
        return menu;
    }
    menu->addSeparator();
    QAction* rename = menu->addAction(tr("&Rename…"), this, [this, key, title = at->title] {
        ask_title(tr("Rename the section"), title, [this, key](const QString& renamed) {
            if (chosen_.rename(key, renamed)) {
                emit changed();
            }
        });
    });
    rename->setObjectName(u"sectionRename"_s);
    QAction* remove = menu->addAction(tr("Re&move the section, keep its panels"), this, [this, key] {
        chosen_.remove(key);
        emit changed();
    });
    remove->setObjectName(u"sectionRemove"_s);
    return menu;
}

void PlotSections::add_choices(QMenu* menu, const std::string& name) {
    QMenu* sections = menu->addMenu(tr("Sec&tion"));
    sections->setObjectName(u"panelSection"_s);
    std::vector<std::string> all;
    for (const PanelSection& section : shown_) {
        all.insert(all.end(), section.names.begin(), section.names.end());
    }
    const std::string now = chosen_.section_of(name);
    for (const PanelSection& section : chosen_.choices(all)) {
        QString title = section.title;
        QAction* action = sections->addAction(title.replace(u'&', u"&&"_s), this,
                                              [this, name, key = section.key] { move(name, key); });
        action->setCheckable(true);
        action->setChecked(section.key == now);
    }
    sections->addSeparator();
    sections->addAction(tr("&New section…"), this, [this, name] { ask_new(name); })
        ->setObjectName(u"panelNewSection"_s);
    const std::string own = PanelSections::section_by_name(name);
    QAction* reset =
        sections->addAction(tr("As its &name says"), this, [this, name, own] { move(name, own); });
    reset->setObjectName(u"panelSectionReset"_s);
    reset->setEnabled(now != own);
}

}  // namespace rankscope::gui
