// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/ras_network.h"

#include "support/run_program.h"
#include "support/wait_until.h"

#include <base/paths.h>
#include <base/text.h>
#include <base/wait_fd.h>
#include <remote/agent/probes/ports.h>

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFields{
    "ncclComm.startMagic",   "ncclComm.endMagic",    "ncclComm.rank",        "ncclComm.nRanks",
    "ncclComm.cudaDev",      "ncclComm.nvmlDev",     "ncclComm.commHash",    "ncclComm.abortFlag",
    "ncclComm.peerInfo",     "ncclComm.seqNumber",   "ncclComm.collOpCount", "ncclComm.asyncResult",
    "ncclComm.initState",    "ncclPeerInfo.rank",    "ncclPeerInfo.cudaDev", "ncclPeerInfo.nvmlDev",
    "ncclPeerInfo.hostHash", "ncclPeerInfo.pidHash", "rasRankInit.addr",     "rasRankInit.pid",
    "rasRankInit.cudaDev",   "rasRankInit.nvmlDev"};
// Since NCCL 2.26.
const std::vector<std::string> kNewerFields{"ncclComm.peerInfoValid", "rasRankInit.hostHash",
                                            "rasRankInit.pidHash"};
const std::vector<std::string> kStructures{"ncclComm", "ncclPeerInfo", "rasRankInit"};
const std::vector<std::string> kFunctions{"ncclRasCommInit", "ncclRasAddRanks"};

std::string find_library() {
    if (const char* named = std::getenv("RANKSCOPE_TEST_LIBNCCL")) {
        return named;
    }
    void* handle = ::dlopen("libnccl.so.2", RTLD_LAZY);
    link_map* map = nullptr;
    if (handle == nullptr || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
        return {};
    }
    return map->l_name;
}

std::string expression_of(const std::string& field) {
    const std::size_t dot = field.find('.');
    return "&((struct " + field.substr(0, dot) + "*)0)->" + field.substr(dot + 1);
}

NcclLayout look_for_layout() {
    NcclLayout layout;
    layout.library = find_library();
    if (layout.library.empty()) {
        layout.problem = "NCCL is not installed";
        return layout;
    }
    if (find_on_path("gdb").empty()) {
        layout.problem = "gdb is not installed";
        return layout;
    }
    std::vector<std::string> command{"gdb", "-nx", "-batch", "-iex", "set auto-load no"};
    const auto ask = [&command](const std::string& name, const std::string& expression) {
        command.insert(command.end(), {"-ex", "printf \"" + name + "=%ld\\n\", (long)" + expression});
    };
    for (const auto& fields : {kFields, kNewerFields}) {
        for (const std::string& field : fields) {
            ask(field, expression_of(field));
        }
    }
    for (const std::string& structure : kStructures) {
        ask("sizeof." + structure, "sizeof(struct " + structure + ")");
    }
    for (const std::string& function : kFunctions) {
        ask(function, "&" + function);
    }
    command.push_back(layout.library);
    const std::string found = run_program(command).output;
    for (const std::string_view line : split(found, '\n')) {
        if (line.find('=') != std::string_view::npos) {
            layout.entries += (layout.entries.empty() ? "" : ",") + std::string(line);
        }
    }
    for (const auto& names : {kFields, kFunctions}) {
        for (const std::string& name : names) {
            if (("," + layout.entries).find("," + name + "=") == std::string::npos) {
                layout.problem = layout.library + " has no debugging information about " + name;
                return layout;
            }
        }
    }
    return layout;
}

}  // namespace

const NcclLayout& nccl_layout() {
    static const NcclLayout layout = look_for_layout();
    return layout;
}

RasNetwork::RasNetwork(int ranks, int second_size) : port_(agent::pick_free_port()) {
    const NcclLayout& layout = nccl_layout();
    ChildProcess::Options options;
    options.input = ChildProcess::Stream::Pipe;
    options.output = ChildProcess::Stream::Pipe;
    options.environment = {{"NCCL_RAS_ADDR", "127.0.0.1:" + std::to_string(port_)}, {"NCCL_RAS_ENABLE", "1"}};
    received_.resize(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
        // Two nodes: the first half of the ranks has another address.
        auto started =
            ChildProcess::start({(program_dir() / "ras_process").string(), layout.library, layout.entries,
                                 rank < (ranks + 1) / 2 ? "127.0.0.1" : "127.0.0.2", std::to_string(rank),
                                 std::to_string(ranks), std::to_string(second_size)},
                                options);
        if (!started) {
            return;
        }
        processes_.push_back(std::move(*started));
    }
    std::string all = "ranks";
    for (int rank = 0; rank < ranks; ++rank) {
        const std::string record = read_line(rank);
        if (record.empty()) {
            return;
        }
        all += " " + record;
    }
    for (int rank = 0; rank < ranks; ++rank) {
        command(rank, all);
    }
    ready_ = true;
}

void RasNetwork::set_count(int rank, int communicator, Function function, std::uint64_t value) {
    command(rank, "count " + std::to_string(communicator) + " " + std::to_string(function) + " " +
                      std::to_string(value));
}

void RasNetwork::set_counts(Function function, std::uint64_t value) {
    for (int rank = 0; rank < size(); ++rank) {
        set_count(rank, 0, function, value);
    }
}

void RasNetwork::set_field(int rank, int communicator, const std::string& field, int value) {
    command(rank, "set " + std::to_string(communicator) + " " + field + " " + std::to_string(value));
}

void RasNetwork::signal(int rank, int signal) {
    processes_.at(static_cast<std::size_t>(rank)).kill(signal);
}

void RasNetwork::kill(int rank) {
    signal(rank, SIGKILL);
    processes_.at(static_cast<std::size_t>(rank)).wait();
}

std::string RasNetwork::read_line(int rank) {
    std::string& received = received_.at(static_cast<std::size_t>(rank));
    const int fd = processes_.at(static_cast<std::size_t>(rank)).output().get();
    const double deadline = monotonic_s() + kPatience;
    std::array<char, 4096> bytes;
    while (received.find('\n') == std::string::npos) {
        if (!wait_readable(fd, deadline)) {
            return {};
        }
        const auto got = ::read(fd, bytes.data(), bytes.size());
        if (got <= 0) {
            return {};
        }
        received.append(bytes.data(), static_cast<std::size_t>(got));
    }
    const std::size_t end = received.find('\n');
    std::string line = received.substr(0, end);
    received.erase(0, end + 1);
    return line;
}

void RasNetwork::command(int rank, const std::string& line) {
    const std::string text = line + "\n";
    const int fd = processes_.at(static_cast<std::size_t>(rank)).input().get();
    if (::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
        read_line(rank);
    }
}

}  // namespace rankscope::test
