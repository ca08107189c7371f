// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/archive/export/svg_plot.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::inline archive {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 240;
constexpr double kLeft = 64;
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 40;
constexpr int kColours = 8;

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void take(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    bool empty() const { return most < least; }
    // A range of one value has room on both sides.
    void open(double share) {
        const double room = most > least ? (most - least) * share : most != 0 ? std::abs(most) / 10 : 1;
        least -= room;
        most += room;
    }
};

std::string coordinate(double value) {
    return fixed_text(value, 1);
}

class Frame {
public:
    Frame(Range x, Range y) : x_(x), y_(y) {}

    double x(double value) const {
        return kLeft + (value - x_.least) / (x_.most - x_.least) * (kWidth - kLeft - kRight);
    }
    double y(double value) const {
        return kHeight - kBottom - (value - y_.least) / (y_.most - y_.least) * (kHeight - kTop - kBottom);
    }
    std::string point(double px, double py) const { return coordinate(x(px)) + ',' + coordinate(y(py)); }

    std::string axes(std::string_view x_title) const {
        constexpr int kXTicks = 6;
        constexpr int kYTicks = 4;
        constexpr double kGap = 6;
        constexpr double kTextHeight = 14;
        std::string svg;
        for (const double tick : nice_ticks(y_.least, y_.most, kYTicks)) {
            svg += "<line class=\"grid\" x1=\"" + coordinate(kLeft) + "\" x2=\"" +
                   coordinate(kWidth - kRight) + "\" y1=\"" + coordinate(y(tick)) + "\" y2=\"" +
                   coordinate(y(tick)) + "\"/><text x=\"" + coordinate(kLeft - kGap) + "\" y=\"" +
                   coordinate(y(tick) + 4) + "\" text-anchor=\"end\">" + short_number_text(tick) + "</text>";
        }
        for (const double tick : nice_ticks(x_.least, x_.most, kXTicks)) {
            svg += "<line class=\"grid\" x1=\"" + coordinate(x(tick)) + "\" x2=\"" + coordinate(x(tick)) +
                   "\" y1=\"" + coordinate(kTop) + "\" y2=\"" + coordinate(kHeight - kBottom) +
                   "\"/><text x=\"" + coordinate(x(tick)) + "\" y=\"" +
                   coordinate(kHeight - kBottom + kTextHeight) + "\" text-anchor=\"middle\">" +
                   short_number_text(tick, 7) + "</text>";
        }
        return svg + "<text x=\"" + coordinate((kWidth + kLeft - kRight) / 2) + "\" y=\"" +
               coordinate(kHeight - kGap) + "\" text-anchor=\"middle\">" + html_text(x_title) + "</text>";
    }

private:
    Range x_;
    Range y_;
};

std::string area(const Frame& frame, const BinnedCurve& curve) {
    std::string points;
    for (const auto& point : curve.points) {
        points += frame.point(point.x, point.most) + ' ';
    }
    for (auto point = curve.points.rbegin(); point != curve.points.rend(); ++point) {
        points += frame.point(point->x, point->least) + ' ';
    }
    return "<polygon class=\"band\" points=\"" + points + "\"/>";
}

std::string line(const Frame& frame, const BinnedCurve& curve) {
    std::string points;
    for (const auto& point : curve.points) {
        points += frame.point(point.x, point.mean) + ' ';
    }
    const int colour = std::max(curve.rank, 0) % kColours;
    std::string title = curve.rank >= 0 ? "<title>rank " + std::to_string(curve.rank) + "</title>" : "";
    if (curve.points.size() == 1) {
        const auto& point = curve.points.front();
        return "<circle class=\"d" + std::to_string(colour) + "\" r=\"3\" cx=\"" +
               coordinate(frame.x(point.x)) + "\" cy=\"" + coordinate(frame.y(point.mean)) + "\">" + title +
               "</circle>";
    }
    return "<polyline class=\"c" + std::to_string(colour) + "\" points=\"" + points + "\">" + title +
           "</polyline>";
}

}  // namespace

std::vector<double> nice_ticks(double least, double most, int wanted) {
    std::vector<double> ticks;
    const double rough = (most - least) / std::max(wanted, 1);
    if (!(rough > 0) || !std::isfinite(rough)) {
        return ticks;
    }
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            step = factor * power;
            break;
        }
    }
    const double first = std::ceil(least / step);
    const double last = std::floor(most / step);
    for (double number = first; number <= last && ticks.size() < 1000; number += 1) {
        ticks.push_back(number == 0 ? 0 : number * step);
    }
    return ticks;
}

std::string svg_plot(const BinnedMetric& metric, std::string_view x_title) {
    Range x;
    Range y;
    for (const auto& curve : metric.curves) {
        for (const auto& point : curve.points) {
            x.take(point.x);
            y.take(curve.rank < 0 ? point.least : point.mean);
            y.take(curve.rank < 0 ? point.most : point.mean);
        }
    }
    if (x.empty()) {
        return {};
    }
    constexpr double kRoom = 0.05;
    if (x.most <= x.least) {
        x.open(0);
    }
    y.open(kRoom);
    const Frame frame(x, y);
    std::string svg = "<svg viewBox=\"0 0 " + coordinate(kWidth) + ' ' + coordinate(kHeight) +
                      "\" role=\"img\" aria-label=\"" + html_text(metric.name) + "\">" + frame.axes(x_title);
    for (const auto& curve : metric.curves) {
        svg += curve.rank < 0 ? area(frame, curve) : "";
        svg += line(frame, curve);
    }
    return svg + "</svg>";
}

std::string html_text(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
                    result += c;
                }
        }
    }
    return result;
}

}  // namespace rankscope::inline archive
