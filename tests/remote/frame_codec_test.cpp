// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/frame_codec.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace rankscope {
namespace {

std::string random_bytes(std::mt19937& random, std::size_t size) {
    std::string bytes(size, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    return bytes;
}

std::vector<std::string> random_payloads(std::mt19937& random, std::size_t count) {
    std::vector<std::string> payloads;
    for (std::size_t i = 0; i < count; ++i) {
        // Mostly small; now and then none at all, or one that spans many pieces.
        const unsigned kind = random() % 10;
        payloads.push_back(random_bytes(random, kind == 0   ? 0
                                                : kind == 1 ? random() % 200000
                                                            : random() % 300));
    }
    return payloads;
}

std::string framed(const std::vector<std::string>& payloads) {
    std::string stream;
    for (const auto& payload : payloads) {
        append_frame(stream, payload);
    }
    return stream;
}

// Feeds in random pieces, takes whatever is whole after each.
std::vector<std::string> read_in_pieces(FrameReader& reader, std::string_view stream, std::mt19937& random,
                                        std::size_t largest) {
    std::vector<std::string> got;
    while (!stream.empty()) {
        const std::size_t size = std::min<std::size_t>(stream.size(), random() % largest + 1);
        reader.feed(stream.substr(0, size));
        stream.remove_prefix(size);
        if (random() % 3 != 0) {  // not always: several frames may wait in the buffer
            while (const auto payload = reader.next()) {
                got.emplace_back(*payload);
            }
        }
    }
    while (const auto payload = reader.next()) {
        got.emplace_back(*payload);
    }
    return got;
}

TEST(FrameCodec, LayoutIsLengthChecksumPayload) {
    std::string out = "before";
    append_frame(out, "123456789");
    const std::string expected = std::string("before\x09\0\0\0", 10) + "\x26\x39\xf4\xcb" + "123456789";
    EXPECT_EQ(out, expected) << "CRC-32 of 123456789 is cbf43926, little endian";
}

TEST(FrameCodec, AnyPiecesGiveTheSamePayloads) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        const auto payloads = random_payloads(random, 40);
        const std::string stream = framed(payloads);
        FrameReader reader;
        const auto got = read_in_pieces(reader, stream, random,
                                        seed % 4 == 0   ? 3000
                                        : seed % 4 == 1 ? 9
                                                        : 70000);
        ASSERT_EQ(got, payloads) << "seed " << seed;
        ASSERT_FALSE(reader.damaged());
        ASSERT_EQ(reader.consumed(), stream.size());
    }
}

TEST(FrameCodec, ByteByByte) {
    std::string stream;
    append_frame(stream, "");
    append_frame(stream, "a");
    FrameReader reader;
    std::vector<std::string> got;
    for (const char byte : stream) {
        reader.feed({&byte, 1});
        while (const auto payload = reader.next()) {
            got.emplace_back(*payload);
        }
    }
    EXPECT_EQ(got, (std::vector<std::string>{"", "a"}));
}

TEST(FrameCodec, CutStreamLosesTheLastFrameOnly) {
    std::mt19937 random(7);
    const std::vector<std::string> payloads{"one", "", std::string(5000, 'x'), "four"};
    const std::string stream = framed(payloads);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        FrameReader reader;
        reader.feed(std::string_view(stream).substr(0, cut));
        std::vector<std::string> got;
        while (const auto payload = reader.next()) {
            got.emplace_back(*payload);
        }
        ASSERT_TRUE(std::equal(got.begin(), got.end(), payloads.begin())) << cut;
        ASSERT_FALSE(reader.damaged()) << "a cut is not a damage: the rest may still come";
        std::string whole = framed(got);
        ASSERT_EQ(reader.consumed(), whole.size());
        reader.feed(std::string_view(stream).substr(cut));
        while (const auto payload = reader.next()) {
            got.emplace_back(*payload);
        }
        ASSERT_EQ(got, payloads) << cut;
    }
}

TEST(FrameCodec, EveryFlippedBitIsNoticedOrWaitsForMore) {
    const std::vector<std::string> payloads{"first payload", "", "third, the last one"};
    const std::string stream = framed(payloads);
    for (std::size_t bit = 0; bit < stream.size() * 8; ++bit) {
        std::string bad = stream;
        bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
        FrameReader reader;
        reader.feed(bad);
        std::vector<std::string> got;
        while (const auto payload = reader.next()) {
            got.emplace_back(*payload);
        }
        ASSERT_LT(got.size(), payloads.size()) << "bit " << bit;
        ASSERT_TRUE(std::equal(got.begin(), got.end(), payloads.begin())) << "bit " << bit;
        // Undamaged, it can only be waiting: a length that has grown looks like a frame whose end has not
        // come yet.
        ASSERT_TRUE(reader.damaged() || reader.consumed() < stream.size());
        if (reader.damaged()) {
            reader.feed(stream);
            ASSERT_FALSE(reader.next()) << "nothing is trusted after a damage";
        }
    }
}

TEST(FrameCodec, RandomDamageNeverGivesAWrongPayload) {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        const auto payloads = random_payloads(random, 8);
        std::string bad = framed(payloads);
        const std::size_t at = random() % bad.size();
        switch (random() % 3) {
            case 0:
                bad[at] = static_cast<char>(bad[at] ^ (random() % 255 + 1));
                break;
            case 1:
                bad.erase(at, random() % 20 + 1);
                break;
            default:
                bad.insert(at, random_bytes(random, random() % 20 + 1));
        }
        FrameReader reader;
        const auto got = read_in_pieces(reader, bad, random, 5000);
        // Frames before the damage may be right; an inserted or removed empty frame would be right as well.
        std::size_t right = 0;
        while (right < got.size() && right < payloads.size() && got[right] == payloads[right]) {
            ++right;
        }
        ASSERT_EQ(right, got.size()) << "round " << round;
    }
}

TEST(FrameCodec, TooLongIsDamageAtOnce) {
    FrameReader reader;
    reader.feed(std::string_view("\x01\0\0\x01zzzz", 8));  // 16 MiB + 1
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.damaged());
    FrameReader huge;
    huge.feed("\xff\xff\xff\xff????");
    EXPECT_FALSE(huge.next());
    EXPECT_TRUE(huge.damaged());
}

TEST(FrameCodec, LargestPayloadPasses) {
    const std::string payload(kMaxFramePayload, 'p');
    std::string stream;
    append_frame(stream, payload);
    FrameReader reader;
    for (std::size_t at = 0; at < stream.size(); at += 1U << 18U) {
        EXPECT_FALSE(reader.next());
        reader.feed(std::string_view(stream).substr(at, 1U << 18U));
    }
    const auto got = reader.next();
    ASSERT_TRUE(got);
    EXPECT_TRUE(*got == payload);
}

TEST(GreetingSkipper, FindsTheGreetingInAnyPieces) {
    const std::string greeting(kAgentGreeting);
    const std::vector<std::string> noises{
        "",
        "Welcome!\n",
        "RANKSCOPE-AGENT \nRANKSCOPE-AGENT 2\n",
        "RANKSCOPE-AGENT 1",
        "RRANKSCOPE-AGENT 1\r\n",
        greeting.substr(0, greeting.size() - 1) + "x" + greeting.substr(0, 5),
        std::string(70000, 'n'),
        std::string("\0\xff\n", 3)};
    std::mt19937 random(3);
    for (const auto& noise : noises) {
        for (const std::size_t largest : {1U, 3U, 20U, 100000U}) {
            const std::string stream = noise + greeting + "the rest" + greeting;
            GreetingSkipper skipper;
            std::string rest;
            std::size_t at = 0;
            bool found = false;
            while (!found && at < stream.size()) {
                const std::size_t size = std::min<std::size_t>(random() % largest + 1, stream.size() - at);
                found = skipper.feed(std::string_view(stream).substr(at, size), rest);
                at += size;
            }
            ASSERT_TRUE(found);
            ASSERT_EQ(rest + stream.substr(at), "the rest" + greeting) << noise.substr(0, 40);
            ASSERT_EQ(skipper.noise(), noise.substr(noise.size() - skipper.noise().size()));
            ASSERT_GE(skipper.noise().size(), std::min<std::size_t>(noise.size(), 65536));
        }
    }
}

TEST(GreetingSkipper, KeepsABoundedEndOfEndlessNoise) {
    GreetingSkipper skipper;
    std::string rest;
    const std::string piece(10000, 'x');
    for (int i = 0; i < 500; ++i) {
        ASSERT_FALSE(skipper.feed(piece, rest));
        ASSERT_LE(skipper.noise().size(), 65536 + kAgentGreeting.size());
    }
    EXPECT_TRUE(skipper.feed(kAgentGreeting, rest));
    EXPECT_TRUE(rest.empty());
    EXPECT_LE(skipper.noise().size(), 65536U + kAgentGreeting.size());
}

}  // namespace
}  // namespace rankscope
