// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/mesh/axis_sizes.h>
#include <remote/observe/mesh/listed_groups.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rankscope {
namespace {

constexpr std::size_t kMostLine = std::size_t{1} << 18;
constexpr int kMostRanks = 1 << 16;  ///< what a line may state, whoever has written it

/// Reads from the front of a text.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool sign(char wanted) {
        skip_blanks();
        const bool found = rest_.starts_with(wanted);
        rest_.remove_prefix(found ? 1 : 0);
        return found;
    }

    std::optional<int> number() {
        skip_blanks();
        const std::size_t end = run([](char c) { return is_digit(c); });
        const auto value = parse_number<int>(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return value && *value < kMostRanks ? value : std::nullopt;
    }

    std::string name() {
        skip_blanks();
        const std::size_t end = run([](char c) { return is_letter(c) || c == '_'; });
        std::string found(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return found;
    }

    std::string_view rest() const { return rest_; }

private:
    template <typename Is>
    std::size_t run(Is is) const {
        return static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), is) - rest_.begin());
    }
    void skip_blanks() {
        rest_.remove_prefix(run([](char c) { return c == ' '; }));
    }

    std::string_view rest_;
};

/// "0, 1]" behind the opening sign.
std::optional<std::vector<int>> numbers(Reader& reader, char close) {
    std::vector<int> all;
    do {
        if (const auto number = reader.number()) {
            all.push_back(*number);
        } else if (reader.sign(close) && !all.empty()) {
            return all;  // "(1,)"
        } else {
            return std::nullopt;
        }
    } while (reader.sign(','));
    return reader.sign(close) ? std::optional(std::move(all)) : std::nullopt;
}

/// "dp=2, tp=2)" behind the opening sign.
std::optional<std::vector<AxisSize>> assignments(Reader& reader) {
    std::vector<AxisSize> all;
    do {
        std::string name = reader.name();
        const auto value = !name.empty() && reader.sign('=') ? reader.number() : std::nullopt;
        if (!value || all.size() == kMostAxes) {
            return std::nullopt;
        }
        all.push_back({std::move(name), *value});
    } while (reader.sign(','));
    return reader.sign(')') ? std::optional(std::move(all)) : std::nullopt;
}

std::vector<ObservedGroup> lists(std::string_view line) {
    const std::size_t at = line.find("[[");
    if (at == std::string_view::npos) {
        return {};
    }
    std::string_view words = line.substr(0, at);
    words.remove_prefix(words.rfind(']') + 1);  // the prefix of a logger; npos + 1 is 0
    const StatedRole role = stated_role(words);
    if (role.role == GroupRole::Unknown) {
        return {};
    }
    std::vector<ObservedGroup> groups;
    std::set<int> seen;
    Reader reader(line.substr(at + 1));
    do {
        auto ranks = reader.sign('[') ? numbers(reader, ']') : std::nullopt;
        if (!ranks) {
            return {};
        }
        for (const int rank : *ranks) {
            if (!seen.insert(rank).second) {
                return {};
            }
        }
        std::sort(ranks->begin(), ranks->end());
        groups.push_back({.description = role.axis, .ranks = std::move(*ranks)});
    } while (reader.sign(','));
    return groups;
}

std::vector<ObservedGroup> coordinates_of(std::string_view line) {
    constexpr std::string_view kPlace = "Coord(";
    std::map<std::pair<std::string, std::vector<int>>, std::vector<int>> groups;
    for (std::size_t at = line.find(kPlace); at != std::string_view::npos; at = line.find(kPlace, at + 1)) {
        Reader reader(line.substr(at + kPlace.size()));
        const auto place = assignments(reader);
        const auto rank = place && reader.sign(':') ? reader.number() : std::nullopt;
        if (!rank) {
            return {};
        }
        for (std::size_t axis = 0; axis < place->size(); ++axis) {
            std::vector<int> others;
            for (std::size_t i = 0; i < place->size(); ++i) {
                others.push_back(i == axis ? -1 : (*place)[i].size);
            }
            groups[{(*place)[axis].name, others}].push_back(*rank);
        }
    }
    std::vector<ObservedGroup> all;
    for (auto& [key, ranks] : groups) {
        if (StatedRole role = stated_role(key.first); ranks.size() > 1) {
            // Of three axes, DeepSpeed's "model" is the tensor axis.
            const bool model = role.role == GroupRole::Unknown && key.first == "model";
            std::sort(ranks.begin(), ranks.end());
            all.push_back({.description = model                             ? "tp"
                                          : role.role == GroupRole::Unknown ? key.first
                                          : role.role == GroupRole::Own     ? role.axis
                                                                            : to_string(role.role),
                           .ranks = std::move(ranks)});
        }
    }
    return all;
}

std::vector<ObservedGroup> of_shape(const std::vector<AxisSize>& axes) {
    const std::optional<int> ranks = rank_count(axes);
    return ranks && *ranks < kMostRanks ? groups_of(axes) : std::vector<ObservedGroup>();
}

std::vector<ObservedGroup> device_mesh(std::string_view line) {
    constexpr std::string_view kMesh = "DeviceMesh((";
    constexpr std::string_view kStride = "stride=(";
    const std::size_t at = line.find(kMesh);
    if (at == std::string_view::npos) {
        return {};
    }
    Reader reader(line.substr(at + kMesh.size()));
    const auto axes = assignments(reader);
    const std::size_t stride = reader.rest().find(kStride);
    if (!axes || stride == std::string_view::npos) {
        return {};
    }
    Reader behind(reader.rest().substr(stride + kStride.size()));
    const auto strides = numbers(behind, ')');
    int expected = 1;
    bool row_major = strides && strides->size() == axes->size();
    for (std::size_t i = axes->size(); row_major && i-- > 0;) {
        row_major = (*strides)[i] == expected;
        expected *= std::clamp((*axes)[i].size, 1, kMostRanks / expected);
    }
    return row_major ? of_shape(*axes) : std::vector<ObservedGroup>();
}

std::vector<ObservedGroup> named_shape(std::string_view line) {
    const std::size_t mesh = line.find("mesh");
    const std::size_t at = mesh == std::string_view::npos ? mesh : line.find("['", mesh);
    if (at == std::string_view::npos) {
        return {};
    }
    std::vector<AxisSize> axes;
    Reader reader(line.substr(at + 1));
    do {
        std::string name = reader.sign('\'') ? reader.name() : std::string();
        if (name.empty() || !reader.sign('\'') || axes.size() == kMostAxes) {
            return {};
        }
        axes.push_back({std::move(name), 0});
    } while (reader.sign(','));
    const auto sizes =
        reader.sign(']') && reader.sign(',') && reader.sign('[') ? numbers(reader, ']') : std::nullopt;
    if (!sizes || sizes->size() != axes.size()) {
        return {};
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        axes[i].size = (*sizes)[i];
    }
    return of_shape(axes);
}

}  // namespace

std::vector<ObservedGroup> groups_of_line(std::string_view line) {
    if (line.size() > kMostLine) {
        return {};
    }
    for (const auto& form : {lists, coordinates_of, device_mesh, named_shape}) {
        if (auto groups = form(line); !groups.empty()) {
            return groups;
        }
    }
    return {};
}

}  // namespace rankscope
