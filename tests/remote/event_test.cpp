// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"

#include <base/json_text.h>
#include <remote/wire/event_json.h>
#include <remote/wire/event_wire.h>

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace rankscope {
namespace {

using test::all_kinds;
using test::describe;
using test::make_event;

TEST(EventWire, EveryKindThatANodeSendsComesBack) {
    for (const auto& event : all_kinds()) {
        if (event.as<DiagnosisEvent>() != nullptr || event.as<LinkEvent>() != nullptr) {
            continue;  // the desk's alone
        }
        wire::Event frame;
        ASSERT_TRUE(frame.ParseFromString(to_wire(event).SerializeAsString()));
        Event expected = event;
        if (auto* end = std::get_if<EndEvent>(&expected.body)) {
            end->exit_code = 0;  // the desk's to decide
        }
        EXPECT_EQ(describe(from_wire(frame, event.node)), describe(expected));
    }
}

TEST(EventWire, ANodeSendsIdAndArgumentsOfANotice) {
    const NoticeEvent notice{.id = "rank-stopped", .args = {"4711", "19"}, .title = "the desk's"};
    const Event back = from_wire(to_wire(make_event(notice)), "n");
    ASSERT_NE(back.as<NoticeEvent>(), nullptr);
    EXPECT_EQ(back.as<NoticeEvent>()->id, FailureId("rank-stopped"));
    EXPECT_EQ(back.as<NoticeEvent>()->args, notice.args);
    EXPECT_EQ(back.as<NoticeEvent>()->title, "");
}

TEST(EventWire, AnEndNamesTheNodeThatWasLost) {
    for (const auto kind : {wire::CAUSE_NODE_SILENT, wire::CAUSE_NODE_GONE}) {
        wire::Event frame;
        frame.mutable_end()->mutable_cause()->set_kind(kind);
        frame.mutable_end()->mutable_cause()->set_node("node2");
        EXPECT_EQ(from_wire(frame, "node1").as<EndEvent>()->lost_node, "node2");
    }
    wire::Event rebooted;  // says it of itself
    rebooted.mutable_end()->mutable_cause()->set_kind(wire::CAUSE_NODE_REBOOTED);
    EXPECT_EQ(from_wire(rebooted, "node1").as<EndEvent>()->lost_node, "node1");
}

TEST(EventWire, BytesThatAreNoTextSurvive) {
    const std::string bytes =
        "\xff\xfe\0 raw\x80"
        "\n";
    const Event log = make_event(LogEvent{true, bytes});
    wire::Event frame;
    ASSERT_TRUE(frame.ParseFromString(to_wire(log).SerializeAsString()));
    EXPECT_EQ(from_wire(frame, "n").as<LogEvent>()->text, bytes);
    ExitEvent exit;
    exit.reason = bytes;
    exit.last_lines = {bytes, ""};
    ASSERT_TRUE(frame.ParseFromString(to_wire(make_event(exit)).SerializeAsString()));
    EXPECT_EQ(from_wire(frame, "n").as<ExitEvent>()->last_lines, exit.last_lines);
}

TEST(EventWire, NaNSurvives) {
    MetricEvent metric;
    metric.step = 1;
    metric.values = {{"loss", std::nan("")}, {"big", std::numeric_limits<double>::infinity()}};
    const Event back = from_wire(to_wire(make_event(metric)), "n");
    EXPECT_TRUE(std::isnan(back.as<MetricEvent>()->value("loss")));
    EXPECT_TRUE(std::isinf(back.as<MetricEvent>()->value("big")));
    EXPECT_TRUE(std::isnan(back.as<MetricEvent>()->value("absent")));
    EXPECT_FALSE(back.as<MetricEvent>()->has("absent"));
}

TEST(EventWire, WhatAFileMakesVoidComesBack) {
    for (const auto& voids : {std::optional<std::int64_t>(), std::optional<std::int64_t>(-1),
                              std::optional<std::int64_t>(0), std::optional<std::int64_t>(49)}) {
        MetricEvent metric;
        metric.step = 50;
        metric.values = {{"loss", 1}};
        metric.from_file = true;
        metric.voids_after = voids;
        const Event event = make_event(metric);
        const Event back = from_wire(to_wire(event), "n");
        EXPECT_TRUE(back.as<MetricEvent>()->from_file);
        EXPECT_EQ(back.as<MetricEvent>()->voids_after, voids);
        EventBody body;
        ASSERT_TRUE(body_from_json(kind_of(event), body_to_json(event.body), body));
        EXPECT_TRUE(std::get<MetricEvent>(body).from_file);
        EXPECT_EQ(std::get<MetricEvent>(body).voids_after, voids);
        EXPECT_EQ(std::get<MetricEvent>(body).values, metric.values);
    }
}

TEST(EventWire, KeysWithoutValuesAreLeftOut) {
    wire::Event frame;
    frame.mutable_metric()->add_keys("a");
    frame.mutable_metric()->add_keys("b");
    frame.mutable_metric()->add_values(1);
    frame.mutable_metric()->add_text_values("x");
    const Event event = from_wire(frame, "n");
    EXPECT_EQ(event.as<MetricEvent>()->values.size(), 1U);
    EXPECT_TRUE(event.as<MetricEvent>()->texts.empty());
}

TEST(EventWire, AnUnknownKindKeepsItsPlaceInTheSequence) {
    wire::Event frame;
    frame.set_seq(12);
    frame.set_rank(-1);
    const Event event = from_wire(frame, "node1");
    EXPECT_EQ(event.seq, 12U);
    ASSERT_NE(event.as<StageEvent>(), nullptr);
    EXPECT_EQ(event.as<StageEvent>()->name, StageName::Note);
}

TEST(EventJson, BodyOfEveryKindComesBack) {
    for (const auto& event : all_kinds()) {
        Event back = event;
        back.body = StageEvent{};
        ASSERT_TRUE(body_from_json(kind_of(event), body_to_json(event.body), back.body)) << kind_of(event);
        EXPECT_EQ(describe(back), describe(event));
    }
}

TEST(EventJson, PublicFormHasTheContractsKeys) {
    MetricEvent metric;
    metric.step = 120;
    metric.epoch = 1;
    metric.values = {{"loss", 0.31}, {"acc1", std::nan("")}};
    Event event = make_event(metric);
    EXPECT_EQ(to_json_line(event), R"({"event":"metric","t":1700000000.25,"seq":7,"node":"node1","rank":3,)"
                                   R"("step":120,"epoch":1.0,"loss":0.31,"acc1":null})");
    event.node.clear();
    event.rank = -1;
    event.body = StageEvent{StageName::Connect, StageStatus::Progress, "node1: greeting", 0.5};
    EXPECT_EQ(to_json_line(event),
              R"({"event":"stage","t":1700000000.25,"seq":7,"node":"","rank":null,)"
              R"("stage":"connect","status":"progress","detail":"node1: greeting","progress":0.5})");
}

TEST(EventJson, ARanksOwnNamesNeverReplaceTheEnvelope) {
    // Programs like to write their rank, node or time beside the loss.
    MetricEvent metric;
    metric.step = 4;
    metric.values = {{"rank", 99}, {"t", 1}, {"seq", 1}, {"loss", 2}};
    metric.texts = {{"event", "end"}, {"node", "elsewhere"}};
    const auto json = to_json(make_event(metric));
    EXPECT_EQ(json["event"], "metric");
    EXPECT_EQ(json["rank"], 3);
    EXPECT_EQ(json["node"], "node1");
    EXPECT_EQ(json["seq"], 7);
    EXPECT_EQ(json["t"], 1700000000.25);
    EXPECT_EQ(json["step"], 4);
    EXPECT_EQ(json["loss"], 2.0);
}

TEST(EventJson, AMetricCalledLikeAKeyOfItsOwnIsStillReadable) {
    // The store must be able to read again whatever a node has sent.
    for (const char* key : {"step", "epoch"}) {
        MetricEvent metric;
        metric.step = 5;
        metric.epoch = 2;
        metric.values = {{key, std::nan("")}, {"loss", 1}};
        metric.texts = {{key, "twelve"}};
        EventBody body;
        ASSERT_TRUE(body_from_json("metric", body_to_json(EventBody(metric)), body));
        EXPECT_EQ(std::get<MetricEvent>(body).step, 5);
        EXPECT_EQ(std::get<MetricEvent>(body).epoch, 2);
        EXPECT_EQ(std::get<MetricEvent>(body).value("loss"), 1);
    }
}

TEST(EventJson, BytesThatAreNoTextAreReplaced) {
    const Event event = make_event(LogEvent{false, "a\xff\n"});
    EXPECT_NE(to_json_line(event).find("a\uFFFD\\n"), std::string::npos);
    EXPECT_EQ(to_json_line(event).find('\n'), std::string::npos);
    EventBody body;
    ASSERT_TRUE(body_from_json("log", body_to_json(event.body), body));
    EXPECT_EQ(std::get<LogEvent>(body).text, "a\uFFFD\n");
}

TEST(EventJson, ALogIsWrittenAndReadAsAnyOtherBody) {
    std::mt19937 random(7);
    // Nothing, ends of escapes, what is no UTF-8, the first and last characters of each length.
    const std::vector<std::string> parts{
        "a",          "loss 0.5", "\n",    "\r",          "\t",
        "\"",         "\\",       "\b\f",  "\x1b[31m",    std::string(1, '\0'),
        "\x1f",       "\x7f",     "u0041", "\u00e9",      "\u2588",
        "\U0001F600", "\xff",     "\xc3",  "\xed\xa0\x80"};
    for (int round = 0; round < 2000; ++round) {
        LogEvent log{.is_stderr = random() % 2 == 0,
                     .text = {},
                     .dropped_bytes = random() % 3,
                     .shared = random() % 2 == 0};
        for (auto count = random() % 12; count > 0; --count) {
            log.text += parts[random() % parts.size()];
        }
        const std::string json = body_to_json(log);
        EXPECT_EQ(json,
                  body_json(log).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
        // As it was written, and damaged: one byte changed, left out, or put in.
        std::string damaged = json;
        const std::size_t at = random() % json.size();
        const char byte = R"({"stdoutr\u00nx,:}19)"[random() % 22];
        random() % 2 == 0   ? damaged.erase(at, 1)
        : random() % 2 == 0 ? damaged.insert(at, 1, byte)
                            : damaged.replace(at, 1, 1, byte);
        for (const std::string& text : {json, damaged}) {
            EventBody fast;
            EventBody slow;
            const bool read = body_from_json("log", text, fast);
            ASSERT_EQ(read, read_body("log", read_ordered_json(text), slow)) << text;
            if (read) {
                Event a = make_event(LogEvent());
                Event b = a;
                a.body = fast;
                b.body = slow;
                EXPECT_EQ(describe(a), describe(b)) << text;
            }
        }
    }
}

TEST(EventJson, OtherTextsAreRefusedWithoutAnException) {
    EventBody body;
    EXPECT_FALSE(body_from_json("stage", "", body));
    EXPECT_FALSE(body_from_json("stage", "[]", body));
    EXPECT_FALSE(body_from_json("stage", "{", body));
    EXPECT_FALSE(body_from_json("stage", R"({"detail":5})", body));
    EXPECT_FALSE(body_from_json("exit", R"({"last_lines":[1]})", body));
    EXPECT_FALSE(body_from_json("end", R"({"culprit":{"rank":"x"}})", body));
    EXPECT_FALSE(body_from_json("nonsense", "{}", body));
    EXPECT_TRUE(body_from_json("end", R"({"culprit":7})", body));
    EXPECT_TRUE(body_from_json("exit", R"({"code":1e300,"signal":4294967297,"pid":-1e300})", body));
    EXPECT_EQ(std::get<ExitEvent>(body).signal, 0) << "what does not fit is no number of ours";
    EXPECT_TRUE(body_from_json("metric", R"({"step":9223372036854775807})", body));
    EXPECT_EQ(std::get<MetricEvent>(body).step, std::numeric_limits<std::int64_t>::max());
    for (const char* kind : {"stage", "metric", "log", "exit", "diagnosis", "end"}) {
        EXPECT_TRUE(body_from_json(kind, "{}", body)) << kind;
        EXPECT_TRUE(body_from_json(kind, R"({"future":{"deep":[1]}})", body))
            << kind << ": keys are only ever added";
    }
}

std::string upper_case(std::string text) {
    for (char& c : text) {
        c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return text;
}

TEST(EventNames, FramesNumberThemAlike) {
    for (int i = 0; i < wire::StageName_ARRAYSIZE; ++i) {
        EXPECT_EQ(wire::StageName_Name(static_cast<wire::StageName>(i)),
                  "STAGE_" + upper_case(to_string(static_cast<StageName>(i))));
    }
    for (int i = 0; i < wire::StageStatus_ARRAYSIZE; ++i) {
        EXPECT_EQ(wire::StageStatus_Name(static_cast<wire::StageStatus>(i)),
                  "STATUS_" + upper_case(to_string(static_cast<StageStatus>(i))));
    }
    for (int i = 0; i < wire::Outcome_ARRAYSIZE; ++i) {
        EXPECT_EQ(wire::Outcome_Name(static_cast<wire::Outcome>(i)),
                  "OUTCOME_" + upper_case(to_string(static_cast<Outcome>(i))));
    }
    for (int i = 0; i < wire::NcclPhase_ARRAYSIZE; ++i) {
        EXPECT_EQ(wire::NcclPhase_Name(static_cast<wire::NcclPhase>(i)),
                  "NCCL_" + upper_case(to_string(static_cast<NcclPhase>(i))));
    }
}

TEST(EventNames, NumbersOfANewerAgentAreNoFault) {
    wire::Event frame;
    frame.mutable_stage()->set_name(static_cast<wire::StageName>(99));
    frame.mutable_stage()->set_status(static_cast<wire::StageStatus>(99));
    frame.mutable_stage()->set_detail("something new");
    const Event event = from_wire(frame, "node1");
    ASSERT_NE(event.as<StageEvent>(), nullptr);
    EXPECT_EQ(event.as<StageEvent>()->name, StageName::Note);
    EXPECT_EQ(event.as<StageEvent>()->detail, "something new");
}

TEST(EventNames, RoundTrip) {
    for (const auto status :
         {StageStatus::Begin, StageStatus::Progress, StageStatus::Done, StageStatus::Failed}) {
        EXPECT_EQ(enum_from<StageStatus>(to_string(status)), status);
    }
    for (const auto outcome :
         {Outcome::Running, Outcome::Done, Outcome::Failed, Outcome::Stopped, Outcome::Lost}) {
        EXPECT_EQ(enum_from<Outcome>(to_string(outcome)), outcome);
    }
    EXPECT_EQ(enum_from<StageStatus>("?"), std::nullopt);
    EXPECT_EQ(enum_from<Outcome>(""), std::nullopt);
}

TEST(EventJson, ACommunicatorIsNamedAsInTheLogOfNccl) {
    NcclEvent nccl;
    nccl.progress = {{{0xcfd2979cb3ba7807}, "AllReduce", 3, 2, 1}};
    EXPECT_EQ(to_json(make_event(nccl)).at("progress").at(0).at("communicator"), "0xcfd2979cb3ba7807");
}

TEST(EventJson, EvidenceThatEarlierVersionsStoredAsTextIsRead) {
    EventBody body;
    ASSERT_TRUE(body_from_json("diagnosis",
                               R"({"id":"rank-killed","title":"t","evidence":["a","b"],"fix":["c"]})", body));
    const auto& diagnosis = std::get<DiagnosisEvent>(body);
    EXPECT_EQ(diagnosis.id.text(), "rank-killed");
    EXPECT_EQ(diagnosis.rank, -1);
    ASSERT_EQ(diagnosis.evidence.size(), 2U);
    EXPECT_EQ(diagnosis.evidence[1].text, "b");
    EXPECT_FALSE(body_from_json("diagnosis", R"({"evidence":"a"})", body));
    EXPECT_FALSE(body_from_json("unheard-of", "{}", body));
}

TEST(EventJson, ADiagnosisNamesNodeAndRankAtFault) {
    DiagnosisEvent diagnosis{.id = "rank-hang", .title = "t", .node = "node2", .rank = 3};
    diagnosis.evidence.push_back({.file = "rank3.log", .line = 7, .text = "x"});
    const auto json = to_json(make_event(diagnosis, 1, "", -1));
    EXPECT_EQ(json["node"], "node2");
    EXPECT_EQ(json["rank"], 3);
    EXPECT_EQ(json["evidence"][0].dump(), R"({"file":"rank3.log","line":7,"text":"x"})");
    EXPECT_TRUE(to_json(make_event(DiagnosisEvent{}, 1, "", -1))["rank"].is_null());
}

TEST(EventJson, ALineHasNoControlCharacterThatATerminalObeys) {
    const LogEvent log{false,
                       "\x1b[2J\x7f\xc2\x9b"
                       "2J\xff é\n"};
    const std::string line = to_json_line(make_event(log));
    for (const char c : line) {
        EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << line;
    }
    EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos) << line;
    EXPECT_EQ(nlohmann::json::parse(line)["text"],
              "\x1b[2J\x7f\xc2\x9b"
              "2J\xef\xbf\xbd é\n");
}

}  // namespace
}  // namespace rankscope
