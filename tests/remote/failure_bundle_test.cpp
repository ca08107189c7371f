// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/desk/archive/failure_bundle/archive_writer.h>
#include <remote/desk/archive/failure_bundle/bundle_draft.h>
#include <remote/desk/archive/failure_bundle/bundle_import.h>
#include <remote/desk/archive/failure_bundle/bundle_lines.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::make_event;

constexpr const char* kToken = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345";

std::string read_text(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

class FailureBundleTest : public ::testing::Test {
protected:
    FailureBundleTest() : store_(opened("here")) {
        RunRecord record;
        record.run_id = "20261120-120000-abcdef";
        record.name = "résumé";
        record.plan = test::plan_of(2, 1);
        record.plan.ranks[1].env["CONFIG"] = kToken;
        record.job_yaml =
            "name: x\nnodes: [node1, node2]\nenv: {MY_TOKEN: '***'}\ncommand: [python3, train.py]\n";
        record.started_us = 1'000'000;
        EXPECT_TRUE(store_->create_run(record));
        std::uint64_t seq = 0;
        for (auto event : test::all_kinds()) {
            event.node = event.as<DiagnosisEvent>() != nullptr ? "" : "node1";
            event.rank = std::min(event.rank, 1);
            event.seq = ++seq;
            events_.push_back(std::move(event));
        }
        events_.push_back(
            make_event(LogEvent{false, std::string("one\nuses ") + kToken + "\n", 0}, 1, "node2", 1));
        EndEvent end;
        end.outcome = Outcome::Failed;
        end.exit_code = 1;
        end.detail = "Rank 1 on node2 exited with code 1.";
        events_.push_back(make_event(end, seq + 1, "", -1));
        EXPECT_TRUE(store_->append(record.run_id, events_));
        EXPECT_TRUE(store_->finish_run(record.run_id, 9'000'000, end));
        id_ = record.run_id;
    }

    std::shared_ptr<RunStore> opened(const char* name) {
        auto store = RunStore::open(folder_ / (std::string(name) + ".sqlite"));
        EXPECT_TRUE(store);
        return *store;
    }
    BundleDraft draft() {
        auto made = BundleDraft::make(*store_, id_, {.program = "test 1"});
        EXPECT_TRUE(made);
        return std::move(*made);
    }
    fs::path written() {
        const fs::path file = folder_ / "run.rankscope";
        EXPECT_TRUE(draft().write(file, true));
        return file;
    }
    static std::vector<std::string> events_of(const RunStore& store, const std::string& id) {
        std::vector<std::string> all;
        EXPECT_TRUE(store.replay(id, [&](const Event& event) {
            all.push_back(test::describe(event));
            return true;
        }));
        return all;
    }
    // An archive with these members, and how its import fails; the store stays empty.
    std::string refused(const std::vector<std::pair<std::string, std::string>>& members) {
        const fs::path file = folder_ / "made.rankscope";
        auto archive = ArchiveWriter::create(file, true);
        EXPECT_TRUE(archive);
        for (const auto& [name, text] : members) {
            EXPECT_TRUE((*archive)->add(name, text));
        }
        EXPECT_TRUE((*archive)->finish());
        return refused_file(file);
    }
    std::string refused_file(const fs::path& file) {
        auto other = opened("other");
        const auto imported = import_bundle(*other, file);
        EXPECT_FALSE(imported);
        EXPECT_TRUE(other->runs()->empty());
        return imported ? std::string() : imported.failure().what;
    }
    std::vector<std::pair<std::string, std::string>> good() {
        return {
            {"manifest.json",
             R"({"format":"rankscope failure bundle","version":1,"run":"r1","events":1,"program":"p"})"},
            {"run.json",
             R"({"run":"r1","name":"n","started_us":1,"ended_us":2,"outcome":"failed","exit_code":1,"summary":"s"})"},
            {"job.yaml", "name: n\n"},
            {"plan.json", to_json(test::plan_of(1, 1)).dump()},
            {"events/000001.jsonl",
             R"({"kind":"log","node":"node1","rank":0,"seq":1,"t_us":5,"body":{"stream":"stdout","text":"hello\n"}})"
             "\n"}};
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<RunStore> store_;
    std::vector<Event> events_;
    std::string id_;
};

TEST_F(FailureBundleTest, OpensElsewhereLikeAStoredRun) {
    auto other = opened("other");
    const auto imported = import_bundle(*other, written());
    ASSERT_TRUE(imported) << imported.failure().what << imported.failure().detail;
    EXPECT_EQ(*imported, id_);
    const auto record = other->run(id_);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->name, "résumé");
    EXPECT_EQ(record->outcome, Outcome::Failed);
    EXPECT_EQ(record->exit_code, 1);
    EXPECT_EQ(record->ended_us, 9'000'000);
    EXPECT_EQ(record->plan.ranks.size(), 2U);
    EXPECT_EQ(record->plan.ranks[1].env.at("CONFIG"), kRedacted);
    auto expected = events_of(*store_, id_);
    for (auto& event : expected) {
        if (const auto at = event.find(kToken); at != std::string::npos) {
            event.replace(at, std::string(kToken).size(), kRedacted);
        }
    }
    EXPECT_EQ(events_of(*other, id_), expected);
}

TEST_F(FailureBundleTest, ListsBeforeItWrites) {
    const auto made = draft();
    std::vector<std::string> names;
    for (const auto& part : made.parts()) {
        names.push_back(part.name);
        EXPECT_GT(part.bytes, 0U) << part.name;
    }
    for (const char* name :
         {"manifest.json", "plan.json", "environment.json", "facts.json", "verdicts.json", "job.yaml"}) {
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    }
    std::vector<std::string> places;
    for (const auto& one : made.redactions()) {
        places.push_back(one.where);
    }
    EXPECT_EQ(std::count(places.begin(), places.end(), "output of rank 1"), 1);
    EXPECT_EQ(std::count(places.begin(), places.end(), "plan.json"), 1);
    EXPECT_TRUE(std::none_of(fs::directory_iterator(folder_.path()), fs::directory_iterator(),
                             [](const auto& entry) { return entry.path().extension() == ".rankscope"; }));
}

TEST_F(FailureBundleTest, TheFileIsForItsOwnerAndReplacedOnlyWhereWanted) {
    const auto file = written();
    struct stat info {};
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    const auto before = read_text(file);
    const auto again = draft().write(file, false);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.failure().code, FailureId("file-exists"));
    EXPECT_EQ(read_text(file), before);
    EXPECT_EQ(draft().write(folder_ / "absent" / "x.rankscope", false).failure().code,
              FailureId("cannot-write"));
    EXPECT_EQ(std::count_if(fs::directory_iterator(folder_.path()), fs::directory_iterator(),
                            [](const auto& entry) {
                                return entry.path().filename().string().starts_with("run.rankscope");
                            }),
              1)
        << "nothing temporary is left";
}

TEST_F(FailureBundleTest, ACancelledBundleLeavesNothing) {
    std::stop_source stop;
    auto made = draft();
    stop.request_stop();
    const auto written = made.write(folder_ / "late.rankscope", false, {}, stop.get_token());
    ASSERT_FALSE(written);
    EXPECT_EQ(written.failure().code, FailureId("cancelled"));
    EXPECT_FALSE(fs::exists(folder_ / "late.rankscope"));
    const auto file = this->written();
    auto other = opened("other");
    EXPECT_EQ(import_bundle(*other, file, {}, stop.get_token()).failure().code, FailureId("cancelled"));
    EXPECT_TRUE(other->runs()->empty());
}

TEST_F(FailureBundleTest, ARunThatIsThereIsNotReplaced) {
    const auto before = events_of(*store_, id_);
    const auto imported = import_bundle(*store_, written());
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.failure().code, FailureId("run-exists"));
    EXPECT_EQ(events_of(*store_, id_), before);
}

TEST_F(FailureBundleTest, ARunThatHadNotEndedIsOverElsewhere) {
    RunRecord record;
    record.run_id = "r2";
    record.plan = test::plan_of(1, 1);
    ASSERT_TRUE(store_->create_run(record));
    id_ = "r2";
    auto other = opened("other");
    ASSERT_TRUE(import_bundle(*other, written()));
    EXPECT_EQ(other->run("r2")->outcome, Outcome::Lost);
    ASSERT_EQ(events_of(*other, "r2").size(), 1U);
}

TEST_F(FailureBundleTest, ItsLinesAreReadForADiagnosis) {
    std::vector<std::string> lines;
    const auto read = read_bundle_lines(
        written(), 0, {.line = [&](const logs::LogLine& line) { lines.emplace_back(line.text); }}, {});
    ASSERT_TRUE(read);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "uses [redacted]"), 1);
    EXPECT_EQ(std::count(read->sources.begin(), read->sources.end(), id_ + "/rank1"), 1);
}

TEST_F(FailureBundleTest, ForeignAndDamagedFilesChangeNothing) {
    std::ofstream(folder_ / "text.rankscope") << "no archive at all\n";
    EXPECT_NE(refused_file(folder_ / "text.rankscope").find("no failure bundle"), std::string::npos);
    EXPECT_NE(refused_file(folder_ / "absent.rankscope").find("cannot be read"), std::string::npos);
    EXPECT_NE(refused_file(folder_.path()).find("cannot be read"), std::string::npos);
    std::ofstream(folder_ / "empty.rankscope") << "";
    EXPECT_NE(refused_file(folder_ / "empty.rankscope").find("no failure bundle"), std::string::npos);
    const auto whole = read_text(written());
    for (const std::size_t size : {whole.size() / 4, whole.size() / 2, whole.size() - 20}) {
        std::ofstream(folder_ / "short.rankscope", std::ios::binary) << whole.substr(0, size);
        EXPECT_FALSE(refused_file(folder_ / "short.rankscope").empty());
    }
    EXPECT_NE(refused({{"readme.txt", "x"}}).find("no failure bundle"), std::string::npos);
    EXPECT_NE(refused({{"manifest.json", "{}"}}).find("no failure bundle"), std::string::npos);
}

TEST_F(FailureBundleTest, WhatIsWrongWithinIsSaid) {
    auto other = opened("fine");
    {
        const fs::path file = folder_ / "good.rankscope";
        auto archive = ArchiveWriter::create(file, true);
        for (const auto& [name, text] : good()) {
            ASSERT_TRUE((*archive)->add(name, text));
        }
        ASSERT_TRUE((*archive)->finish());
        const auto imported = import_bundle(*other, file);
        ASSERT_TRUE(imported) << imported.failure().what;
    }
    const auto changed = [this](std::size_t part, const std::string& from, const std::string& to) {
        auto members = good();
        auto& text = members[part].second;
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        return refused(members);
    };
    EXPECT_NE(changed(0, "\"version\":1", "\"version\":2").find("newer"), std::string::npos);
    EXPECT_NE(changed(0, "\"events\":1", "\"events\":2").find("1 of 2 events"), std::string::npos);
    EXPECT_NE(changed(0, "r1", "../r1").find("not valid"), std::string::npos);
    EXPECT_NE(changed(1, "r1", "r2").find("different runs"), std::string::npos);
    EXPECT_NE(changed(4, "\"rank\":0", "\"rank\":7").find("event 1"), std::string::npos);
    EXPECT_NE(changed(4, "\"log\"", "\"loo\"").find("event 1"), std::string::npos);
    EXPECT_NE(changed(3, "\"world_size\":1", "\"world_size\":900000000").find("plan"), std::string::npos);
    auto members = good();
    members.insert(members.begin() + 1, {"../../.ssh/authorized_keys", "ssh-ed25519 AAAA"});
    EXPECT_NE(refused(members).find("authorized_keys"), std::string::npos);
    members = good();
    members.erase(members.begin() + 2);
    EXPECT_FALSE(refused(members).empty());
    members = good();
    members[2].second.assign(std::size_t{65} << 20, ' ');
    EXPECT_NE(refused(members).find("too large"), std::string::npos);
    EXPECT_FALSE(fs::exists(folder_.path().parent_path() / ".ssh"));
}

TEST_F(FailureBundleTest, NoSecretOfACommandIsInIt) {
    const std::string secret = "Zq7xK2pW9vT4";
    RunRecord record = *store_->run(id_);
    record.run_id = "r3";
    record.plan.ranks[0].command = {"python3", "train.py", "--api-key", secret};
    record.job_yaml = "name: x\ncommand: [python3, train.py, --api-key, " + secret + "]\n";
    ASSERT_TRUE(store_->create_run(record));
    ASSERT_TRUE(
        store_->append("r3", {make_event(LogEvent{false, "uses " + secret + "\n", 0}, 1, "node1", 0)}));
    id_ = "r3";
    auto other = opened("other");
    const auto imported = import_bundle(*other, written());
    ASSERT_TRUE(imported) << imported.failure().what;
    const auto stored = *other->run("r3");
    EXPECT_EQ(stored.job_yaml.find(secret), std::string::npos) << stored.job_yaml;
    EXPECT_EQ(stored.plan.ranks[0].command.back(), kRedacted);
    for (const auto& event : events_of(*other, "r3")) {
        EXPECT_EQ(event.find(secret), std::string::npos) << event;
    }
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

// Each would end the program, or take minutes or gigabytes.
TEST_F(FailureBundleTest, PartsThatExplodeAreRefused) {
    const auto with = [this](std::size_t part, const std::string& content) {
        auto members = good();
        members[part].second = content;
        return refused(members);
    };
    const std::string begin = R"({"kind":"metric","node":"node1","rank":0,"seq":1,"t_us":5,"body":)";
    EXPECT_NE(with(4, begin + repeated("[", 100'000) + repeated("]", 100'000) + "}\n").find("event 1"),
              std::string::npos);
    EXPECT_NE(
        with(4, begin + repeated("{\"a\":", 100'000) + "1" + repeated("}", 100'001) + "\n").find("event 1"),
        std::string::npos);
    EXPECT_NE(with(4, begin + "[" + repeated("0,", 3'000'000) + "0]}\n").find("event 1"), std::string::npos);
    std::string keys = begin + "{";
    for (int i = 0; i < 300'000; ++i) {
        keys += '"' + std::to_string(i) + "\":0,";
    }
    EXPECT_NE(with(4, keys + "\"x\":0}}\n").find("event 1"), std::string::npos)
        << "each key is compared with all";
    EXPECT_FALSE(with(0, repeated("[", 1'000'000)).empty());
    EXPECT_FALSE(with(1, repeated("{\"run\":", 1'000'000)).empty());
    EXPECT_FALSE(with(3, repeated("[", 1'000'000)).empty());
    EXPECT_FALSE(with(3, "[" + repeated("[],", 10'000'000) + "[]]").empty());
    EXPECT_NE(with(2, "a: [" + repeated("0,", 30'000'000) + "0]\n").find("job is too large"),
              std::string::npos);
    EXPECT_NE(with(2, "a: [" + repeated("0,", 400'000) + "0]\n").find("job is too large"), std::string::npos);
    EXPECT_NE(with(2, repeated("[", 900'000)).find("job is too large"), std::string::npos);
    EXPECT_NE(with(2, "a: &a [*a]\n").find("job is too large"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
