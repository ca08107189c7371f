// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rankscope {
namespace {

MetricsLine parsed(std::string_view line) {
    std::string why;
    const auto result = parse_metrics_line(line, &why);
    EXPECT_TRUE(result) << line.substr(0, 200) << ": " << why;
    return result.value_or(MetricsLine{});
}

std::string refused(std::string_view line) {
    std::string why;
    EXPECT_FALSE(parse_metrics_line(line, &why)) << line.substr(0, 200);
    EXPECT_FALSE(parse_metrics_line(line)) << "the same without a place for the reason";
    return why;
}

double value_of(const MetricsLine& line, const std::string& key) {
    const auto it = std::find_if(line.values.begin(), line.values.end(),
                                 [&](const auto& entry) { return entry.first == key; });
    return it == line.values.end() ? -12345 : it->second;
}

bool has_value(const MetricsLine& line, const std::string& key) {
    return std::any_of(line.values.begin(), line.values.end(),
                       [&](const auto& entry) { return entry.first == key; });
}

TEST(MetricsLine, ReadsTheExampleOfTheContract) {
    const auto line = parsed(R"({"step":120,"epoch":1,"loss":0.31,"acc1":0.91,"lr":0.1,"samples":12800})");
    EXPECT_EQ(line.step, 120);
    EXPECT_EQ(line.epoch, 1.0);
    EXPECT_EQ(value_of(line, "loss"), 0.31);
    EXPECT_EQ(value_of(line, "acc1"), 0.91);
    EXPECT_EQ(value_of(line, "lr"), 0.1);
    EXPECT_EQ(value_of(line, "samples"), 12800);
    EXPECT_FALSE(line.stage);
    EXPECT_TRUE(line.texts.empty());
}

TEST(MetricsLine, AnUnknownStageIsANote) {
    EXPECT_EQ(parsed(R"({"stage":"warm-up","detail":"3 of 4"})").stage, StageName::Note);
    EXPECT_EQ(parsed(R"({"stage":"warm-up","detail":"3 of 4"})").detail, "warm-up: 3 of 4");
    EXPECT_EQ(parsed(R"({"detail":"3 of 4","stage":"warm-up"})").detail, "warm-up: 3 of 4");
    EXPECT_EQ(parsed(R"({"stage":"warm-up"})").detail, "warm-up");
}

TEST(MetricsLine, ReadsStages) {
    const auto line = parsed(R"({"stage":"data","detail":"reading","done":3,"total":4})");
    EXPECT_EQ(line.stage, StageName::Data);
    EXPECT_EQ(line.detail, "reading");
    EXPECT_EQ(value_of(line, "done"), 3);
    EXPECT_EQ(value_of(line, "total"), 4);
    EXPECT_FALSE(line.step);
}

TEST(MetricsLine, KeepsTextsApartFromSeries) {
    const auto line =
        parsed(R"({"params":"sha256:ab","loss":1,"note":"灰度","flag":true,"list":[1],"object":{"a":1}})");
    ASSERT_EQ(line.texts.size(), 2U);
    EXPECT_EQ(line.texts[0], (std::pair<std::string, std::string>("note", "灰度")));
    EXPECT_EQ(line.texts[1].second, "sha256:ab");
    ASSERT_EQ(line.values.size(), 1U) << "booleans, lists and objects are ignored";
}

TEST(MetricsLine, DistinguishesNotANumberFromNotMeasured) {
    const auto line = parsed(R"({"step":5,"loss":null})");
    ASSERT_TRUE(has_value(line, "loss"));
    EXPECT_TRUE(std::isnan(value_of(line, "loss")));
    EXPECT_FALSE(has_value(line, "acc1"));
    MetricsLine out;
    out.values = {{"loss", std::nan("")}, {"acc1", INFINITY}};
    EXPECT_EQ(format_metrics_line(out), "{\"loss\":null,\"acc1\":\"inf\"}\n");
}

TEST(MetricsLine, ReadsTheNaNThatPythonWrites) {
    // json.dumps({"loss": float("nan"), …}) in Python; a diverged run must not lose its lines.
    const auto line = parsed(
        R"({"step": 7, "loss": NaN, "a": Infinity, "b": -Infinity, "text": "NaN \"NaN\" Infinity\\"})");
    EXPECT_EQ(line.step, 7);
    EXPECT_TRUE(std::isnan(value_of(line, "loss")));
    EXPECT_EQ(value_of(line, "a"), INFINITY);
    EXPECT_EQ(value_of(line, "b"), -INFINITY);
    ASSERT_EQ(line.texts.size(), 1U);
    EXPECT_EQ(line.texts[0].second, "NaN \"NaN\" Infinity\\");
    refused(R"({"loss": NaNNaN})");
    refused(R"({"loss": Inf})");
    refused("NaN");
    refused("{\"a\":\"\\");
}

TEST(MetricsLine, StepAndEpochAreNumbers) {
    EXPECT_EQ(parsed(R"({"step":0})").step, 0);
    EXPECT_EQ(parsed(R"({"step":120.0})").step, 120) << "some languages know only one kind of number";
    EXPECT_EQ(parsed(R"({"step":9000000000000000})").step, 9000000000000000);
    EXPECT_FALSE(parsed(R"({"step":null,"epoch":null,"loss":1})").step);
    EXPECT_EQ(parsed(R"({"epoch":1.5})").epoch, 1.5);
    for (const char* bad : {R"({"step":-1})", R"({"step":1.5})", R"({"step":1e300})", R"({"step":"12"})",
                            R"({"step":true})", R"({"step":[1]})", R"({"step":18446744073709551615})"}) {
        EXPECT_NE(refused(bad).find("\"step\" must be a whole number"), std::string::npos) << bad;
    }
    for (const char* bad : {R"({"epoch":"1"})", R"({"epoch":{}})", R"({"epoch":false})"}) {
        EXPECT_NE(refused(bad).find("\"epoch\" must be a number"), std::string::npos) << bad;
    }
}

TEST(MetricsLine, OtherThanObjectsAreRefusedWithTheirKind) {
    EXPECT_NE(refused("[1]").find("array"), std::string::npos);
    EXPECT_NE(refused("3").find("number"), std::string::npos);
    EXPECT_NE(refused("null").find("null"), std::string::npos);
    for (const char* bad :
         {"", " ", "{", "{}{}", "{\"a\":1,}", "{'a':1}", "loss=0.1", "{\"a\":1} x", "{\"a\":1e999}"}) {
        EXPECT_EQ(refused(bad), "not a JSON object") << bad;
    }
}

TEST(MetricsLine, LimitsLengthAndDepth) {
    const std::string head = R"({"loss":1,"text":")";
    const std::string fits = head + std::string(kMaxMetricsLine - head.size() - 2, 'x') + "\"}";
    ASSERT_EQ(fits.size(), kMaxMetricsLine);
    parsed(fits);
    EXPECT_NE(refused(fits + ' ').find("65537 bytes; the limit is 65536"), std::string::npos);
    EXPECT_TRUE(parsed(R"({"a":[[[[[[[1]]]]]]]})").values.empty());
    refused(R"({"a":[[[[[[[[[[1]]]]]]]]]]})");
    refused(std::string(kMaxMetricsLine, '['));
    std::string objects;
    while (objects.size() + 5 <= kMaxMetricsLine) {
        objects += "{\"a\":";
    }
    refused(objects);
}

TEST(MetricsLine, RefusesBytesThatAreNoText) {
    refused("{\"a\":\"\xff\xfe\"}");
    refused("{\"\xc3\":1}");
    refused("{\"a\":\"\xed\xa0\x80\"}");
    refused(std::string(100, '\0'));
    refused(std::string(1000, '\xff'));
    const auto zero = parsed(R"({"a\u0000b":1})");
    ASSERT_EQ(zero.values.size(), 1U);
    EXPECT_EQ(zero.values[0].first, std::string("a\0b", 3));
}

TEST(MetricsLine, FormatReplacesBytesThatAreNoText) {
    MetricsLine line;
    line.stage = StageName::Data;
    line.detail = "file \xff.gz";
    const std::string text = format_metrics_line(line);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(parsed(std::string_view(text).substr(0, text.size() - 1)).detail, "file \uFFFD.gz");
}

TEST(MetricsLine, FormatNeverWritesALineBreakInside) {
    MetricsLine line;
    line.detail = "two\nlines\r\n";
    line.stage = StageName::Note;
    line.texts = {{"a\nb", "c\nd"}};
    const std::string text = format_metrics_line(line);
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    EXPECT_EQ(parsed(std::string_view(text).substr(0, text.size() - 1)), line);
}

std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> kParts{"loss", "a", "\"", "\\",   "é", "层", "\n",
                                                 "\t",   "{", "}",  "\x01", "😀", " "};
    std::string text = "k";
    for (unsigned i = random() % 6; i > 0; --i) {
        text += kParts[random() % kParts.size()];
    }
    return text;
}

TEST(MetricsLine, RoundTripOfWhateverAWriterCanSay) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        MetricsLine line;
        if (random() % 2 == 0) {
            line.step = static_cast<std::int64_t>(random()) * 1000;
        }
        if (random() % 2 == 0) {
            line.epoch = static_cast<double>(random() % 1000) / 7;
        }
        if (random() % 4 == 0) {
            line.stage = static_cast<StageName>(random() % EnumNames<StageName>::names.size());
            line.detail = random_text(random);
        }
        for (unsigned i = random() % 5; i > 0; --i) {
            const double scale = std::pow(10.0, static_cast<double>(random() % 560) - 280);
            line.values.emplace_back("v" + std::to_string(i) + random_text(random),
                                     static_cast<double>(random()) * scale);
            line.texts.emplace_back("t" + std::to_string(i) + random_text(random), random_text(random));
        }
        std::sort(line.values.begin(), line.values.end());
        std::sort(line.texts.begin(), line.texts.end());
        const std::string text = format_metrics_line(line);
        ASSERT_EQ(parsed(std::string_view(text).substr(0, text.size() - 1)), line) << text;
    }
}

TEST(MetricsLine, MutatedLinesNeverBreakTheReader) {
    std::mt19937 random(2);
    const std::string seed =
        R"({"step":120,"epoch":1.25,"loss":NaN,"stage":"data","detail":"x\u00e9","t":[1,{"a":null}]})";
    for (int round = 0; round < 20000; ++round) {
        std::string line = seed;
        for (unsigned i = random() % 4 + 1; i > 0; --i) {
            const std::size_t at = random() % line.size();
            switch (random() % 3) {
                case 0:
                    line[at] = static_cast<char>(random());
                    break;
                case 1:
                    line.erase(at, random() % 4);
                    break;
                default:
                    line.insert(at, line.substr(random() % line.size(), random() % 8));
            }
            if (line.empty()) {
                line = "{";
            }
        }
        if (const auto result = parse_metrics_line(line); result && result->step) {
            ASSERT_GE(*result->step, 0) << line;
        }
    }
}

TEST(MetricsLine, WhatARankWaitsForIsFields) {
    MetricsLine line;
    line.stage = StageName::Rendezvous;
    line.waiting_for = {1, 3};
    line.failed_dial = FailedDial{"10.0.0.1", 29500, 111};
    const auto read = parse_metrics_line(format_metrics_line(line));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, line);
    line.waiting_for.assign(100000, 7);
    EXPECT_EQ(parse_metrics_line(format_metrics_line(line))->waiting_for.size(), kMaxWaitingFor);
    for (const char* text : {R"({"stage": "rendezvous", "waiting_for": [-1, 1e99, "2", [3], 4294967296]})",
                             R"({"stage": "rendezvous", "waiting_for": {"1": 2}, "failed_dial": "no"})",
                             R"({"stage": "r", "failed_dial": {"address": "a", "port": 70000, "errno": 1}})",
                             R"({"stage": "r", "failed_dial": {"address": 1, "port": 1, "errno": 1}})"}) {
        const auto hostile = parse_metrics_line(text);
        ASSERT_TRUE(hostile) << text;
        EXPECT_TRUE(hostile->waiting_for.empty()) << text;
        EXPECT_FALSE(hostile->failed_dial) << text;
    }
}

}  // namespace
}  // namespace rankscope
