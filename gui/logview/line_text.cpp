// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_level.h>
#include <gui/logview/line_text.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr int kMostMarks = 400;  ///< matches drawn in a line

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LineText)
};

// Readable on white, and on a dark surface: 4.5 : 1 where the name of the colour allows.
constexpr std::array<QRgb, 16> kOnLight{
    0xff1d2329, 0xffb3261e, 0xff1a7f37, 0xff8a6100, 0xff1f5fbf, 0xff8b2fa8, 0xff0b7285, 0xff5d6670,
    0xff5d6670, 0xffcf222e, 0xff1f883d, 0xff9a6700, 0xff2f6fd0, 0xff9c3fbb, 0xff127c90, 0xff3d444c};
constexpr std::array<QRgb, 16> kOnDark{0xff8b949e, 0xffff7b72, 0xff56d364, 0xffe3b341, 0xff79b8ff, 0xffd2a8ff,
                                       0xff56d4dd, 0xffd0d7de, 0xff9aa4ae, 0xffffa198, 0xff7ee787, 0xfff2cc60,
                                       0xffa5d0ff, 0xffe2c5ff, 0xff76e3ea, 0xffffffff};

QColor color_of(std::uint32_t color, bool dark) {
    return (color & TextStyle::kPaletteBit) != 0 ? QColor((dark ? kOnDark : kOnLight)[color & 15])
                                                 : QColor(QRgb(color | 0xff000000));
}

/// A program chose it for its own background: enough lightness or darkness for ours.
QColor readable(QColor color, bool dark) {
    const int lightness = color.lightness();
    if (dark && lightness < 120) {
        color.setHsl(std::max(color.hslHue(), 0), color.hslSaturation(), 150);
    } else if (!dark && lightness > 140) {
        color.setHsl(std::max(color.hslHue(), 0), color.hslSaturation(), 95);
    }
    return color;
}

QTextCharFormat format_of(const TextStyle& style, const ThemeColors& colors) {
    QTextCharFormat format;
    if (style.bold) {
        format.setFontWeight(QFont::Bold);
    }
    format.setFontItalic(style.italic);
    format.setFontUnderline(style.underline);
    const bool has_back = style.background != TextStyle::kDefault;
    QColor back = has_back ? color_of(style.background, colors.dark) : QColor();
    if (style.foreground != TextStyle::kDefault) {
        const QColor color = color_of(style.foreground, colors.dark);
        format.setForeground(has_back ? color : readable(color, colors.dark));
    }
    if (style.faint) {
        format.setForeground(colors.muted);
    }
    if (style.inverse) {
        const QColor front =
            format.hasProperty(QTextFormat::ForegroundBrush) ? format.foreground().color() : colors.text;
        format.setForeground(has_back ? back : colors.surface);
        back = front;
    }
    if (back.isValid()) {
        format.setBackground(back);
        if (style.foreground == TextStyle::kDefault && !style.inverse) {
            format.setForeground(back.lightness() > 128 ? QColor(Qt::black) : QColor(Qt::white));
        }
    }
    return format;
}

QTextCharFormat level_format(LogKind kind, std::string_view text, const ThemeColors& colors) {
    QTextCharFormat format;
    if (kind == LogKind::Event) {
        format.setForeground(colors.accent);
        format.setFontItalic(true);
        return format;
    }
    const LineLevel level = level_of_line(text);
    if (level == LineLevel::Error || (level == LineLevel::None && kind == LogKind::Err)) {
        format.setForeground(colors.bad);
    } else if (level == LineLevel::Warning) {
        format.setForeground(colors.warning);
    } else if (level == LineLevel::Debug) {
        format.setForeground(colors.muted);
    }
    return format;
}

/// Bytes of UTF-8 → characters of its QString, at ascending places.
class Columns {
public:
    Columns(std::string_view text, bool is_ascii) : text_(text), is_ascii_(is_ascii) {}

    int at(std::size_t byte) {
        byte = std::min(byte, text_.size());
        if (is_ascii_) {
            return int(byte);
        }
        column_ += int(QString::fromUtf8(text_.data() + byte_, qsizetype(byte - byte_)).size());
        byte_ = byte;
        return column_;
    }

private:
    std::string_view text_;
    bool is_ascii_;
    std::size_t byte_ = 0;
    int column_ = 0;
};

/// Up to `most` bytes, not half a character.
std::string_view beginning(std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        return text;
    }
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) {
        --most;
    }
    return text.substr(0, most);
}

void add_styles(LineText& line, std::string_view text, const std::vector<StyledFrom>& styles,
                const ThemeColors& colors) {
    Columns columns(text, line.is_ascii);
    for (std::size_t i = 0; i < styles.size() && styles[i].byte < text.size(); ++i) {
        const int begin = columns.at(styles[i].byte);
        const int end = i + 1 < styles.size() ? columns.at(styles[i + 1].byte) : line.of_line;
        if (end > begin && styles[i].style != TextStyle{}) {
            line.formats += QTextLayout::FormatRange{begin, end - begin, format_of(styles[i].style, colors)};
        }
    }
}

void add_varying(LineText& line, std::string_view text, const std::vector<logs::TextPart>& varying,
                 const ThemeColors& colors) {
    QTextCharFormat format;
    format.setForeground(colors.muted);
    format.setUnderlineStyle(QTextCharFormat::DotLine);
    format.setUnderlineColor(colors.muted);
    Columns columns(text, line.is_ascii);
    for (const logs::TextPart& part : varying) {
        const int begin = columns.at(part.begin);
        line.formats += QTextLayout::FormatRange{begin, columns.at(part.begin + part.size) - begin, format};
    }
}

void add_marks(LineText& line, std::string_view text, const LinePattern& pattern, const ThemeColors& colors) {
    QTextCharFormat mark;
    QColor back = colors.warning;
    back.setAlphaF(0.35F);
    mark.setBackground(back);
    Columns columns(text, line.is_ascii);
    int marks = 0;
    for (auto match = pattern.find(text, 0); match && marks < kMostMarks;
         match = pattern.find(text, match->begin + match->size)) {
        const int begin = columns.at(match->begin);
        line.formats += QTextLayout::FormatRange{begin, columns.at(match->begin + match->size) - begin, mark};
        ++marks;
    }
}

}  // namespace

LineText line_text(const LineSource& store, std::uint32_t line, const LinePattern* pattern,
                   const ThemeColors& colors, const std::vector<logs::TextPart>& varying) {
    LineText shown;
    const KeptText kept = store.text(line);
    const std::string_view whole = kept.view();
    if (whole.data() == nullptr) {
        shown.text = store.loss() == LineSource::Loss::FileChanged
                         ? Words::tr("(the file has changed since it was read: open it again)")
                         : Words::tr("(this line is in the run store only: the disk was full)");
        QTextCharFormat format;
        format.setForeground(colors.muted);
        shown.formats += QTextLayout::FormatRange{0, int(shown.text.size()), format};
        return shown;
    }
    const auto is_plain = [](char c) { return (c & 0x80) == 0; };
    std::string_view text = beginning(whole, LineText::kMostBytes);
    shown.is_ascii = std::all_of(text.begin(), text.end(), is_plain);
    if (!shown.is_ascii) {
        text = beginning(whole, LineText::kMostWideBytes);
    }
    shown.text = QString::fromUtf8(text.data(), qsizetype(text.size()));
    shown.of_line = int(shown.text.size());
    shown.bytes = text.size();
    const QTextCharFormat level = level_format(store.kind(line), text, colors);
    if (!level.isEmpty()) {
        shown.formats += QTextLayout::FormatRange{0, shown.of_line, level};
    }
    add_styles(shown, text, store.styles_of(line), colors);
    add_varying(shown, text, varying, colors);
    if (pattern != nullptr) {
        add_marks(shown, text, *pattern, colors);
    }
    if (text.size() < whole.size()) {
        shown.is_cut = true;
        QTextCharFormat format;
        format.setForeground(colors.muted);
        format.setFontItalic(true);
        const QString rest = Words::tr(" … %1 in all: copy or save has the rest")
                                 .arg(QLocale().formattedDataSize(qint64(whole.size())));
        shown.formats += QTextLayout::FormatRange{shown.of_line, int(rest.size()), format};
        shown.text += rest;
        shown.is_ascii = false;
    }
    return shown;
}

}  // namespace rankscope::gui
