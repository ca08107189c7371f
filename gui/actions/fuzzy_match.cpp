// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/fuzzy_match.h>

#include <QStringList>
#include <algorithm>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr qsizetype kLongest = 200;
constexpr int kLetter = 1;
constexpr int kInARow = 6;
constexpr int kWordStart = 8;
constexpr int kTextStart = 4;
constexpr int kNone = std::numeric_limits<int>::min() / 2;

bool starts_word(const QString& text, qsizetype at) {
    return at == 0 || !text[at - 1].isLetterOrNumber() || (text[at - 1].isLower() && text[at].isUpper());
}

int letter_score(const QString& text, qsizetype at) {
    return kLetter + (starts_word(text, at) ? kWordStart : 0) + (at == 0 ? kTextStart : 0);
}

/// The best way to find one word. Two tables over (letter of the word, letter of the text): the best score that ends
/// exactly there, and where the letter before it was.
std::optional<FuzzyMatch> match_word(const QString& word, const QString& text) {
    const auto rows = std::size_t(word.size());
    const auto columns = std::size_t(text.size());
    const QString lower_word = word.toCaseFolded();
    const QString lower_text = text.toCaseFolded();
    if (rows > columns || lower_text.size() != text.size() || lower_word.size() != word.size()) {
        const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);  // letters that change their number
        return at < 0 ? std::nullopt : std::optional(FuzzyMatch{letter_score(text, at), {int(at)}});
    }
    std::vector<int> scores(rows * columns, kNone);
    std::vector<int> before(rows * columns, -1);
    for (std::size_t row = 0; row < rows; ++row) {
        int best = row == 0 ? 0 : kNone;  // of the letters before, not next to this one
        int best_at = -1;
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t cell = row * columns + column;
            if (row > 0 && column > 1 && scores[cell - columns - 2] > best) {
                best = scores[cell - columns - 2];
                best_at = int(column) - 2;
            }
            if (lower_word[qsizetype(row)] != lower_text[qsizetype(column)]) {
                continue;
            }
            int score = best;
            int from = best_at;
            if (row > 0 && column > 0 && scores[cell - columns - 1] + kInARow > score) {
                score = scores[cell - columns - 1] + kInARow;
                from = int(column) - 1;
            }
            if (score > kNone / 2) {
                scores[cell] = score + letter_score(text, qsizetype(column));
                before[cell] = from;
            }
        }
    }
    const auto last = scores.end() - std::ptrdiff_t(columns);
    const auto top = std::max_element(last, scores.end());
    if (*top < 0) {
        return std::nullopt;
    }
    FuzzyMatch match{*top, {}};
    int column = int(top - last);
    for (std::size_t row = rows; row-- > 0;) {
        match.positions.push_back(column);
        column = before[row * columns + std::size_t(column)];
    }
    std::reverse(match.positions.begin(), match.positions.end());
    return match;
}

}  // namespace

std::optional<FuzzyMatch> fuzzy_match(const QString& query, const QString& text) {
    FuzzyMatch all;
    const QString room = text.left(kLongest);
    for (const QString& word : query.left(kLongest).split(u' ', Qt::SkipEmptyParts)) {
        const auto match = match_word(word, room);
        if (!match) {
            return std::nullopt;
        }
        all.score += match->score;
        all.positions.insert(all.positions.end(), match->positions.begin(), match->positions.end());
    }
    std::sort(all.positions.begin(), all.positions.end());
    all.positions.erase(std::unique(all.positions.begin(), all.positions.end()), all.positions.end());
    return all;
}

}  // namespace rankscope::gui
