// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Pages beside small pictures of them (goldens/). Only layout and colours count: a quarter of the size, mean colours
// of squares, so that a moved pixel or another digit is no difference and a lost panel is. RANKSCOPE_RENEW_GOLDENS=1
// gui_tests --gtest_filter='Goldens*' writes the pictures again after a wanted change; look at them before the commit.

#include <gui/doctor/doctor_page.h>
#include <gui/launch/launch_page.h>
#include <gui/live/live_page.h>
#include <gui/plot/metric_plot.h>
#include <gui/style/theme.h>

#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_preflight.h>

#include <QDir>
#include <QFileInfo>
#include <QFontInfo>
#include <QFontMetrics>
#include <QImage>
#include <QPainter>
#include <QSettings>
#include <QTableView>
#include <algorithm>
#include <cmath>

namespace rankscope::gui::testing {
namespace {

constexpr int kSmaller = 4;          ///< a golden's pixel is the mean of this square
constexpr int kSquare = 8;           ///< of golden's pixels: what is compared
constexpr double kSame = 12;         ///< of 255: mean colours of a square
constexpr double kMostOther = 0.02;  ///< share of squares that may differ more: a time, a duration
constexpr qint64 kMostBytes = 60'000;

QString goldens() {
    return QStringLiteral(RANKSCOPE_SOURCE_DIR) + u"/tests/gui/goldens"_s;
}

bool renews() {
    return qEnvironmentVariableIsSet("RANKSCOPE_RENEW_GOLDENS");
}

/// What the look of every text depends on.
QString surroundings() {
    const QFont font = QApplication::font();
    return u"Qt %1, %2, %3 px a sentence\n"_s.arg(QString::fromLatin1(qVersion()).section(u'.', 0, 1))
        .arg(QFontInfo(font).family())
        .arg(QFontMetrics(font).horizontalAdvance(u"The quick brown fox jumps over 1,024 lazy ranks."_s));
}

QString recorded_surroundings() {
    QFile file(goldens() + u"/surroundings.txt"_s);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QColor mean_color(const QImage& image, const QRect& square) {
    double sums[3] = {0, 0, 0};
    for (int y = square.top(); y <= square.bottom(); ++y) {
        for (int x = square.left(); x <= square.right(); ++x) {
            const QRgb pixel = image.pixel(x, y);
            sums[0] += qRed(pixel);
            sums[1] += qGreen(pixel);
            sums[2] += qBlue(pixel);
        }
    }
    const double pixels = double(square.width()) * square.height();
    return QColor::fromRgbF(float(sums[0] / pixels / 255), float(sums[1] / pixels / 255),
                            float(sums[2] / pixels / 255));
}

/// Share of squares that look different; 1: another size.
double difference(const QImage& one, const QImage& other) {
    if (one.size() != other.size()) {
        return 1;
    }
    int squares = 0;
    int different = 0;
    for (int y = 0; y < one.height(); y += kSquare) {
        for (int x = 0; x < one.width(); x += kSquare) {
            const QRect square = QRect(x, y, kSquare, kSquare) & one.rect();
            const QColor a = mean_color(one, square);
            const QColor b = mean_color(other, square);
            const int most = std::max({std::abs(a.red() - b.red()), std::abs(a.green() - b.green()),
                                       std::abs(a.blue() - b.blue())});
            ++squares;
            different += most > kSame ? 1 : 0;
        }
    }
    return double(different) / squares;
}

class Goldens : public Pages {
protected:
    void SetUp() override {
        if (!renews() && surroundings() != recorded_surroundings()) {
            GTEST_SKIP() << "the pictures are of: " << ss(recorded_surroundings().trimmed())
                         << "; here is: " << ss(surroundings().trimmed());
        }
    }
    void TearDown() override {
        window_.reset();
        apply_theme(*qApp, ThemeChoice::Light, false);
    }
    void open(bool dark, bool wide, const std::vector<std::string>& nodes) {
        window_.reset();
        QSettings().remove(u"fleet/firstSteps"_s);  // of the window before
        apply_theme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light, false);
        Inventory inventory;
        for (const std::string& name : nodes) {
            inventory.nodes.push_back(node_called(name));
        }
        ASSERT_TRUE(write_inventory(inventory, ss(inventory_file())).ok());
        Pages::open(options_in(folder_.path()));
        window_->resize(wide ? QSize(1920, 1080) : QSize(1280, 800));
    }
    QImage shown() {
        QImage image = window_->grab().toImage().convertToFormat(QImage::Format_RGB32);
        return image.scaled(image.size() / kSmaller, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    }
    /// Waits until the page looks like the picture.
    void compare(const char* name) {
        const QString file = goldens() % u'/' % QString::fromLatin1(name) % u".png"_s;
        if (renews()) {
            QImage last;
            ASSERT_TRUE(wait_until([&] {  // nothing moves any more
                QTest::qWait(200);
                return last == std::exchange(last, shown());
            }));
            QDir().mkpath(goldens());
            ASSERT_TRUE(last.save(file, "PNG", 0));
            EXPECT_LE(QFileInfo(file).size(), kMostBytes) << name;
            QFile text(goldens() + u"/surroundings.txt"_s);
            ASSERT_TRUE(text.open(QIODevice::WriteOnly));
            text.write(surroundings().toUtf8());
            return;
        }
        const QImage golden = QImage(file).convertToFormat(QImage::Format_RGB32);
        ASSERT_FALSE(golden.isNull()) << ss(file);
        double other = 1;
        const bool same = wait_until([&] { return (other = difference(golden, shown())) <= kMostOther; });
        const QString seen = QDir::temp().filePath(u"golden-%1.png"_s.arg(QLatin1String(name)));
        EXPECT_TRUE(same) << name << ": " << 100 * other << " % of the page looks different; what was seen: "
                          << (same || !shown().save(seen) ? std::string("-") : ss(seen));
    }
};

const std::vector<std::string> kFour{"node1", "node2", "node3",
                                     "gpu-worker-of-the-second-rack-in-the-third-hall-4"};

TEST_F(Goldens, ALostPartIsSeen) {
    ASSERT_NO_FATAL_FAILURE(open(false, false, kFour));
    const QImage whole = shown();
    EXPECT_EQ(difference(whole, whole), 0);
    QImage less = whole;
    QPainter(&less).fillRect(QRect(0, 0, 21, 200), Qt::white);  // the page buttons
    EXPECT_GT(difference(whole, less), kMostOther);
    apply_theme(*qApp, ThemeChoice::Dark, false);
    EXPECT_TRUE(wait_until([&] { return difference(whole, shown()) > 0.9; }));
}

TEST_F(Goldens, Fleet) {
    ASSERT_NO_FATAL_FAILURE(open(false, false, {}));
    ASSERT_TRUE(wait_until([&] { return find<QWidget>("firstSteps")->isVisible(); }));
    compare("fleet-first-start");
    ASSERT_NO_FATAL_FAILURE(open(true, true, kFour));
    compare("fleet-dark-wide");
}

TEST_F(Goldens, Launch) {
    for (const bool dark : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(open(dark, dark, kFour));
        window_->show_page(MainWindow::Page::Launch);
        ASSERT_TRUE(wait_start_enabled());
        compare(dark ? "launch-dark-wide" : "launch");
    }
}

TEST_F(Goldens, Doctor) {
    for (const bool dark : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(open(dark, dark, kFour));
        window_->workspace()->preflight()->set_report(window_->launch_page()->job(), PreflightDepth::Full,
                                                      synthetic_preflight({.nodes = 8, .faults = true}));
        window_->show_page(MainWindow::Page::Doctor);
        compare(dark ? "doctor-dark-wide" : "doctor");
    }
}

TEST_F(Goldens, Live) {
    for (const bool dark : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(open(dark, dark, kFour));
        window_->show_page(MainWindow::Page::Live);
        compare(dark ? "live-empty-dark-wide" : "live-empty");
        for (const int ranks : {1, 8, 1024}) {
            const std::vector<std::string> nodes = ranks == 1
                                                       ? std::vector<std::string>{"node1"}
                                                       : std::vector<std::string>{"node1", kFour.back()};
            window_->live_page()->show_stored(synthetic_data(
                {.ranks = ranks, .nodes = nodes, .steps_per_epoch = 40, .until = 0.7, .fate = Fate::Killed}));
            compare(qPrintable(u"live-%1%2"_s.arg(ranks).arg(dark ? u"-dark-wide"_s : u""_s)));
        }
    }
}

TEST_F(Goldens, Runs) {
    fill_store(
        {{.name = "mnist-convnet", .id = "a", .ranks = 2},
         {.name = "resnet-on-" + kFour.back(), .id = "b", .ranks = 4, .until = 0.6, .fate = Fate::Killed}});
    for (const bool dark : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(open(dark, dark, kFour));
        window_->show_page(MainWindow::Page::Runs);
        ASSERT_TRUE(wait_until([&] { return find<QTableView>("runsTable")->model()->rowCount() == 2; }));
        compare(dark ? "runs-dark-wide" : "runs");
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
