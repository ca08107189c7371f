// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/style/fitting_number.h>

#include <QRegularExpression>
#include <array>
#include <cmath>

namespace rankscope::gui {

namespace {

/// The parts of "-1 234.50e-4 ms": sign, whole, decimals, exponent, unit.
const QRegularExpression& number_pattern() {
    static const QRegularExpression pattern(
        u"^([-+\u2212\u00b1]?)(\\d[\\d\u2009\u202f\u00a0,]*)(?:\\.(\\d+))?(e[-+]?\\d+)?( ?[^\\d\\s.,:;\\-][^\\d\\s:;]{0,7})?$"_s);
    return pattern;
}

QString only_digits(QString whole) {
    return whole.remove(QRegularExpression(u"\\D"_s));
}

}  // namespace

QString fitting_number(const QString& text, const std::function<bool(const QString&)>& fits) {
    if (text.isEmpty() || fits(text)) {
        return text;
    }
    const QRegularExpressionMatch parts = number_pattern().match(text);
    if (!parts.hasMatch()) {
        return text;
    }
    const QString sign = parts.captured(1);
    const QString whole = only_digits(parts.captured(2));
    const QString decimals = parts.captured(3);
    const QString rest = parts.captured(4) + parts.captured(5);
    // Rounded as a number: 0.0996 has not 0.09, but 0.1.
    const double size = QString(whole % u'.' % decimals).toDouble();
    for (qsizetype digits = decimals.size() - 1; digits >= 0; --digits) {
        const QString rounded = QString::number(size, 'f', int(digits));
        const bool vanishes = size > 0 && rounded.toDouble() == 0;  // 0.04 is not 0
        const QString shorter = QString(sign % rounded % rest);
        if (!vanishes && fits(shorter)) {
            return shorter;
        }
    }
    static constexpr std::array<std::pair<double, char16_t>, 4> kUnits{
        {{1e12, u'T'}, {1e9, u'G'}, {1e6, u'M'}, {1e3, u'k'}}};
    for (const auto& [unit, letter] : kUnits) {
        if (size < unit || !parts.captured(4).isEmpty() || !parts.captured(5).isEmpty()) {
            continue;
        }
        for (int digits = 2; digits >= 0; --digits) {
            const QString shorter = QString(sign % QString::number(size / unit, 'f', digits) % QChar(letter));
            if (fits(shorter)) {
                return shorter;
            }
        }
    }
    return u"…"_s;
}

}  // namespace rankscope::gui
