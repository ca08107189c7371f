// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/read_sources.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope::logs {
namespace {

namespace fs = std::filesystem;

class LogReader : public testing::Test {
protected:
    LogReader() : folder_(fs::temp_directory_path() / ("rankscope logs é " + std::to_string(::getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~LogReader() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, std::string_view content) {
        const auto file = folder_ / name;
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary)
            .write(content.data(), static_cast<std::streamsize>(content.size()));
        return file.string();
    }

    /// "file:line:text" of each line.
    std::vector<std::string> read(const std::vector<std::string>& paths) {
        std::vector<std::string> lines;
        list_ = read_sources(
            paths, options_,
            [&](const LogLine& line) {
                lines.push_back(std::to_string(line.place.file) + ":" + std::to_string(line.place.line) +
                                ":" + std::string(line.text));
            },
            [&](const ReadProgress& progress) { progress_ = progress.done; }, stop_.get_token());
        return lines;
    }

    const Remark* remark(RemarkKind kind) const {
        const auto found = std::find_if(list_.remarks.begin(), list_.remarks.end(),
                                        [&](const Remark& r) { return r.kind == kind; });
        return found == list_.remarks.end() ? nullptr : &*found;
    }

    fs::path folder_;
    ReadOptions options_;
    SourceList list_;
    std::stop_source stop_;
    std::uint64_t progress_ = 0;
};

using Lines = std::vector<std::string>;

TEST_F(LogReader, Plain) {
    EXPECT_EQ(read({write("a.log", "one\n\ntwo\r\nthree")}),
              (Lines{"0:1:one", "0:2:", "0:3:two", "0:4:three"}));
    EXPECT_EQ(list_.sources.at(0).lines, 4U);
    EXPECT_EQ(list_.sources.at(0).bytes, 15U);
    EXPECT_TRUE(list_.remarks.empty());
    EXPECT_EQ(progress_, 15U);
}

TEST_F(LogReader, ProgressBarsColoursAndZeros) {
    const auto file =
        write("a.log", std::string("1%\r2%\rdone\n\x1b[31mred\x1b[0m \x1b]0;title\aend\na") + '\0' + "b\n");
    EXPECT_EQ(read({file}), (Lines{"0:1:1%", "0:1:2%", "0:1:done", "0:2:red end", "0:3:ab"}));
    ASSERT_NE(remark(RemarkKind::Overwritten), nullptr);
    EXPECT_EQ(remark(RemarkKind::Overwritten)->amount, 2U);
    ASSERT_NE(remark(RemarkKind::Colours), nullptr);
    EXPECT_EQ(remark(RemarkKind::Colours)->amount, 3U);
    EXPECT_EQ(remark(RemarkKind::Colours)->line, 2U);
    ASSERT_NE(remark(RemarkKind::Nul), nullptr);
    EXPECT_EQ(remark(RemarkKind::Nul)->line, 3U);
}

TEST_F(LogReader, Encodings) {
    EXPECT_EQ(read({write("a.log", "\xef\xbb\xbfgr\xc3\xbc\xc3\x9f\n\xfc!\n")}),
              (Lines{"0:1:grüß", "0:2:\xef\xbf\xbd!"}));
    EXPECT_NE(remark(RemarkKind::BadText), nullptr);
    std::string wide = "\xff\xfe";
    for (const char c : std::string_view("one\r\ntwo\n")) {
        wide += c;
        wide += '\0';
    }
    EXPECT_EQ(read({write("b.log", wide)}), (Lines{"0:1:one", "0:2:two"}));
    EXPECT_NE(remark(RemarkKind::Utf16), nullptr);
    EXPECT_EQ(read({write("c.log", wide.substr(2) + wide.substr(2))}),
              (Lines{"0:1:one", "0:2:two", "0:3:one", "0:4:two"}));
}

TEST_F(LogReader, LongLinesAreCut) {
    options_.longest_line = 10;
    EXPECT_EQ(read({write("a.log", "0123456789abc\nshort\n")}), (Lines{"0:1:0123456789", "0:2:short"}));
    ASSERT_NE(remark(RemarkKind::LongLine), nullptr);
    EXPECT_EQ(remark(RemarkKind::LongLine)->amount, 3U);
}

TEST_F(LogReader, BinaryAndMissingFilesAreRemarks) {
    std::string binary;
    for (int i = 0; i < 5000; ++i) {
        binary += static_cast<char>(i * 7);
    }
    EXPECT_TRUE(read({write("a.log", binary), (folder_ / "none").string()}).empty());
    EXPECT_NE(remark(RemarkKind::NotText), nullptr);
    EXPECT_NE(remark(RemarkKind::NotFound), nullptr);
}

TEST_F(LogReader, FoldersInNaturalOrder) {
    write("run/rank10.log", "ten\n");
    write("run/rank2.log", "two\n");
    write("run/train.py", "import torch\n");
    EXPECT_EQ(read({(folder_ / "run").string() + "/"}), (Lines{"0:1:two", "1:1:ten"}));
    EXPECT_EQ(list_.sources.at(0).name, (folder_ / "run/rank2.log").string());
    EXPECT_NE(remark(RemarkKind::NotALog), nullptr);
}

TEST_F(LogReader, StopsWhenAsked) {
    stop_.request_stop();
    EXPECT_TRUE(read({write("a.log", "one\n")}).empty());
    EXPECT_NE(remark(RemarkKind::Stopped), nullptr);
}

}  // namespace
}  // namespace rankscope::logs
