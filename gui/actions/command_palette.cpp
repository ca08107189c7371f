// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/command_model.h>
#include <gui/actions/command_palette.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/widgets/layout_helpers.h>

#include <QAccessible>
#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QSettings>
#include <QStyledItemDelegate>
#include <QTextCharFormat>
#include <QTextLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr QSize kSize(620, 420);
constexpr int kTop = 56;  ///< below the window's menus
constexpr int kRecent = 20;
const char* const kRecentKey = "palette/recent";

QStringList recent_ids() {
    return QSettings().value(QString::fromLatin1(kRecentKey)).toStringList().mid(0, kRecent);
}

void remember(const QString& id) {
    QStringList ids = recent_ids();
    ids.removeAll(id);
    ids.prepend(id);
    QSettings().setValue(QString::fromLatin1(kRecentKey), ids.mid(0, kRecent));
}

constexpr int kMargin = 8;
constexpr int kSpace = 16;

/// One line at the left edge of `room`, with these letters in bold.
void draw_text(QPainter& painter, const QRect& room, const QString& text, const QFont& font,
               const QColor& color, const QList<int>& bold) {
    QTextLayout layout(text, font);
    QList<QTextLayout::FormatRange> ranges;
    QTextCharFormat marked;
    marked.setFontWeight(QFont::Bold);
    marked.setFontUnderline(true);  // seen without the weight, too
    for (const int position : bold) {
        ranges += {position, 1, marked};
    }
    layout.setFormats(ranges);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    if (line.isValid()) {
        line.setLineWidth(100000);
    }
    layout.endLayout();
    painter.setPen(color);
    layout.draw(&painter,
                QPointF(room.left(), room.top() + (room.height() - layout.boundingRect().height()) / 2));
}

QList<int> positions_below(const QModelIndex& index, qsizetype end) {
    QList<int> positions;
    for (const QVariant& position : index.data(CommandModel::PositionsRole).toList()) {
        if (position.toInt() < end) {
            positions += position.toInt();
        }
    }
    return positions;
}

/// A command with the letters of the query in bold, its group, and its shortcut or why it cannot be done now.
class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

QSize CommandDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& /*index*/) const {
    return {100, option.fontMetrics.height() + 12};
}

void CommandDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const ThemeColors colors = theme_colors(option.palette);
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    if (selected) {
        painter->fillRect(option.rect, colors.selection);
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height()),
                          colors.accent);
    }
    const QRect room = option.rect.adjusted(kMargin, 0, -kMargin, 0);
    const bool blocked = !index.data(CommandModel::BlockedRole).toString().isEmpty();
    const QString keys = index.data(CommandModel::KeysRole).toString();
    const QString group = index.data(CommandModel::GroupRole).toString();
    const QString right = blocked ? CommandPalette::tr("unavailable") : keys;
    int right_width = 0;
    if (!right.isEmpty()) {
        right_width = option.fontMetrics.horizontalAdvance(right) + kSpace;
        painter->setPen(blocked ? colors.muted : colors.text);
        painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, right);
    }
    const int group_width = std::min(option.fontMetrics.horizontalAdvance(group) + kSpace, room.width() / 4);
    painter->setPen(colors.muted);
    const QRect group_room(room.right() - right_width - group_width + kSpace, room.top(),
                           group_width - kSpace, room.height());
    painter->drawText(group_room, Qt::AlignRight | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(group, Qt::ElideRight, group_room.width() + 2));
    const QRect text_room = room.adjusted(0, 0, -right_width - group_width, 0);
    const QString text = index.data().toString();
    // Bold letters are a little wider.
    const QString shown = option.fontMetrics.elidedText(text, Qt::ElideRight, text_room.width() - kSpace);
    painter->setClipRect(text_room);
    draw_text(*painter, text_room, shown, option.font, blocked ? colors.muted : colors.text,
              positions_below(index, shown == text ? text.size() : shown.size() - 1));
    painter->restore();
}

}  // namespace

CommandPalette::CommandPalette(std::vector<Command> commands, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint),
      model_(new CommandModel(this)),
      line_(new QLineEdit(this)),
      list_(new QListView(this)),
      hint_(make_label({}, this, "muted")) {
    setObjectName(u"commandPalette"_s);
    setWindowTitle(tr("Commands"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 10, 10, 8);
    layout->setSpacing(8);
    line_->setObjectName(u"paletteLine"_s);
    line_->setAccessibleName(tr("Command"));
    line_->setPlaceholderText(tr("Action, page, node, run or recipe"));
    line_->installEventFilter(this);
    list_->setObjectName(u"paletteList"_s);
    list_->setAccessibleName(tr("Commands"));
    list_->setModel(model_);
    list_->setItemDelegate(new CommandDelegate(list_));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    hint_->setObjectName(u"paletteHint"_s);
    hint_->setWordWrap(true);
    layout->addWidget(line_);
    layout->addWidget(list_, 1);
    layout->addWidget(hint_);
    model_->set_commands(std::move(commands), recent_ids());
    connect(line_, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(list_, &QListView::clicked, this, &CommandPalette::choose);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, &CommandPalette::announce);
    search({});
}

void CommandPalette::add_commands(std::vector<Command> commands) {
    if (commands.empty()) {
        return;
    }
    const Command* chosen = model_->at(list_->currentIndex().row());
    const QString id = chosen == nullptr ? QString() : chosen->id;
    const bool first = list_->currentIndex().row() == 0;
    model_->add_commands(std::move(commands), recent_ids());
    search(line_->text());
    for (int row = 0; row < model_->rowCount() && !first; ++row) {
        if (model_->at(row)->id == id) {
            list_->setCurrentIndex(model_->index(row));
            break;
        }
    }
}

void CommandPalette::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    const QWidget* window = parentWidget();
    const QSize room = window->size();
    resize(kSize.boundedTo(room - QSize(24, kTop + 24)));
    move(window->mapToGlobal(QPoint((room.width() - width()) / 2, kTop)));
    line_->setFocus();
}

void CommandPalette::search(const QString& query) {
    model_->set_query(query);
    if (model_->rowCount() > 0) {
        list_->setCurrentIndex(model_->index(0));
    }
    announce();
}

void CommandPalette::move_by(int rows) {
    const int count = model_->rowCount();
    if (count == 0) {
        return;
    }
    const int row = list_->currentIndex().row() + rows;
    // Arrows lead round; pages stop at the ends.
    const int wanted = std::abs(rows) == 1 ? (row + count) % count : std::clamp(row, 0, count - 1);
    list_->setCurrentIndex(model_->index(wanted));
}

// The line keeps the focus, so a screen reader hears of the list through it.
void CommandPalette::announce() {
    const QModelIndex index = list_->currentIndex();
    const Command* command = model_->at(index.row());
    hint_->setText(model_->rowCount() == 0                  ? tr("No command fits.")
                   : command && !command->blocked.isEmpty() ? command->blocked
                                                            : tr("↑ ↓ choose · Enter runs · Esc closes"));
    line_->setAccessibleDescription(command ? index.data(Qt::AccessibleTextRole).toString() : hint_->text());
    QAccessibleEvent changed(line_, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

void CommandPalette::choose(const QModelIndex& index) {
    const Command* command = model_->at(index.row());
    if (command == nullptr || !command->blocked.isEmpty()) {
        announce();
        return;
    }
    remember(command->id);
    // After this dialog is gone: the command may open another, or give the focus to a page.
    QTimer::singleShot(0, parentWidget(), command->run);
    accept();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != line_ || event->type() != QEvent::KeyPress) {
        return QDialog::eventFilter(watched, event);
    }
    constexpr int kPage = 10;
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down:
            move_by(1);
            return true;
        case Qt::Key_Up:
            move_by(-1);
            return true;
        case Qt::Key_PageDown:
            move_by(kPage);
            return true;
        case Qt::Key_PageUp:
            move_by(-kPage);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            choose(list_->currentIndex());
            return true;
        default:
            return QDialog::eventFilter(watched, event);
    }
}

}  // namespace rankscope::gui
