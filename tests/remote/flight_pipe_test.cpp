// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/clock.h>
#include <base/fd.h>
#include <base/files.h>
#include <base/wait_fd.h>
#include <remote/agent/flight/flight_pipe.h>
#include <remote/agent/ranks/ras_environment.h>
#include <remote/agent/ras/loaded_nccl.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string>;

TEST(FlightEnvironment, SetsBothNamesAndLeavesWhatTheUserHas) {
    const test::TemporaryFolder folder;
    const RunDir dir{folder.path()};
    Variables fresh;
    add_flight_recorder(fresh, dir);
    EXPECT_EQ(fresh.at("TORCH_FR_BUFFER_SIZE"), "2000");
    EXPECT_EQ(fresh.at("TORCH_NCCL_TRACE_BUFFER_SIZE"), "2000");
    EXPECT_EQ(fresh.at("TORCH_FR_DUMP_TEMP_FILE"), fresh.at("TORCH_NCCL_DEBUG_INFO_TEMP_FILE"));
    EXPECT_TRUE(fresh.at("TORCH_NCCL_DEBUG_INFO_PIPE_FILE").starts_with(flight_folder_of(dir).string()));
    struct stat state {};
    ASSERT_EQ(::stat(flight_folder_of(dir).c_str(), &state), 0);
    EXPECT_EQ(state.st_mode & 0777U, 0700U);

    Variables off{{"TORCH_NCCL_TRACE_BUFFER_SIZE", "0"}};
    add_flight_recorder(off, dir);
    EXPECT_EQ(off.at("TORCH_NCCL_TRACE_BUFFER_SIZE"), "0");
    EXPECT_FALSE(off.contains("TORCH_FR_BUFFER_SIZE")) << "the newer name would win";
    EXPECT_FALSE(off.contains("TORCH_FR_DUMP_TEMP_FILE"));

    Variables own{{"TORCH_FR_DUMP_TEMP_FILE", "/scratch/fr_"}};
    add_flight_recorder(own, dir);
    EXPECT_EQ(own.at("TORCH_FR_DUMP_TEMP_FILE"), "/scratch/fr_");
    EXPECT_EQ(own.at("TORCH_FR_BUFFER_SIZE"), "2000");
    EXPECT_FALSE(own.contains("TORCH_NCCL_DEBUG_INFO_TEMP_FILE"));

    const Variables piped{{"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "/scratch/pipe_"}};
    Variables same = piped;
    add_flight_recorder(same, dir);
    EXPECT_EQ(same, piped);
}

TEST(FlightEnvironment, ReadsThePlaceOfAProcess) {
    using namespace std::string_literals;
    const auto place = flight_place_of(
        "RANK=3\0TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/r/pipe_\0TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/r/old_\0"
        "TORCH_FR_DUMP_TEMP_FILE=/r/new_\0"s);
    EXPECT_EQ(place, (FlightPlace{3, "/r/pipe_3.pipe", {"/r/new_3"}}));
    EXPECT_EQ(flight_place_of("RANK=3\0HOME=/\0"s).rank, -1);
    EXPECT_EQ(flight_place_of("RANK=x\0TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/r/pipe_\0"s).rank, -1);
}

TEST(FlightEnvironment, LooksWhereEachPyTorchWritesByItself) {
    using namespace std::string_literals;
    const auto pipe = "RANK=0\0TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/r/pipe_\0HOME=/home/me\0"s;
    const std::filesystem::path home = "/home/me/.cache/torch/comm_lib_trace_rank_0",
                                first = "/tmp/nccl_trace_rank_0";
    EXPECT_EQ(flight_place_of(pipe), (FlightPlace{0, "/r/pipe_0.pipe", {home, first}}));
    EXPECT_EQ(flight_place_of(pipe + "XDG_CACHE_HOME=/scratch\0"s),
              (FlightPlace{0, "/r/pipe_0.pipe", {"/scratch/torch/comm_lib_trace_rank_0", home, first}}));
}

TEST(FlightEnvironment, AContainerGetsNoPipe) {
    EXPECT_TRUE(starts_container({"/usr/bin/apptainer", "exec", "image.sif", "python"}));
    EXPECT_FALSE(starts_container({"python", "train.py", "--container=docker"}));
}

/// What PyTorch does: makes the pipe, and writes the dump when something arrives there.
class Recorder {
public:
    Recorder(const fs::path& folder, int rank, std::string dump)
        : place_{rank,
                 folder / ("pipe" + std::to_string(rank) + ".pipe"),
                 {folder / ("dump" + std::to_string(rank))}} {
        EXPECT_EQ(::mkfifo(place_.pipe.c_str(), 0600), 0);
        fd_.reset(::open(place_.pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        thread_ = std::jthread([this, dump = std::move(dump)](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                char byte = 0;
                if (::read(fd_.get(), &byte, 1) == 1) {
                    std::ofstream(place_.dumps.back(), std::ios::binary) << dump;
                }
                sleep_s(0.01);
            }
        });
    }
    const FlightPlace& place() const { return place_; }

private:
    FlightPlace place_;
    UniqueFd fd_;
    std::jthread thread_;
};

TEST(FlightPipe, ReadsTheFileThatIsWritten) {
    const test::TemporaryFolder folder;
    const Recorder recorder(folder.path(), 2, "of this run.");
    FlightPlace place = recorder.place();
    place.dumps.insert(place.dumps.begin(), folder.path() / "elsewhere");
    std::ofstream(place.dumps.front()) << "of a run before.";
    EXPECT_EQ(dump_flights({place}, test::kPatience, {}).front().bytes, "of this run.");
}

TEST(FlightPipe, ReadsWhatTheProcessWrites) {
    const test::TemporaryFolder folder;
    const Recorder one(folder.path(), 1, "a pickle.");
    const Recorder four(folder.path(), 4, "another.");
    std::ofstream(one.place().dumps.back()) << "an old one.";
    const auto flights = dump_flights({one.place(), four.place()}, test::kPatience, {});
    ASSERT_EQ(flights.size(), 2U);
    EXPECT_EQ(flights[0].rank, 1);
    EXPECT_EQ(flights[0].outcome, FlightOutcome::Dumped);
    EXPECT_EQ(flights[0].bytes, "a pickle.");
    EXPECT_FALSE(flights[0].truncated);
    EXPECT_EQ(flights[1].bytes, "another.");
}

TEST(FlightPipe, DoesNotWaitForAProcessThatIsGone) {
    const test::TemporaryFolder folder;
    FlightPlace absent{0, folder.path() / "0.pipe", {folder.path() / "0"}};
    FlightPlace abandoned{1, folder.path() / "1.pipe", {folder.path() / "1"}};
    FlightPlace no_pipe{2, folder.path() / "2.pipe", {folder.path() / "2"}};
    ASSERT_EQ(::mkfifo(abandoned.pipe.c_str(), 0600), 0);
    std::ofstream(no_pipe.pipe) << "a file";
    std::ofstream(no_pipe.dumps.back()) << "what was left.";
    const double begin = monotonic_s();
    const auto flights = dump_flights({absent, abandoned, no_pipe}, 60, {});
    EXPECT_LT(monotonic_s() - begin, 10);
    EXPECT_EQ(flights[0].outcome, FlightOutcome::NoPipe);
    EXPECT_EQ(flights[1].outcome, FlightOutcome::NoReader);
    EXPECT_EQ(flights[2].outcome, FlightOutcome::Old);
    EXPECT_EQ(flights[2].bytes, "what was left.");
    EXPECT_EQ(read_file(no_pipe.pipe), "a file") << "only a pipe is written to";
}

TEST(FlightPipe, ASilentProcessEndsWithTheTime) {
    const test::TemporaryFolder folder;
    const FlightPlace place{0, folder.path() / "0.pipe", {folder.path() / "0"}};
    ASSERT_EQ(::mkfifo(place.pipe.c_str(), 0600), 0);
    const UniqueFd reader(::open(place.pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_EQ(dump_flights({place}, 0.3, {}).front().outcome, FlightOutcome::NoDump);
}

TEST(RasEnvironment, SetsAPortOfTheRunUnlessTheUserHasOne) {
    const test::TemporaryFolder home;
    const Variables base{{"HOME", home.path().string()}};
    Variables fresh = base;
    add_ras_address(fresh, 40123);
    EXPECT_EQ(fresh.at("NCCL_RAS_ADDR"), "localhost:40123");
    for (const char* name : {"NCCL_RAS_ADDR", "NCCL_RAS_ENABLE"}) {
        Variables own = base;
        own[name] = "0";
        const Variables before = own;
        add_ras_address(own, 40123);
        EXPECT_EQ(own, before);
    }
    Variables none = base;
    add_ras_address(none, 0);
    EXPECT_EQ(none, base);
    std::ofstream(home.path() / ".nccl.conf") << "NCCL_RAS_ENABLE=0\n";
    Variables conf = base;
    add_ras_address(conf, 40123);
    EXPECT_EQ(conf, base);
}

TEST(RasEnvironment, ReadsAnAddress) {
    EXPECT_EQ(ras_place_of("localhost:4"), (RasPlace{{"127.0.0.1", "::1"}, 4}));
    EXPECT_EQ(ras_place_of("[::1]:5"), (RasPlace{{"::1"}, 5}));
    EXPECT_EQ(ras_place_of("127.0.0.1:6"), (RasPlace{{"127.0.0.1"}, 6}));
    EXPECT_EQ(ras_place_of(""), (RasPlace{{"127.0.0.1", "::1"}, 28028}));
    EXPECT_FALSE(ras_place_of("localhost"));
    EXPECT_FALSE(ras_place_of("localhost:0"));
    EXPECT_FALSE(ras_place_of("localhost:70000"));
}

TEST(LoadedNccl, TheVersionStandsInTheNames) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(nccl_library_in("7f00 r-xp 0 08:01 1   /usr/lib/libcuda.so.1\n"
                              "7f01 r-xp 0 08:01 2   /opt/my nccl/libnccl.so.2.25.1\n"),
              "/opt/my nccl/libnccl.so.2.25.1");
    EXPECT_EQ(nccl_library_in("7f00 r-xp 0 08:01 1   /usr/lib/libc.so.6\n"), "");
    const fs::path own = folder.path() / "libnccl.so.2.25.1";
    std::ofstream(own) << "x";
    fs::create_symlink(own, folder.path() / "libnccl.so.2");
    EXPECT_EQ(nccl_version_of(own), "2.25.1");
    EXPECT_EQ(nccl_version_of(folder.path() / "libnccl.so.2"), "2.25.1");
    const fs::path packages = folder.path() / "site-packages";
    fs::create_directories(packages / "nvidia/nccl/lib");
    fs::create_directories(packages / "nvidia_nccl_cu12-2.27.5.dist-info");
    std::ofstream(packages / "nvidia/nccl/lib/libnccl.so.2") << "x";
    EXPECT_EQ(nccl_version_of(packages / "nvidia/nccl/lib/libnccl.so.2"), "2.27.5");
}

}  // namespace
}  // namespace rankscope::agent
