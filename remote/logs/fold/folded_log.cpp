// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/facts/nccl_message.h>
#include <remote/logs/fold/folded_log.h>

#include <algorithm>
#include <cmath>

namespace rankscope::logs {
namespace {

constexpr std::uint64_t kOrderStep = std::uint64_t{1} << 32U;

}  // namespace

int FoldedLog::speaker_of(const LogLine& line) {
    if (last_.id >= 0 && last_.rank == line.rank && last_.pid == line.pid && last_.device == line.device &&
        last_.file == line.place.file && last_.host == line.host) {
        return last_.id;
    }
    last_ = {.id = find_speaker(line),
             .rank = line.rank,
             .pid = line.pid,
             .device = line.device,
             .file = line.place.file,
             .host = std::string(line.host)};
    return last_.id;
}

int FoldedLog::find_speaker(const LogLine& line) {
    key_.clear();
    if (line.rank >= 0) {
        key_.append(1, 'r').append(std::to_string(line.rank));
    } else {
        key_.append(line.host).append(1, '\n').append(std::to_string(line.pid)).append(1, '\n');
        key_.append(std::to_string(line.device));
        if (line.pid < 0) {
            key_.append(1, '\n').append(std::to_string(line.place.file));
        }
    }
    const auto found = speaker_ids_.find(key_);
    if (found != speaker_ids_.end()) {
        return found->second;
    }
    if (speakers_.size() >= static_cast<std::size_t>(RankSet::kMost)) {
        return -1;
    }
    const int id = static_cast<int>(speakers_.size());
    speaker_ids_.emplace(key_, id);
    speakers_.push_back({.rank = line.rank, .rank_of = 0, .host = std::string(line.host), .pid = line.pid});
    states_.push_back({});
    return id;
}

// Which rank the speaker is, and the communicator that it makes.
void FoldedLog::learn(int speaker, std::string_view message) {
    if (message.find(" nranks ") == message.npos) {
        return;
    }
    const auto line = comm_line(message);
    if (!line) {
        return;
    }
    auto& who = speakers_[static_cast<std::size_t>(speaker)];
    auto& state = states_[static_cast<std::size_t>(speaker)];
    if (line->rank >= 0 && line->nranks > who.rank_of && (who.rank < 0 || who.rank_of > 0)) {
        who.rank = line->rank;
        who.rank_of = line->nranks;
    }
    if (line->event == CommEvent::InitStart) {
        state.phase = std::min(state.phase + 1, kLastPhase);
        state.communicator = line->id;
        state.making = true;
    } else if (line->event == CommEvent::InitComplete) {
        state.communicator = line->id;
        if (!state.making) {
            state.phase = std::min(state.phase + 1, kLastPhase);
        }
        state.making = false;
    }
}

FoldedLine* FoldedLog::line_of(const LogLine& line, int speaker) {
    auto& state = states_[static_cast<std::size_t>(speaker)];
    key_ = template_.key;
    key_ += static_cast<char>('0' + state.phase);
    key_ += static_cast<char>('0' + static_cast<int>(line.level));
    const auto found = by_key_.find(key_);
    if (found != by_key_.end()) {
        if (!state.any || found->second->order > state.last->order) {
            state.last = found->second;
            state.any = true;
        }
        return &*found->second;
    }
    if (lines_.size() >= kMostLines) {
        return nullptr;
    }
    FoldedLine folded;
    folded.key = template_.key;
    folded.phase = state.phase;
    folded.speaker = line.speaker;
    folded.level = line.level;
    folded.sample = std::string(line.message.substr(0, kLongestTemplate));
    folded.source = std::string(line.source);
    for (const auto& place : template_.places) {
        folded.places.push_back({.kind = place.kind, .many = false, .values = {}});
    }
    state.last = put(std::move(folded), state);
    state.any = true;
    by_key_.emplace(key_, state.last);
    return &*state.last;
}

// Behind the lines before it of the same speaker: so a line of one rank alone stands where it happened.
std::list<FoldedLine>::iterator FoldedLog::put(FoldedLine folded, const State& state) {
    const auto next = state.any ? std::next(state.last) : lines_.begin();
    const auto made = lines_.insert(next, std::move(folded));
    const std::uint64_t before = made == lines_.begin() ? 0 : std::prev(made)->order;
    const std::uint64_t after = next == lines_.end() ? before + 2 * kOrderStep : next->order;
    made->order = before + (after - before) / 2;
    if (made->order == before) {
        std::uint64_t order = 0;
        for (auto& line : lines_) {
            line.order = order += kOrderStep;
        }
    }
    return made;
}

void FoldedLog::add_values(FoldedLine& folded, int speaker, const LinePlace& place) {
    for (std::size_t i = 0; i < folded.places.size() && i < template_.places.size(); ++i) {
        auto& here = folded.places[i];
        const auto text = template_.places[i].text;
        if (here.many) {
            continue;
        }
        const auto known = std::find_if(here.values.begin(), here.values.end(),
                                        [&](const FoldedValue& value) { return value.text == text; });
        if (known != here.values.end()) {
            if (here.kind == PlaceKind::Value) {
                known->speakers.insert(speaker);
            }
            continue;
        }
        const bool own_varies = here.kind == PlaceKind::Own && !here.values.empty();
        if (own_varies || here.values.size() >= kMostValues || stored_ >= kMostStored) {
            here.many = true;
            stored_ -= std::min(stored_, here.values.size());
            here.values = {};
            continue;
        }
        here.values.push_back({.text = std::string(text), .speakers = {}, .first = place});
        here.values.back().speakers.insert(speaker);
        ++stored_;
    }
}

void FoldedLog::feed(const LogLine& line) {
    if (line.speaker != Speaker::Nccl && line.speaker != Speaker::Torch && line.speaker != Speaker::Gloo) {
        return;
    }
    ++taken_;
    const int speaker = line.message.empty() ? -1 : speaker_of(line);
    if (speaker < 0) {
        ++left_out_;
        return;
    }
    if (line.speaker == Speaker::Nccl) {
        learn(speaker, line.message);
    }
    template_.take(line.message, line.host);
    FoldedLine* folded = line_of(line, speaker);
    if (folded == nullptr) {
        ++left_out_;
        return;
    }
    ++folded->count;
    if (std::isfinite(line.time) && !line.time_of_day_only) {
        folded->first_s = std::fmin(folded->first_s, line.time);  // NaN: the other one
        folded->last_s = std::fmax(folded->last_s, line.time);
    }
    if (folded->speakers.insert(speaker) && first_lines_ < kMostFirsts) {
        ++first_lines_;
        folded->firsts.push_back({.speaker = speaker, .place = line.place});
    }
    add_values(*folded, speaker, line.place);
    const auto& communicator = states_[static_cast<std::size_t>(speaker)].communicator;
    if (!communicator.empty() && folded->communicators.size() < kMostCommunicators &&
        std::find(folded->communicators.begin(), folded->communicators.end(), communicator) ==
            folded->communicators.end()) {
        folded->communicators.push_back(communicator);
    }
}

}  // namespace rankscope::logs
