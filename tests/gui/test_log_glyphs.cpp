// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Lines of a log keep all of their characters: what is below the baseline (_ g ,) is where it gets lost first. The ink of
// a widget is compared with the ink of the same text on an empty picture.

#include <gui/doctor/apply_dialog.h>
#include <gui/doctor/check_details.h>
#include <gui/doctor/fix_row.h>
#include <gui/launch/job_text_edit.h>
#include <gui/live/failure_banner.h>
#include <gui/logview/log_view.h>
#include <gui/session/fix_runner.h>

#include <tests/gui/gui_test.h>

#include <QFontDatabase>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QTextBrowser>
#include <QThreadPool>
#include <QTreeWidget>
#include <algorithm>
#include <cstdlib>
#include <vector>

namespace rankscope::gui::testing {
namespace {

// The same places: with what is tested, with nothing there, with letters that are nowhere near an edge. In the middle,
// so that no widget trims it.
const std::vector<QString> kTested{u"____"_s, u"gjpqy,;|"_s};

QString framed(const QString& inside) {
    return u"x"_s + inside + u"x"_s;
}

/// Sum of what differs between two pictures.
double ink(const QImage& one, const QImage& other) {
    double sum = 0;
    for (int y = 0; y < std::min(one.height(), other.height()); ++y) {
        for (int x = 0; x < std::min(one.width(), other.width()); ++x) {
            const QRgb a = one.pixel(x, y);
            const QRgb b = other.pixel(x, y);
            sum +=
                std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b));
        }
    }
    return sum;
}

using Picture = std::function<QImage(const QString& text)>;

/// Ink of the tested characters, in that of as many capitals.
double share_of_ink(const Picture& picture, const QString& tested) {
    const QImage empty = picture(framed(QString(tested.size(), u' ')));
    const double capitals = ink(picture(framed(QString(tested.size(), u'H'))), empty);
    EXPECT_GT(capitals, 0) << "the text is not in the picture";
    return ink(picture(framed(tested)), empty) / std::max(capitals, 1.0);
}

QImage blank(QSize size, double scale) {
    QImage image((QSizeF(size) * scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::white);
    return image;
}

struct Kind {
    QWidget* widget;  ///< whose font it is, and which is drawn
    std::function<void(const QString& text)> show;
};

class LogGlyphs : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        family_ = QString::fromLatin1(GetParam());
        if (!QFontDatabase::families().contains(family_)) {
            GTEST_SKIP() << GetParam() << " is not installed";
        }
        window_.resize(900, 700);
    }

    void expect_whole(const char* what, const Kind& kind) {
        window_.show();
        for (const double points : {8.0, 9.0, 10.0, 11.5}) {
            QFont font(family_);
            font.setPointSizeF(points);
            kind.widget->setFont(font);
            for (const double scale : {1.0, 1.5, 2.0}) {
                const Picture shown = [&](const QString& text) {
                    kind.show(text);
                    QCoreApplication::processEvents();
                    QImage image = blank(kind.widget->size(), scale);
                    kind.widget->render(&image);
                    return image;
                };
                const Picture wanted = [&](const QString& text) {
                    QImage image = blank({500, 100}, scale);
                    QPainter painter(&image);
                    painter.setFont(font);
                    painter.drawText(QPointF(20, 50), text);
                    return image;
                };
                for (const QString& tested : kTested) {
                    // A line of a pixel and a half is one or two of them, as its baseline falls; what is cut has none.
                    constexpr double kLeast = 0.55;
                    const double whole = share_of_ink(wanted, tested);
                    EXPECT_GE(share_of_ink(shown, tested) / whole, kLeast)
                        << what << ": " << ss(tested) << " in " << points << " points at scale " << scale;
                }
            }
        }
    }

    QString family_;
    QThreadPool pool_;
    QWidget window_;
};

/// A log with the line three times, the last of them the last line that is there.
class LogOfOneLine {
public:
    LogOfOneLine(QThreadPool* pool, QWidget* parent) : rows_(pool), view_(&rows_, parent) {
        view_.resize(600, 200);
        view_.show();
    }
    LogView& view() { return view_; }
    void fold() {
        LineChoice choice;
        choice.folded = true;
        rows_.choose(choice);
    }
    void show(const QString& text) {
        log_ = std::make_unique<LogStore>();
        for (const int rank : {0, 1, 2}) {
            log_->append(rank, false, ss(text) + '\n', 1'000'000 + rank);
        }
        rows_.set_store(log_->lines());
        ASSERT_TRUE(wait_until([&] { return rows_.count() == (rows_.folded() ? 1U : 3U); }));
    }

private:
    std::unique_ptr<LogStore> log_;
    LogRows rows_;
    LogView view_;
};

TEST_P(LogGlyphs, LogView) {
    LogOfOneLine log(&pool_, &window_);
    expect_whole("lines", {&log.view(), [&](const QString& text) { log.show(text); }});
    log.view().set_wrapping(true);
    expect_whole("wrapped", {&log.view(), [&](const QString& text) { log.show(text); }});
}

TEST_P(LogGlyphs, FoldedLog) {
    LogOfOneLine log(&pool_, &window_);
    log.fold();
    expect_whole("folded", {&log.view(), [&](const QString& text) { log.show(text); }});
}

TEST_P(LogGlyphs, NamesOfFilesNextToTheLines) {
    LogOfOneLine log(&pool_, &window_);
    expect_whole("names", {&log.view(), [&](const QString& text) {
                               log.show(u"line"_s);
                               log.view().set_labels([text](std::uint32_t) { return text; }, 14);
                           }});
}

TEST_P(LogGlyphs, EvidenceOfAVerdict) {
    FailureBanner card(nullptr, &window_);
    card.resize(800, 400);
    const auto show = [&](const QString& text) {
        Verdict verdict;
        verdict.title = "It failed";
        verdict.evidence = {{.text = ss(text)}, {.text = ss(text)}};
        card.set_verdict(verdict, true);
        card.show();
    };
    show(u"x"_s);
    expect_whole("evidence", {child<QTextBrowser>(&card, "failureLines"), show});
}

TEST_P(LogGlyphs, EvidenceOfACheck) {
    const auto nothing = [](const FixRequest&, const std::stop_token&) { return Result<std::string>(""); };
    FixRunner runner(nullptr, &pool_, nothing);
    CheckDetails details(&runner, &window_);
    details.resize(800, 400);
    const auto show = [&](const QString& text) {
        Check check;
        check.detail = "It failed";
        check.evidence = {ss(text), ss(text)};
        details.set_check(&check);
        details.show();
    };
    show(u"x"_s);
    expect_whole("evidence", {child<QPlainTextEdit>(&details, "checkEvidence"), show});
}

TEST_P(LogGlyphs, CommandsOfFixes) {
    const auto nothing = [](const FixRequest&, const std::stop_token&) { return Result<std::string>(""); };
    FixRunner runner(nullptr, &pool_, nothing);
    Fix fix;
    fix.node = "node1";
    fix.command = "true";
    FixRow row(fix, &runner, &window_);
    row.resize(800, 80);
    row.show();
    auto* command = child<QLabel>(&row, "fixText");
    command->setMinimumWidth(300);
    expect_whole("command", {command, [&](const QString& text) { command->setText(text); }});

    ApplyDialog dialog({fix}, false, &window_);
    dialog.show();
    auto* edit = dialog.findChild<QPlainTextEdit*>();
    ASSERT_NE(edit, nullptr);
    expect_whole("commands", {edit, [&](const QString& text) { edit->setPlainText(text); }});
}

TEST_P(LogGlyphs, JobFile) {
    JobTextEdit edit(&window_);
    edit.resize(600, 200);
    edit.show();
    expect_whole("yaml", {&edit, [&](const QString& text) { edit.setPlainText(u"# "_s + text); }});
}

TEST_P(LogGlyphs, RowsOfATree) {
    QTreeWidget tree(&window_);
    tree.setUniformRowHeights(true);
    tree.resize(600, 200);
    auto* item = new QTreeWidgetItem(&tree);
    new QTreeWidgetItem(&tree, {u"next"_s});
    tree.show();
    expect_whole("row", {&tree, [&](const QString& text) { item->setText(0, text); }});
}

INSTANTIATE_TEST_SUITE_P(Fonts, LogGlyphs, ::testing::Values("DejaVu Sans Mono", "Noto Sans Mono"),
                         [](const auto& info) {
                             QString name = QString::fromLatin1(info.param);
                             return ss(name.remove(u' '));
                         });

}  // namespace
}  // namespace rankscope::gui::testing
