// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/child_process.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::test {

/// Where NCCL's library on this machine keeps what RAS reads, from its symbols and its debugging information.
struct NcclLayout {
    std::string library;
    std::string entries;  ///< "ncclComm.rank=1066192,…"
    std::string problem;  ///< why there is none; empty: there is one
};

/// Looks once per program. RANKSCOPE_TEST_LIBNCCL names another library.
const NcclLayout& nccl_layout();

/// Processes that form a real RAS network of NCCL on this machine, without a GPU.
class RasNetwork {
public:
    /// The functions whose operations RAS counts, in the order of ncclFunc_t.
    enum Function { Broadcast, Reduce, AllGather, ReduceScatter, AllReduce };

    /// `second_size`: a second communicator of that many ranks; 0: none. See ready().
    explicit RasNetwork(int ranks, int second_size = 0);

    /// false: a process did not start; see errors of the test.
    bool ready() const { return ready_; }
    std::uint16_t port() const { return port_; }
    int size() const { return static_cast<int>(processes_.size()); }

    void set_count(int rank, int communicator, Function function, std::uint64_t value);
    /// Of all ranks of the communicator with all processes.
    void set_counts(Function function, std::uint64_t value);
    /// A field of NCCL's communicator: "asyncResult", "initState", …
    void set_field(int rank, int communicator, const std::string& field, int value);
    void signal(int rank, int signal);
    void kill(int rank);

private:
    std::string read_line(int rank);
    void command(int rank, const std::string& line);

    bool ready_ = false;
    std::uint16_t port_ = 0;
    std::vector<ChildProcess> processes_;
    std::vector<std::string> received_;
};

}  // namespace rankscope::test
