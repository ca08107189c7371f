// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/pair_grid.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/preflight/path_checks.h>

#include <QCoreApplication>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::size_t kOtherAttempts = 6;  ///< shown of those at addresses that the run does not use

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Doctor)
};

int weight(PairState state) {
    switch (state) {
        case PairState::Untested:
        case PairState::Self:
            return 0;
        case PairState::Fine:
            return 1;
        case PairState::Warned:
            return 2;
        case PairState::Failed:
            return 3;
    }
    return 0;
}

bool arrived(const PathResult& path) {
    return path.result.outcome() == wire::CONNECTED;
}

QString port_text(const PathResult& path) {
    const QString port = QString::number(path.port);
    if (path.master_port) {
        return Words::tr("rendezvous port %1").arg(port);
    }
    return path.ssh_port ? Words::tr("SSH port %1").arg(port) : Words::tr("port %1").arg(port);
}

/// Delay, MTU, rate and loss, as far as they were measured.
QStringList figures(const PathResult& path) {
    const wire::ConnectResult& result = path.result;
    QStringList parts;
    if (!arrived(path)) {
        if (result.seconds() > 0) {
            parts += Words::tr("after %1").arg(short_time_text(result.seconds()));
        }
        return parts;
    }
    if (result.rtt_s() > 0) {
        parts += Words::tr("delay %1").arg(short_time_text(result.rtt_s()));
    }
    if (result.path_mtu() > 0) {
        parts += Words::tr("MTU %1").arg(result.path_mtu());
    }
    if (path.measured && result.bulk_seconds() > 0) {
        const double mbit = 8e-6 * double(result.bulk_sent()) / result.bulk_seconds();
        parts += Words::tr("%1 Mbit/s").arg(mbit, 0, 'f', mbit < 10 ? 1 : 0);
    }
    if (path.measured && result.segments_out() > 0) {
        const double loss = double(result.retransmitted()) / double(result.segments_out());
        parts += Words::tr("loss %1").arg(percent_text(loss, loss < 0.1 ? 1 : 0));
    }
    if (!result.seen_as().empty() && result.seen_as() != result.local_address()) {
        parts += Words::tr("seen as %1").arg(qs(result.seen_as()));
    }
    return parts;
}

QString attempt_text(const PathResult& path) {
    const QString where = path.interface_name.empty()
                              ? qs(path.address)
                              : Words::tr("%1 (%2)").arg(qs(path.address), qs(path.interface_name));
    QString line =
        Words::tr("%1, %2: %3").arg(where, port_text(path), qs(rankscope::outcome_text(path.result)));
    const QStringList values = figures(path);
    if (!values.isEmpty()) {
        line += u" · "_s % values.join(u" · "_s);
    }
    return line;
}

}  // namespace

QString pair_state_text(PairState state) {
    switch (state) {
        case PairState::Untested:
            return Words::tr("not tested");
        case PairState::Fine:
            return Words::tr("reached");
        case PairState::Warned:
            return Words::tr("warning");
        case PairState::Failed:
            return Words::tr("fault");
        case PairState::Self:
            break;
    }
    return {};
}

PairGrid::PairGrid(std::shared_ptr<const PreflightReport> report) : report_(std::move(report)) {
    take_names();
    states_.assign(size() * size(), PairState::Untested);
    failed_.assign(size(), false);
    for (std::size_t i = 0; i < size(); ++i) {
        states_[i * size() + i] = PairState::Self;
    }
    take_paths();
    take_checks();
    faults_.assign(size(), 0);
    for (std::size_t from = 0; from < size(); ++from) {
        for (std::size_t to = 0; to < size(); ++to) {
            if (state(from, to) == PairState::Failed) {
                ++faults_[from];
                ++faults_[to];
            }
        }
    }
}

// A node that could not be inspected stands in its check only.
void PairGrid::take_names() {
    names_ = report_->nodes;
    for (const Check& check : report_->checks) {
        for (const std::string& node : check.nodes) {
            if (find(node) == size()) {
                names_.push_back(node);
            }
        }
    }
}

void PairGrid::take_paths() {
    for (const PathResult& path : report_->paths) {
        if (path.from >= size() || path.to >= size() || path.from == path.to) {
            continue;
        }
        paths_[{path.from, path.to}].push_back(&path);
        if (path.chosen && !path.ssh_port && path.result.outcome() != wire::CONNECT_NOT_TRIED) {
            raise(path.from, path.to, arrived(path) ? PairState::Fine : PairState::Failed);
        }
    }
}

void PairGrid::take_checks() {
    for (const Check& check : report_->checks) {
        const bool fails = check.status == CheckStatus::Fail;
        for (const NodePair& pair : check.pairs) {
            const std::size_t from = find(pair.from);
            const std::size_t to = find(pair.to);
            if (from == size() || to == size() || from == to) {
                continue;
            }
            if (fails || check.status == CheckStatus::Warn) {
                raise(from, to, fails ? PairState::Failed : PairState::Warned);
            }
        }
        // Of a path the node at fault stands first; the others only notice.
        const std::size_t blamed =
            check.pairs.empty() ? check.nodes.size() : std::min<std::size_t>(check.nodes.size(), 1);
        for (std::size_t i = 0; i < blamed; ++i) {
            const std::size_t node = find(check.nodes[i]);
            failed_[node] = failed_[node] || fails;
        }
    }
}

void PairGrid::raise(std::size_t from, std::size_t to, PairState state) {
    PairState& cell = states_[from * size() + to];
    if (weight(state) > weight(cell)) {
        cell = state;
    }
}

std::size_t PairGrid::find(const std::string& name) const {
    return std::size_t(std::find(names_.begin(), names_.end(), name) - names_.begin());
}

QString PairGrid::address_text(std::size_t node) const {
    for (const InterfaceChoice& choice : report_->choices) {
        if (choice.node == names_[node]) {
            QStringList parts;
            for (const std::string& part : {choice.interface_name, choice.address}) {
                if (!part.empty()) {
                    parts += qs(part);
                }
            }
            return parts.join(u", "_s);
        }
    }
    return {};
}

QString PairGrid::title(std::size_t from, std::size_t to) const {
    if (from == to) {
        const QString address = address_text(from);
        return address.isEmpty() ? qs(names_[from]) : QString(qs(names_[from]) % u": "_s % address);
    }
    return Words::tr("%1 → %2: %3").arg(qs(names_[from]), qs(names_[to]), pair_state_text(state(from, to)));
}

QStringList PairGrid::lines(std::size_t from, std::size_t to) const {
    QStringList lines;
    for (const Check& check : report_->checks) {
        const bool here = std::any_of(check.pairs.begin(), check.pairs.end(), [&](const NodePair& pair) {
            return pair.from == names_[from] && pair.to == names_[to];
        });
        if (here) {
            lines += qs(check.detail);
        }
    }
    const auto found = paths_.find({from, to});
    if (found == paths_.end()) {
        if (from != to) {
            lines += report_->paths.empty() ? Words::tr("This report has no attempts to connect.")
                                            : Words::tr("No connection was tried in this direction.");
        }
        return lines;
    }
    std::vector<const PathResult*> paths = found->second;
    const auto place = [](const PathResult* path) {
        return (path->chosen ? 0 : 4) + (arrived(*path) ? 2 : 0) + (path->master_port ? 0 : 1);
    };
    std::stable_sort(paths.begin(), paths.end(), [&](const PathResult* left, const PathResult* right) {
        return place(left) < place(right);
    });
    std::size_t others = 0;
    for (const PathResult* path : paths) {
        if (path->chosen) {
            lines += attempt_text(*path);
        } else if (++others <= kOtherAttempts) {
            lines += Words::tr("not used by the run: %1").arg(attempt_text(*path));
        }
    }
    if (others > kOtherAttempts) {
        lines +=
            Words::tr("… and %1 more at addresses that the run does not use").arg(others - kOtherAttempts);
    }
    return lines;
}

}  // namespace rankscope::gui
