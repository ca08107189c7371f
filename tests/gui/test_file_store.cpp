// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Lines of files that are read where they are.

#include <gui/data/line_search.h>
#include <gui/logs/file_lines.h>
#include <gui/logs/merged_store.h>
#include <gui/strings.h>

#include <tests/gui/gui_test.h>
#include <zlib.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <random>

namespace rankscope::gui::testing {
namespace {

class FileStoreTest : public ::testing::Test {
protected:
    void write(const QString& name, const std::string& text,
               QIODevice::OpenMode mode = QIODevice::Truncate) const {
        QFile file(folder_.path() + u'/' + name);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly | mode));
        ASSERT_EQ(file.write(text.data(), qint64(text.size())), qint64(text.size()));
    }
    std::shared_ptr<const FileStore> read() {
        (void)logs::read_raw_lines({ss(folder_.path())}, {}, lines_.start());
        lines_.update(false);
        return lines_.lines();
    }
    static std::vector<std::string> texts(const LineSource& store) {
        std::vector<std::string> texts;
        for (std::uint32_t line = 0; line < store.size(); ++line) {
            texts.emplace_back(store.text(line).view());
        }
        return texts;
    }
    static std::vector<std::uint32_t> found(const LineSource& store, const std::string& text) {
        std::vector<std::uint32_t> lines;
        const LinePattern pattern({.text = text});
        search_lines(store, pattern, 0, store.size(), {}, [&](std::uint32_t line) { lines.push_back(line); });
        return lines;
    }

    QTemporaryDir folder_;
    FileLines lines_;
};

TEST_F(FileStoreTest, ShowsEveryKindOfTextAsTheReadingDoes) {
    std::string long_line(700'000, 'x');
    write(u"1.log"_s,
          "\xef\xbb\xbf"
          "first\n\n\x1b[31mred\x1b[0m\r\n 10%\r 50%\r100%\n\ttab\n" +
              long_line +
              "\nb\xff"
              "d\n最后\nno end");
    const auto store = read();
    std::vector<std::string> expected;
    logs::RawSink sink;
    sink.line = [&](const logs::RawLine& raw) {
        expected.resize(raw.place.line);
        expected.back() = displayable(raw.text, FileStore::kLongest);
    };
    (void)logs::read_raw_lines({ss(folder_.path())}, {}, sink);
    ASSERT_EQ(expected.size(), 9U);
    EXPECT_EQ(texts(*store), expected);
    EXPECT_EQ(expected.at(3), "100%");
    EXPECT_EQ(store->spool().size(), 0U) << "nothing is copied";
}

TEST_F(FileStoreTest, KeepsAnIndexOfABlockAndNoText) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) {
        text += "step " + std::to_string(i) + (i % 1000 == 7 ? " r\xc3\xa4re\n" : " of many\n");
    }
    write(u"1.log"_s, text);
    write(u"2.log"_s, "rare\nlast");
    const auto store = read();
    ASSERT_EQ(store->size(), 100'002U);
    EXPECT_EQ(store->spool().size(), 0U);
    EXPECT_LT(store->index_bytes(), text.size() / 100);
    EXPECT_EQ(store->text(54'321).view(), "step 54321 of many");
    EXPECT_EQ(store->text(99'007).view(), "step 99007 r\xc3\xa4re");
    EXPECT_EQ(store->rank(99'999), 0);
    EXPECT_EQ(store->rank(100'000), 1);
    EXPECT_EQ(store->text(100'001).view(), "last");
    EXPECT_EQ(found(*store, "9999 of").size(), 10U);
    const auto rare = found(*store, "re");
    ASSERT_EQ(rare.size(), 101U);
    EXPECT_EQ(rare.at(3), 3007U);
    EXPECT_EQ(rare.back(), 100'000U);
    // From the middle of a block on.
    const auto piece = store->piece(12'345, 12'348);
    EXPECT_EQ(piece.text, "step 12345 of many\nstep 12346 of many\nstep 12347 of many\n");
    EXPECT_EQ(store->line_at(piece, 25, 12'345), 12'346U);
}

TEST_F(FileStoreTest, CopiesOnlyWhatNoFileHasAsItIsShown) {
    const QByteArray name = QFile::encodeName(folder_.path() + u"/1.log.gz"_s);
    gzFile packed = gzopen(name.constData(), "wb");
    ASSERT_NE(packed, nullptr);
    std::string text;
    for (int i = 0; i < 5000; ++i) {
        text += "packed " + std::to_string(i) + '\n';
    }
    ASSERT_EQ(gzwrite(packed, text.data(), unsigned(text.size())), int(text.size()));
    gzclose(packed);
    write(u"2.log"_s, std::string("\xff\xfe"
                                  "w\0i\0d\0e\0\n\0",
                                  12));
    write(u"3.log"_s, "plain\n");
    const auto store = read();
    ASSERT_EQ(store->size(), 5002U);
    EXPECT_EQ(store->text(4999).view(), "packed 4999");
    EXPECT_EQ(store->text(5000).view(), "wide");
    EXPECT_EQ(store->text(5001).view(), "plain");
    EXPECT_EQ(found(*store, "packed 49").size(), 111U);
    EXPECT_EQ(found(*store, "plain"), std::vector<std::uint32_t>{5001});
}

TEST_F(FileStoreTest, KeepsLinesOfAFileThatGrowsAndSaysWhenOneChanged) {
    write(u"1.log"_s, "one\ntwo\nthree");
    write(u"2.log"_s, "four\nfive\n");
    auto store = read();
    write(u"1.log"_s, " and more\nmore\n", QIODevice::Append);
    EXPECT_EQ(texts(*store), (std::vector<std::string>{"one", "two", "three", "four", "five"}));
    store = read();
    write(u"1.log"_s, "ONE\ntwo\nthree and more\nmore\n");
    write(u"2.log"_s, "f");
    EXPECT_TRUE(store->is_gone(0)) << "other text of the same length";
    EXPECT_EQ(store->loss(), LineSource::Loss::FileChanged);
    EXPECT_TRUE(store->is_gone(4)) << "cut off";
    EXPECT_TRUE(found(*store, "five").empty());
}

TEST_F(FileStoreTest, MergedLinesAreKnownByTheirFiles) {
    std::mt19937 random(3);
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint32_t> begins;
    std::uint32_t all = 0;
    for (int file = 0; file < 5; ++file) {
        std::string text;
        lengths.push_back(3000 + random() % 3000);
        for (std::uint32_t i = 0; i < lengths.back(); ++i) {
            text += std::to_string(file) + ':' + std::to_string(i) + '\n';
        }
        begins.push_back(all);
        all += lengths.back();
        write(QString::number(file) + u".log"_s, text);
    }
    const auto store = read();
    ASSERT_EQ(store->size(), all);
    MergedStore merged(store, begins);
    std::vector<std::uint32_t> next(5);
    std::vector<std::pair<std::string, std::int64_t>> expected;
    std::int64_t t_us = 0;
    while (expected.size() < all) {
        const auto file = random() % 5;
        if (next[file] == lengths[file]) {
            continue;
        }
        t_us += random() % 3 == 0 ? 0 : std::int64_t(random()) * (random() % 100 == 0 ? 100'000 : 1);
        merged.push_back(std::uint32_t(file), t_us);
        expected.emplace_back(std::to_string(file) + ':' + std::to_string(next[file]++), t_us);
    }
    ASSERT_EQ(merged.size(), all);
    for (std::uint32_t line = 0; line < all; ++line) {
        ASSERT_EQ(merged.text(line).view(), expected[line].first);
        ASSERT_EQ(merged.t_us(line), expected[line].second);
        ASSERT_EQ(merged.of_merged(merged.of_files(line)), line);
        ASSERT_EQ(std::to_string(merged.rank(line)), expected[line].first.substr(0, 1));
    }
    const auto lines = found(merged, "2:77");
    ASSERT_FALSE(lines.empty());
    for (const std::uint32_t line : lines) {
        EXPECT_TRUE(expected[line].first.starts_with("2:77"));
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
