// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <gui/on_thread.h>
#include <gui/session/fleet.h>
#include <gui/strings.h>
#include <remote/desk/nodes/session/probe.h>
#include <remote/desk/nodes/session/session_pool.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace rankscope::gui {

namespace {

/// Probes wait for networks and for admission (remote/desk/nodes/transport/admission.h): many threads, little work.
constexpr int kProbesAtOnce = 64;

/// The connection was closed, and a new one would ask the user something.
bool needs_an_answer(const Failure& failure) {
    static constexpr std::array<std::string_view, 6> kIds{"ssh-password-needed", "ssh-passphrase-needed",
                                                          "ssh-hostkey-unknown", "ssh-auth-denied",
                                                          "ssh-auth-partial",    "ssh-no-identity"};
    return std::find(kIds.begin(), kIds.end(), failure.code.text()) != kIds.end();
}

}  // namespace

Fleet::Fleet(std::filesystem::path file, bool must_exist, Prompter prompter, QObject* parent)
    : QObject(parent),
      file_(std::move(file)),
      must_exist_(must_exist),
      prompter_(std::move(prompter)),
      sessions_(std::make_shared<SessionPool>()),
      model_(nullptr),
      read_job_(this, &pool_),
      write_job_(this, &pool_),
      facts_job_(this, &pool_) {
    pool_.setMaxThreadCount(1);
    probe_pool_.setMaxThreadCount(kProbesAtOnce);
}

Fleet::~Fleet() = default;

void Fleet::set_store(std::shared_ptr<RunStore> store) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    store_ = std::move(store);
    if (!store_) {
        return;
    }
    facts_job_.start(
        [kept = store_](const JobHandle&) {
            Result<KnownFacts> facts = kept->facts();
            return facts ? std::move(*facts) : KnownFacts{};
        },
        [this](KnownFacts facts) {
            model_.set_old_facts(facts);
            emit changed();
        });
}

void Fleet::load() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    save_problems_.clear();
    read_job_.start(
        [file = file_, must = must_exist_](const JobHandle&) { return read_inventory(file, must); },
        [this](InventoryRead read) {
            take(std::move(read));
            if (store_) {
                set_store(store_);
            }
        });
}

void Fleet::take(InventoryRead read) {
    inventory_ = std::move(read.inventory);
    problems_ = std::move(read.problems);
    loaded_ = true;
    model_.set_nodes(inventory_.nodes);
    emit problemsChanged();
    emit changed();
}

void Fleet::save(Edit edit) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    edits_.push_back(std::move(edit));
    if (!write_job_.running()) {
        write_next();
    }
}

void Fleet::write_next() {
    if (edits_.empty()) {
        return;
    }
    Edit edit = std::move(edits_.front());
    edits_.pop_front();
    struct Outcome {
        InventoryRead read;
        std::vector<Failure> problems;
    };
    write_job_.start(
        [file = file_, edit = std::move(edit)](const JobHandle&) {
            Outcome outcome;
            outcome.read = read_inventory(file, false);
            if (!outcome.read.problems.empty()) {
                outcome.problems = outcome.read.problems;
                return outcome;
            }
            edit(outcome.read.inventory);
            const Result<void> written = write_inventory(outcome.read.inventory, file);
            if (!written) {
                outcome.problems.push_back(written.failure());
                outcome.read = read_inventory(file, false);
            }
            return outcome;
        },
        [this](Outcome outcome) {
            save_problems_ = std::move(outcome.problems);
            const bool fine = save_problems_.empty();
            take(std::move(outcome.read));
            if (fine) {
                emit saved();
            }
            write_next();
        });
}

void Fleet::save_node(const std::string& old_name, const NodeSpec& node) {
    save([old_name, node](Inventory& inventory) {
        auto& nodes = inventory.nodes;
        auto at =
            std::find_if(nodes.begin(), nodes.end(), [&](const NodeSpec& n) { return n.name == old_name; });
        if (at != nodes.end()) {
            *at = node;
        } else {
            nodes.push_back(node);
        }
    });
}

void Fleet::add_nodes(const std::vector<NodeSpec>& nodes) {
    save([nodes](Inventory& inventory) {
        for (const NodeSpec& node : nodes) {
            if (inventory.find(node.name) == nullptr) {
                inventory.nodes.push_back(node);
            }
        }
    });
}

void Fleet::remove_nodes(const std::vector<std::string>& names) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    for (const std::string& name : names) {
        probes_.erase(name);
        refreshes_.erase(name);
    }
    save([gone = std::set<std::string>(names.begin(), names.end())](Inventory& inventory) {
        std::erase_if(inventory.nodes, [&](const NodeSpec& node) { return gone.contains(node.name); });
    });
}

void Fleet::replace_nodes(const std::vector<NodeSpec>& nodes) {
    save([nodes](Inventory& inventory) {
        for (const NodeSpec& node : nodes) {
            const auto at = std::find_if(inventory.nodes.begin(), inventory.nodes.end(),
                                         [&](const NodeSpec& each) { return each.name == node.name; });
            if (at != inventory.nodes.end()) {
                *at = node;
            }
        }
    });
}

void Fleet::probe(const std::string& name) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const FleetNode* node = model_.find(name);
    if (!node || node->state == ProbeState::Connecting) {
        return;
    }
    auto& job = probes_[name];
    if (!job) {
        job = std::make_unique<BackgroundJob>(this, &probe_pool_);
    }
    if (const auto refresh = refreshes_.find(name); refresh != refreshes_.end()) {
        refresh->second->cancel();
    }
    not_refreshed_.erase(name);
    model_.set_connecting(name, {});
    job->start(
        [spec = node->spec, ask = prompter_, kept = store_, open = sessions_, name,
         this](const JobHandle& handle) {
            // `this` is used on its own thread only: post() drops the call once the fleet is gone.
            Result<NodeFacts> facts = probe_node(
                spec, ask, handle.stop(),
                [&](const std::string& progress) {
                    handle.post([this, name, progress] { model_.set_connecting(name, progress); });
                },
                open.get(), ProbeDepth::Versions);
            if (facts) {
                facts->probed_us = now_us();
                if (kept) {
                    // The probe counts even when the store fails: stored facts only serve the next start.
                    (void)kept->save_facts(name, *facts, facts->probed_us);
                }
            }
            return facts;
        },
        [this, name](Result<NodeFacts> facts) {
            if (facts) {
                model_.set_ready(name, *facts);
            } else {
                model_.set_failed(name, facts.failure());
            }
            emit probesChanged();
            emit changed();
        });
    emit probesChanged();
}

void Fleet::refresh_figures() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    for (const FleetNode& node : model_.nodes()) {
        const std::string& name = node.spec.name;
        if (node.state != ProbeState::Ready || !node.run_sample.empty() || not_refreshed_.contains(name)) {
            continue;
        }
        auto& job = refreshes_[name];
        if (!job) {
            job = std::make_unique<BackgroundJob>(this, &probe_pool_);
        }
        if (job->running()) {
            continue;
        }
        job->start(
            [spec = node.spec, open = sessions_,
             known = node.facts ? node.facts->versions
                                : std::map<std::string, std::string>()](const JobHandle& handle) {
                Result<NodeFacts> facts = probe_node(spec, {}, handle.stop(), {}, open.get());
                if (facts) {
                    facts->probed_us = now_us();
                    facts->versions = known;
                }
                return facts;
            },
            [this, name](const Result<NodeFacts>& facts) { take_figures(name, facts); });
    }
}

void Fleet::take_figures(const std::string& name, const Result<NodeFacts>& facts) {
    const FleetNode* node = model_.find(name);
    if (node == nullptr || node->state != ProbeState::Ready) {
        return;  // a probe has begun meanwhile
    }
    if (facts) {
        model_.set_ready(name, *facts);
    } else if (needs_an_answer(facts.failure())) {
        not_refreshed_.insert(name);
    } else {
        model_.set_failed(name, facts.failure());
        emit changed();
    }
}

void Fleet::probe_all() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    std::vector<std::string> names;
    for (const FleetNode& node : model_.nodes()) {
        names.push_back(node.spec.name);
    }
    for (const std::string& name : names) {
        probe(name);
    }
}

void Fleet::cancel_probes() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    for (auto& [name, job] : probes_) {
        if (job->running()) {
            job->cancel();
            model_.set_cancelled(name);
        }
    }
    emit probesChanged();
}

int Fleet::running_probes() const {
    return int(std::count_if(probes_.begin(), probes_.end(),
                             [](const auto& entry) { return entry.second->running(); }));
}

}  // namespace rankscope::gui
