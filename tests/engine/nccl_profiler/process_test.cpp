// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Threads, random orders, forks, a second load, sudden death.

#include <sys/prctl.h>
#include <tests/engine/nccl_profiler/driver.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace rankscope::nccl::test {
namespace {

template <typename V>
class NcclProcess : public ::testing::Test {
protected:
    TemporaryFolder folder;
};
TYPED_TEST_SUITE(NcclProcess, AllVersions);

/// One thread's life with NCCL, in an order that no NCCL would choose.
template <typename V>
class RandomCaller {
public:
    RandomCaller(Driver<V>& driver, std::uint32_t seed) : driver_(driver), random_(seed) {}

    void run(int steps) {
        contexts_.push_back(driver_.init(random_(), 8, 1));
        for (int i = 0; i < steps; ++i) {
            step();
        }
        for (void* context : contexts_) {
            driver_.finalize(context);
        }
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    void* any(const std::vector<void*>& from) { return from.empty() ? nullptr : from[below(from.size())]; }
    void* any_handle() {
        return below(20) == 0 ? reinterpret_cast<void*>(std::uintptr_t{random_()}) : any(handles_);
    }

    typename V::Descriptor any_event() {
        clock_ += below(1000);
        switch (below(9)) {
            case 0:
                return driver_.group_api(below(4) == 0);
            case 1:
                return driver_.coll_api(any_handle(), below(4) == 0);
            case 2:
                return driver_.coll(random_() % 100, static_cast<std::uint8_t>(below(5)), any_handle());
            case 3:
                return driver_.p2p(static_cast<int>(below(10)) - 1, below(2) == 0, 1, any_handle());
            case 4:
            case 5:
                return driver_.kernel(any_handle(), static_cast<std::uint8_t>(below(70)), clock_);
            case 6:
                return driver_.proxy(any_handle(), 1, true, below(4) == 0 ? 1 : getpid());
            case 7:
                return driver_.step(any_handle(), static_cast<int>(random_()));
            default:
                return driver_.of_type(random_() & 0xffff, any_handle());
        }
    }

    void step() {
        switch (below(8)) {
            case 0:
            case 1:
            case 2: {
                handles_.push_back(driver_.start(any(contexts_), any_event()));
                if (handles_.size() > 100) {
                    handles_.erase(handles_.begin());
                }
                break;
            }
            case 3:
            case 4:
                driver_.stop(any_handle());
                break;
            case 5:
                driver_.state(any_handle(), static_cast<int>(below(32)), clock_ + below(100));
                break;
            case 6: {
                if (below(50) == 0) {
                    contexts_.push_back(driver_.init(random_(), 8, 1));
                }
                break;
            }
            default: {
                if (below(50) == 0) {
                    driver_.finalize(any(contexts_));
                }
            }
        }
    }

    Driver<V>& driver_;
    std::mt19937 random_;
    std::vector<void*> contexts_;
    std::vector<void*> handles_;
    std::uint64_t clock_ = 1000;
};

TYPED_TEST(NcclProcess, RandomOrdersFromManyThreads) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "4");
        std::vector<Driver<TypeParam>> drivers(4);
        drivers[0].finalize(drivers[0].init(1));  // makes the file
        Reader reader = reader_of(this->folder);
        std::atomic<bool> done = false;
        std::uint64_t records = 0;
        std::thread watcher([&] {
            while (!done) {
                records += reader.read().records.size();
                reader.open_operations();
                reader.open_network();
                reader.communicators();
            }
        });
        std::vector<std::thread> threads;
        for (std::uint32_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] { RandomCaller<TypeParam>(drivers[t], 77 + t).run(15000); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        done = true;
        watcher.join();
        const auto rest = reader.read(100000).records;  // on a busy machine, all of them
        EXPECT_GT(records + rest.size(), 0U);
        EXPECT_EQ(of_kind(rest, RecordKind::none).size(), 0U);
    }));
}

TYPED_TEST(NcclProcess, ManyThreadsLoseNothingThatFits) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "1");
        constexpr std::uint64_t kEach = 1000;
        constexpr std::size_t kThreads = 4;
        std::vector<Driver<TypeParam>> drivers(kThreads);
        {
            std::vector<std::jthread> threads;
            for (std::size_t t = 0; t < kThreads; ++t) {
                threads.emplace_back([&, t] {
                    void* context = drivers[t].init(0x1000 + t, 4, static_cast<int>(t));
                    for (std::uint64_t n = 0; n < kEach; ++n) {
                        drivers[t].stop(drivers[t].start(context, drivers[t].coll(n)));
                    }
                });
            }
        }
        Reader reader = reader_of(this->folder);
        std::map<std::uint64_t, std::set<std::uint64_t>> sequences;
        const auto batch = reader.read(100000);
        EXPECT_EQ(batch.lost, 0U);
        for (const Record& record : of_kind(batch.records, RecordKind::enqueued)) {
            sequences[record.communicator].insert(record.sequence);
        }
        ASSERT_EQ(sequences.size(), kThreads);
        for (const auto& [communicator, numbers] : sequences) {
            EXPECT_EQ(numbers.size(), kEach) << communicator;
        }
        EXPECT_EQ(reader.header().records_dropped + reader.header().operations_dropped, 0U);
    }));
}

TYPED_TEST(NcclProcess, OverrunIsCounted) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "1");
        Driver<TypeParam> driver;
        void* context = driver.init(5);
        Reader reader = reader_of(this->folder);
        constexpr std::uint64_t kOperations = 50000;
        for (std::uint64_t n = 0; n < kOperations; ++n) {
            driver.stop(driver.start(context, driver.coll(n)));
        }
        std::uint64_t read = 0;
        std::uint64_t lost = 0;
        std::uint64_t last = 0;
        for (auto batch = reader.read(); !batch.records.empty() || batch.lost != 0; batch = reader.read()) {
            read += batch.records.size();
            lost += batch.lost;
            last = batch.records.back().sequence;
        }
        EXPECT_EQ(read, reader.header().record_capacity);
        EXPECT_EQ(read + lost, kOperations + 1);  // and the communicator's
        EXPECT_EQ(last, kOperations - 1);
    }));
}

TYPED_TEST(NcclProcess, AForkedChildLeavesTheFileAlone) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "1");
        Driver<TypeParam> driver;
        void* context = driver.init(5);
        void* open = driver.start(context, driver.coll(0));
        Reader reader = reader_of(this->folder);
        reader.read();
        const std::uint64_t before = reader.header().head;
        // A data loader's process: its calls do nothing; it has no threads of ours and no mapping.
        EXPECT_TRUE(in_own_process([&] {
            driver.stop(open);
            driver.start(context, driver.coll(1));
            driver.finalize(context);
        }));
        reader.read();
        EXPECT_EQ(reader.header().head, before);
        EXPECT_EQ(ring_files(this->folder.path()).size(), 1U);
        // One that uses NCCL itself gets a file of its own.
        EXPECT_TRUE(in_own_process([&] {
            void* own = driver.init(6);
            EXPECT_NE(own, nullptr);
            driver.stop(driver.start(own, driver.coll(1)));
        }));
        EXPECT_EQ(ring_files(this->folder.path()).size(), 2U);
        driver.stop(open);
        EXPECT_EQ(of_kind(reader.read().records, RecordKind::enqueued).size(), 1U);
    }));
}

TYPED_TEST(NcclProcess, UnloadAndLoadAgain) {
    EXPECT_TRUE(in_own_process([&] {
        observe_into(this->folder, "1");
        void* kept = nullptr;
        for (int round = 0; round < 3; ++round) {
            void* library = dlopen(RANKSCOPE_NCCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
            ASSERT_NE(library, nullptr);
            Driver<TypeParam> driver(library);
            void* context = driver.init(5);
            driver.stop(kept);  // of the round before
            kept = driver.start(context, driver.coll(0));
            driver.finalize(context);
            dlclose(library);
            driver.stop(kept);  // a late callback: the code is still there
        }
        Reader reader = reader_of(this->folder);
        EXPECT_EQ(of_kind(reader.read().records, RecordKind::communicator_opened).size(), 3U);
    }));
}

TYPED_TEST(NcclProcess, SuddenDeathKeepsWhatWasInFlight) {
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        observe_into(this->folder);
        Driver<TypeParam> driver;
        void* context = driver.init(0xdead, 4, 2);
        void* stuck = driver.start(context, driver.coll(4711, 3));
        const auto busy = [&] {
            for (std::uint64_t n = 0;; ++n) {
                void* coll = driver.start(context, driver.coll(n, 1));
                driver.stop(coll);
                driver.run_kernel(context, coll, 1, n * 1000 + 1, n * 1000 + 5);
            }
        };
        std::thread second(busy);
        const char byte = 'r';
        if (write(ready[1], &byte, 1) == 1 && stuck != nullptr) {
            busy();
        }
        _exit(1);
    }
    char byte = 0;
    const bool started = read(ready[0], &byte, 1) == 1;
    const auto files = ring_files(this->folder.path());
    auto reader = files.empty() ? std::nullopt : Reader::open(files.front());
    if (!started || !reader) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        FAIL() << "the other process did not start";
    }
    std::uint64_t seen = 0;
    int torn = 0;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (seen < 5000 && std::chrono::steady_clock::now() < deadline) {
        for (const Record& record : reader->read().records) {
            ++seen;
            // Whole, while two threads write. Up to version 3, the communicator is known by its operations.
            torn += record.kind != RecordKind::communicator_opened &&
                    (record.communicator != 0xdead || record.rank != 2);
        }
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_GE(seen, 5000U);
    EXPECT_EQ(torn, 0);
    for (int i = 0; i < 100; ++i) {  // the record that it was writing is not waited for
        for (const Record& record : reader->read().records) {
            EXPECT_EQ(record.communicator, 0xdeadU);
            EXPECT_EQ(record.rank, 2);
        }
    }
    EXPECT_TRUE(reader->read().records.empty());
    bool stuck = false;
    for (const auto& open : reader->open_operations()) {
        stuck = stuck || open.operation.sequence == 4711;
    }
    EXPECT_TRUE(stuck);
    close(ready[0]);
    close(ready[1]);
}

}  // namespace
}  // namespace rankscope::nccl::test
