// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// One process of a RAS network that is NCCL's own, without a GPU: RAS uses sockets and host memory alone. It makes
// communicators out of zeroed memory, with the few fields that RAS reads, and registers them as NCCL does. Started by
// ras_network.h, which finds where these fields are:
//
//   ras_process LIBNCCL LAYOUT ADDRESS RANK RANKS [SECOND-SIZE]
//
// LAYOUT is "name=number,…". The first communicator has all ranks, the second, if any, the first SECOND-SIZE ones.
// It prints its own record, then obeys stdin: "ranks HEX…" (records of all), "count COMMUNICATOR FUNCTION VALUE",
// "set COMMUNICATOR FIELD VALUE"; it answers each with a line, and ends with stdin.

#include <base/text.h>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <link.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {
namespace {

using Layout = std::map<std::string, std::size_t, std::less<>>;

constexpr std::uint64_t kMagic = 0x0280028002800280;

std::string hex_of(const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
        std::array<char, 3> digits{};
        std::snprintf(digits.data(), digits.size(), "%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(byte)));
        text += digits.data();
    }
    return text;
}

std::string bytes_of(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

/// A structure of NCCL: memory and where its fields are.
class Structure {
public:
    Structure(const Layout& layout, std::string name)
        : layout_(&layout), name_(std::move(name)), memory_(layout.at("sizeof." + name_)) {}

    bool has(const std::string& field) const { return layout_->contains(name_ + "." + field); }
    template <typename T>
    void set(const std::string& field, T value, std::size_t index = 0) {
        if (has(field)) {  // newer NCCL has more fields
            std::memcpy(memory_.data() + layout_->at(name_ + "." + field) + index * sizeof(T), &value,
                        sizeof(T));
        }
    }
    char* data() { return memory_.data(); }
    std::string bytes() const { return {memory_.begin(), memory_.end()}; }

private:
    const Layout* layout_;
    std::string name_;
    std::vector<char> memory_;
};

std::uint64_t process_hash(int rank) {
    return 0x1000U + static_cast<std::uint64_t>(rank);
}

struct Communicator {
    Structure fields;
    std::vector<char> peers;
    std::uint32_t abort_flag = 0;
};

class RasProcess {
public:
    RasProcess(Layout layout, std::string address, int rank, int ranks)
        : layout_(std::move(layout)), address_(std::move(address)), rank_(rank), ranks_(ranks) {}

    bool start(const char* library, int second_size) {
        void* handle = ::dlopen(library, RTLD_NOW);
        link_map* map = nullptr;
        if (handle == nullptr || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
            std::fprintf(stderr, "%s\n", ::dlerror());
            return false;
        }
        base_ = map->l_addr;
        Structure record(layout_, "rasRankInit");
        sockaddr_in address{};
        address.sin_family = AF_INET;
        ::inet_pton(AF_INET, address_.c_str(), &address.sin_addr);
        record.set("addr", address);
        record.set("pid", static_cast<std::int32_t>(::getpid()));
        record.set("cudaDev", rank_);
        record.set("nvmlDev", rank_);
        record.set("hostHash", std::uint64_t{1});
        record.set("pidHash", process_hash(rank_));
        if (!join(0xc0ffee, ranks_, record.data())) {
            return false;
        }
        if (rank_ < second_size && !join(0xbeef, second_size, nullptr)) {
            return false;
        }
        std::cout << hex_of(record.bytes()) << std::endl;
        return true;
    }

    void obey() {
        for (std::string line; std::getline(std::cin, line);) {
            std::istringstream words(line);
            std::string command;
            words >> command;
            std::size_t communicator = 0;
            if (command == "ranks") {
                add_ranks(words);
            } else if (command == "count") {
                std::size_t function = 0;
                std::uint64_t value = 0;
                words >> communicator >> function >> value;
                communicators_.at(communicator)->fields.set("seqNumber", value, function);
                communicators_.at(communicator)->fields.set("collOpCount", value);
            } else {
                std::string field;
                std::int32_t value = 0;
                words >> communicator >> field >> value;
                communicators_.at(communicator)->fields.set(field, value);
            }
            std::cout << "done" << std::endl;
        }
    }

private:
    template <typename Function>
    Function function(const char* name) const {
        return reinterpret_cast<Function>(base_ + layout_.at(name));
    }

    bool join(std::uint64_t hash, int size, char* record) {
        communicators_.push_back(
            std::make_unique<Communicator>(Communicator{Structure(layout_, "ncclComm"), {}, 0}));
        Communicator& made = *communicators_.back();
        for (int i = 0; i < size; ++i) {
            Structure peer(layout_, "ncclPeerInfo");
            peer.set("rank", i);
            peer.set("cudaDev", i);
            peer.set("nvmlDev", i);
            peer.set("hostHash", 1 + hash);
            peer.set("pidHash", process_hash(i) + hash);
            made.peers.insert(made.peers.end(), peer.data(), peer.data() + layout_.at("sizeof.ncclPeerInfo"));
        }
        made.fields.set("startMagic", kMagic);
        made.fields.set("endMagic", kMagic);
        made.fields.set("rank", rank_);
        made.fields.set("nRanks", size);
        made.fields.set("cudaDev", rank_);
        made.fields.set("nvmlDev", rank_);
        made.fields.set("commHash", hash);
        made.fields.set("abortFlag", &made.abort_flag);
        made.fields.set("peerInfo", made.peers.data());
        made.fields.set("peerInfoValid", true);
        return function<int (*)(void*, void*)>("ncclRasCommInit")(made.fields.data(), record) == 0;
    }

    void add_ranks(std::istringstream& words) {
        std::string all;
        int count = 0;
        for (std::string hex; words >> hex; ++count) {
            all += bytes_of(hex);
        }
        // NCCL frees it.
        void* records = std::malloc(all.size());  // NOLINT(cppcoreguidelines-no-malloc)
        std::memcpy(records, all.data(), all.size());
        function<int (*)(void*, int)>("ncclRasAddRanks")(records, count);
    }

    Layout layout_;
    std::string address_;
    int rank_;
    int ranks_;
    std::uintptr_t base_ = 0;
    std::vector<std::unique_ptr<Communicator>> communicators_;
};

int run(int argc, char** argv) {
    if (argc < 6) {
        std::fprintf(stderr, "usage: ras_process LIBNCCL LAYOUT ADDRESS RANK RANKS [SECOND-SIZE]\n");
        return 2;
    }
    Layout layout;
    for (const std::string_view entry : split(argv[2], ',')) {
        const std::size_t equals = entry.find('=');
        layout.emplace(entry.substr(0, equals), parse_number<std::size_t>(entry.substr(equals + 1)).value());
    }
    RasProcess process(layout, argv[3], std::atoi(argv[4]), std::atoi(argv[5]));
    if (!process.start(argv[1], argc > 6 ? std::atoi(argv[6]) : 0)) {
        return 1;
    }
    process.obey();
    ::_exit(0);  // NCCL's own end would tell the others nothing, but wait for its thread
}

}  // namespace
}  // namespace rankscope

int main(int argc, char** argv) {
    return rankscope::run(argc, argv);
}
