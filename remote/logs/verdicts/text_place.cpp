// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/verdicts/text_place.h>

#include <re2/re2.h>

#include <array>

namespace rankscope::logs {
namespace {

// Groups: host, rank, device; one of the patterns of each kind decides.
struct Shape {
    re2::RE2 pattern;
    bool of_another = false;
};

const std::array<Shape, 7>& host_shapes() {
    static const std::array<Shape, 7> shapes{{
        {re2::RE2(R"(\bnode ([\w.-]+), device)"), false},
        {re2::RE2(R"((?:^|\s)([\w.-]+): Test (?:CUDA|NCCL) failure)"), true},
        {re2::RE2(R"( \.\. ([\w.-]+) pid \d+: Test failure)"), true},
        {re2::RE2(R"(srun: error: ([\w.-]+): tasks? )"), true},
        {re2::RE2(R"(\*\*\* (?:JOB|STEP) \S+ ON (\w[\w.-]*) CANCELLED)"), true},
        {re2::RE2(R"(\bon (?:the )?(?:node|host):? '?([A-Za-z][\w-]*[\d-][\w.-]*))"), true},
        {re2::RE2(R"(\bIP: (\d+\.\d+\.\d+\.\d+))"), true},
    }};
    return shapes;
}

const std::array<re2::RE2, 6>& rank_shapes() {
    static const std::array<re2::RE2, 6> shapes{{
        re2::RE2(R"(\[(?:PG [^\]]*)?[Rr]ank:? ?(\d+)\])"),
        re2::RE2(R"(\b[Rr]ank:? (\d+), node )"),
        re2::RE2(R"(\bon rank:? (\d+)\b)"),
        re2::RE2(
            R"(\b[Rr]ank:? (\d+) (?:has )?(?:failed|crashed|died|exited|got|hit|ran out|raised|is out|encountered|reported|caught|received))"),
        re2::RE2(R"(srun: error: [\w.-]+: task (\d+): )"),
        re2::RE2(R"(\b(?:global_)?rank[=:] ?(\d+)\b)"),
    }};
    return shapes;
}

const std::array<re2::RE2, 7>& device_shapes() {
    static const std::array<re2::RE2, 7> shapes{{
        re2::RE2(
            R"((?:GPU|PCI|PCI ?[Bb]us|bus id|NVRM: .*GPU(?: at)?)[ :(]*(?:PCI:)?([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?))"),
        re2::RE2(R"(\bnvidia ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d))"),
        re2::RE2(R"(\bGPU[ #:]{0,2}(\d{1,2})\b)"),
        re2::RE2(R"(\bcuda:(\d{1,2})\b)"),
        re2::RE2(R"(\b(?:CUDA )?device[ =:]{1,2}(\d{1,2})\b)"),
        re2::RE2(R"(\bdevice(?: index| ID)[ =:]{1,2}(\d{1,2})\b)"),
        re2::RE2(R"(\bgpu_id[=: ]{1,2}(\d{1,2})\b)"),
    }};
    return shapes;
}

}  // namespace

TextPlace place_in(std::string_view text) {
    TextPlace place;
    const re2::StringPiece piece(text.data(), text.size());
    for (const auto& shape : host_shapes()) {
        if (re2::RE2::PartialMatch(piece, shape.pattern, &place.host)) {
            place.of_another = shape.of_another;
            break;
        }
    }
    std::string digits;
    for (const auto& shape : rank_shapes()) {
        if (re2::RE2::PartialMatch(piece, shape, &digits) && digits.size() <= 6) {
            place.rank = std::stoi(digits);
            break;
        }
    }
    for (const auto& shape : device_shapes()) {
        std::string device;
        if (re2::RE2::PartialMatch(piece, shape, &device)) {
            place.device = "GPU " + device;
            return place;
        }
    }
    static const re2::RE2 card(R"(\b((?:mlx[45]|bnxt_re|irdma|efa|hfi1|rocep\w*|rdmap\w*|ibp\w*)_?\d+)\b)");
    re2::RE2::PartialMatch(piece, card, &place.device);
    return place;
}

bool names_node(std::string_view address) {
    static const re2::RE2 own(
        R"(^(?:\[?(?:::ffff:)?(?:127\.|169\.254\.)|\[?fe80:|\[?::1\]?$|localhost|ip6-loopback|0\.0\.0\.0))");
    return !address.empty() && !re2::RE2::PartialMatch({address.data(), address.size()}, own);
}

}  // namespace rankscope::logs
