// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/gloo_all_reduce.h>
#include <engine/comm/gloo_process_group.h>
#include <engine/comm/gloo_sockets.h>
#include <engine/comm/work_queue.h>
#include <engine/error.h>

#include <gloo/allgather.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>

namespace rankscope::engine {
namespace {

/// Lets Gloo exchange its addresses through our store, so that only ranks with the token take part.
class GlooStore final : public gloo::rendezvous::Store {
public:
    GlooStore(engine::Store& store, std::chrono::milliseconds timeout) : store_(store), timeout_(timeout) {}

    void set(const std::string& key, const std::vector<char>& data) override {
        store_.set("gloo/" + key, std::string(data.begin(), data.end()));
    }
    std::vector<char> get(const std::string& key) override {
        const std::optional<std::string> value = store_.get("gloo/" + key, timeout_);
        if (!value) {
            throw Error("a rank did not publish its Gloo address within " +
                        std::to_string(timeout_.count() / 1000) + " s");
        }
        return {value->begin(), value->end()};
    }
    void wait(const std::vector<std::string>& keys) override {
        for (const std::string& key : keys) {
            get(key);
        }
    }
    void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& /*timeout*/) override {
        wait(keys);
    }

private:
    engine::Store& store_;
    std::chrono::milliseconds timeout_;
};

std::shared_ptr<gloo::transport::Device> make_device(const GlooOptions& options) {
    gloo::transport::tcp::attr attributes;
    attributes.iface = options.interface_name;
    attributes.hostname = options.interface_name.empty() ? options.address : "";
    try {
        return gloo::transport::tcp::CreateDevice(attributes);
    } catch (const std::exception& exception) {
        throw Error("Gloo cannot use " +
                    (options.interface_name.empty()
                         ? "the local address \"" + options.address + "\""
                         : "the network device \"" + options.interface_name + "\" (GLOO_SOCKET_IFNAME)") +
                    ": " + exception.what());
    }
}

class GlooProcessGroup final : public ProcessGroup {
public:
    GlooProcessGroup(const GlooOptions& options, engine::Store& store) {
        const std::shared_ptr<gloo::transport::Device> device = make_device(options);
        auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.world_size);
        context->setTimeout(options.connect_timeout);
        GlooStore adapter(store, options.connect_timeout);
        std::shared_ptr<gloo::transport::Device> used = device;
        try {
            context->connectFullMesh(adapter, used);
        } catch (const PeerLostError&) {
            throw;
        } catch (const std::exception& exception) {
            throw Error(
                std::string("the ranks cannot connect with one another (Gloo, from ") +
                (options.interface_name.empty() ? options.address : options.interface_name) +
                "): " + exception.what() +
                ". The nodes must reach each other on all TCP ports; GLOO_SOCKET_IFNAME names the device.");
        }
        context->setTimeout(options.collective_timeout);
        disable_tcp_delay_of_gloo();
        context_ = std::move(context);
        all_reduce_ = std::make_unique<GlooAllReduce>(context_);
    }

    int rank() const override { return context_->rank; }
    int size() const override { return context_->size; }

    Work all_reduce_sum(std::span<float> values) override {
        return queue_.submit([this, values] { all_reduce_->run(values); });
    }

    void broadcast(std::span<float> values, int root) override {
        queue_
            .submit([this, values, root] {
                gloo::BroadcastOptions options(context_);
                options.setOutput(values.data(), values.size());
                options.setRoot(root);
                gloo::broadcast(options);
            })
            .wait();
    }

    std::vector<std::string> all_gather(const std::string& bytes) override {
        std::vector<char> mine(bytes.begin(), bytes.end());
        std::vector<char> all(mine.size() * static_cast<std::size_t>(size()));
        queue_
            .submit([this, &mine, &all] {
                gloo::AllgatherOptions options(context_);
                options.setInput(mine.data(), mine.size());
                options.setOutput(all.data(), all.size());
                gloo::allgather(options);
            })
            .wait();
        std::vector<std::string> result;
        for (int rank = 0; rank < size(); ++rank) {
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(mine.size()) * rank;
            result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(mine.size()));
        }
        return result;
    }

    void barrier() override {
        queue_
            .submit([this] {
                gloo::BarrierOptions options(context_);
                gloo::barrier(options);
            })
            .wait();
    }

private:
    std::shared_ptr<gloo::Context> context_;
    std::unique_ptr<GlooAllReduce> all_reduce_;
    WorkQueue queue_;  // last: its thread uses the context
};

}  // namespace

std::unique_ptr<ProcessGroup> make_gloo_process_group(const GlooOptions& options, Store& store) {
    return std::make_unique<GlooProcessGroup>(options, store);
}

}  // namespace rankscope::engine
