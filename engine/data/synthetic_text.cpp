// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/sample_random.h>
#include <engine/data/synthetic_text.h>

#include <cctype>
#include <span>
#include <string_view>

namespace rankscope::engine {
namespace {

/// A letter of the grammar and the texts that can replace it.
struct Choices {
    char letter;
    std::string_view options;  ///< separated by '|'
};

// Capital letters that no small letter follows are choices, all else is text. Noun phrases F, nouns N, adjectives A; verbs
// with an object V and without I, after an auxiliary W and J; places P, times T.
constexpr Choices kGrammar[] = {
    {'S', "C.|C.|C,\nand C.|C;\nyet C.|Q?|E!|If C,\nthen C."},
    {'C',
     "F V F|F V F P|F I P|T F V F|T F I|thou dost W F|I shall W thy N|my N I P|no N V F|all the world must "
     "J"},
    {'Q', "Who V F|Why doth F J|Where is the N|What N V F|Dost thou W F|Shall we J P"},
    {'E', "O A N|Come, A N|Alas, F I|Away|Peace, good N|Hail to F"},
    {'F', "the N|the A N|a N|his A N|our N|thy N|this A N|my lord|the king|the queen"},
    {'N',
     "heart|crown|sword|night|day|love|tongue|grave|garden|river|moon|storm|ship|letter|ghost|brother|"
     "daughter|"
     "soldier|friend|winter|summer|shadow|honour|sorrow|mountain|morning|promise|stone|flame|song"},
    {'A',
     "gentle|noble|wretched|silent|golden|bitter|foolish|ancient|cruel|pale|merry|faithful|hollow|burning|"
     "weary|"
     "gracious|frozen|secret"},
    {'V',
     "loves|fears|keeps|betrays|follows|remembers|forgives|commands|awakes|breaks|hides|praises|curses|"
     "seeks"},
    {'W', "love|fear|keep|betray|follow|remember|forgive|command|awake|break|hide|praise|curse|seek"},
    {'I', "weeps|sleeps|sings|trembles|returns|is lost|lies still|grows old|speaks no more|burns|waits|dies"},
    {'J', "weep|sleep|sing|tremble|return|be lost|lie still|grow old|speak no more|burn|wait|die"},
    {'P',
     "in the garden|beneath the moon|upon the hill|by the river|at the gate|within these walls|across the "
     "sea|"
     "among the dead"},
    {'T', "tonight|at dawn|in winter|when summer ends|this very hour|long ago|ere the morning|tomorrow"}};

constexpr std::string_view kSpeakers = "FIRST LORD|SECOND LORD|KING|QUEEN|FOOL|GHOST|CAPTAIN|NURSE";

std::string_view choose(std::string_view options, SampleRandom& random) {
    std::int64_t count = 1;
    for (const char c : options) {
        count += c == '|' ? 1 : 0;
    }
    for (std::int64_t skipped = random.below(count); skipped > 0; --skipped) {
        options.remove_prefix(options.find('|') + 1);
    }
    return options.substr(0, options.find('|'));
}

void expand(std::string_view part, SampleRandom& random, std::string& text) {
    for (std::size_t i = 0; i < part.size(); ++i) {
        const char c = part[i];
        const bool alone = i + 1 == part.size() || std::islower(static_cast<unsigned char>(part[i + 1])) == 0;
        const Choices* chosen = nullptr;
        for (const Choices& choices : kGrammar) {
            chosen = choices.letter == c && alone ? &choices : chosen;
        }
        // "I" before an auxiliary is the pronoun.
        if (chosen == nullptr || part.substr(i).starts_with("I shall")) {
            text += c;
        } else {
            expand(choose(chosen->options, random), random, text);
        }
    }
}

/// Each line of a verse begins with a capital letter.
void capitalise(std::span<char> verse) {
    bool begins = true;
    for (char& c : verse) {
        c = begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        begins = c == '\n';
    }
}

}  // namespace

std::string synthetic_text(std::size_t bytes, std::uint64_t seed, std::uint64_t stream) {
    constexpr std::int64_t kMostSentences = 4;
    SampleRandom random(seed, static_cast<std::int64_t>(stream), 0);
    std::string text;
    text.reserve(bytes + 1024);
    while (text.size() < bytes) {
        text += choose(kSpeakers, random);
        text += ":\n";
        for (std::int64_t left = 1 + random.below(kMostSentences); left > 0; --left) {
            const std::size_t begin = text.size();
            expand("S", random, text);
            text += '\n';
            capitalise(std::span(text).subspan(begin));
        }
        text += '\n';
    }
    text.resize(bytes);
    return text;
}

}  // namespace rankscope::engine
