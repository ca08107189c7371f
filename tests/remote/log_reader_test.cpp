// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/read_sources.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope::logs {
namespace {

namespace fs = std::filesystem;

class LogReader : public ::testing::Test {
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

/// Runs a packer of the system; false: it is not installed.
bool packed(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) ==
           0;  // NOLINT: a test, with its own words
}

TEST_F(LogReader, Archives) {
    write("run/rank0.log", "zero\n");
    write("run/deep/rank1.log", "one\n");
    const auto at = "cd '" + folder_.string() + "' && ";
    ASSERT_TRUE(
        packed(at + "gzip run/deep/rank1.log && tar czf run.tar.gz run && gzip -c run/rank0.log > alone.gz"));
    auto lines = read({(folder_ / "run.tar.gz").string()});
    std::sort(lines.begin(), lines.end(),
              [](const auto& a, const auto& b) { return a.substr(2) < b.substr(2); });
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].substr(2), "1:one");
    EXPECT_EQ(lines[1].substr(2), "1:zero");
    const auto named = [&](const char* name) {
        return std::count_if(list_.sources.begin(), list_.sources.end(),
                             [&](const Source& s) { return s.name == (folder_ / name).string(); });
    };
    EXPECT_EQ(named("run.tar.gz/run/rank0.log"), 1);
    EXPECT_EQ(named("run.tar.gz/run/deep/rank1.log.gz"), 1);
    EXPECT_EQ(read({(folder_ / "alone.gz").string()}), Lines{"0:1:zero"});
    EXPECT_EQ(named("alone.gz"), 1);
    ASSERT_TRUE(packed(at + "python3 -m zipfile -c run.zip run/rank0.log"));
    EXPECT_EQ(read({(folder_ / "run.zip").string()}), Lines{"0:1:zero"});
    if (packed(at + "zstd run/rank0.log")) {
        EXPECT_EQ(read({(folder_ / "run/rank0.log.zst").string()}), Lines{"0:1:zero"});
    }
}

TEST_F(LogReader, NamesAndLinksOfAnArchiveLeadNowhere) {
    const auto at = "cd '" + folder_.string() + "' && ";
    ASSERT_TRUE(
        packed(at +
               "mkdir in && printf 'secret\\n' > secret && ln -s ../secret in/link && ln -s / in/root && "
               "printf 'own\\n' > in/rank0.log && tar cf links.tar in && "
               "tar cPf up.tar --transform 's,^,../../,' in/rank0.log && "
               "tar cPf abs.tar --transform 's,^,/etc/,' in/rank0.log"));
    EXPECT_EQ(read({(folder_ / "links.tar").string()}), Lines{"0:1:own"});
    EXPECT_EQ(read({(folder_ / "up.tar").string()}), Lines{"0:1:own"});
    EXPECT_EQ(read({(folder_ / "abs.tar").string()}), Lines{"0:1:own"});
    EXPECT_FALSE(fs::exists(folder_.parent_path().parent_path() / "in"));
    EXPECT_FALSE(fs::exists("/etc/in"));
    const auto found = read({(folder_ / "in").string()});
    EXPECT_EQ(found, (Lines{"0:1:secret", "1:1:own"})) << "a link of the user's to a file, none to a folder";
}

TEST_F(LogReader, CutArchiveIsReadAsFarAsItGoes) {
    std::string text;
    for (int i = 0; i < 20000; ++i) {
        text += "line " + std::to_string(i * 7919 % 10007) + "\n";
    }
    write("a.log", text);
    const auto at = "cd '" + folder_.string() + "' && ";
    ASSERT_TRUE(packed(at + "gzip -c a.log > whole.gz && head -c 20000 whole.gz > cut.gz && tar czf "
                            "whole.tar.gz a.log && head -c 20000 whole.tar.gz > cut.tar.gz"));
    for (const char* name : {"cut.gz", "cut.tar.gz"}) {
        const auto lines = read({(folder_ / name).string()});
        EXPECT_GT(lines.size(), 2000U) << name;
        EXPECT_LT(lines.size(), 20000U) << name;
        EXPECT_EQ(lines.at(1), "0:2:line 7919") << name;
        EXPECT_NE(remark(RemarkKind::ArchiveDamaged), nullptr) << name;
    }
}

TEST_F(LogReader, BombStopsAtTheLimit) {
    options_.most_unpacked = 1'000'000;
    const auto at = "cd '" + folder_.string() + "' && ";
    ASSERT_TRUE(packed(at + "head -c 50000000 /dev/zero | tr '\\0' 'x' | gzip > bomb.gz"));
    const auto lines = read({(folder_ / "bomb.gz").string()});
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_LE(lines[0].size(), options_.longest_line + 10);
    ASSERT_NE(remark(RemarkKind::UnpackLimit), nullptr);
    EXPECT_LT(remark(RemarkKind::UnpackLimit)->amount, 2'000'000U);
}

TEST_F(LogReader, StopsWhenAsked) {
    stop_.request_stop();
    EXPECT_TRUE(read({write("a.log", "one\n")}).empty());
    EXPECT_NE(remark(RemarkKind::Stopped), nullptr);
}

}  // namespace
}  // namespace rankscope::logs
