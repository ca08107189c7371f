// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTextDocument>
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(rankscope)
};

}  // namespace

QString phase_text(RankPhase phase) {
    switch (phase) {
        case RankPhase::Waiting:
            return Words::tr("waiting");
        case RankPhase::Starting:
            return Words::tr("starting");
        case RankPhase::Rendezvous:
            return Words::tr("rendezvous");
        case RankPhase::Training:
            return Words::tr("training");
        case RankPhase::Validating:
            return Words::tr("validating");
        case RankPhase::Done:
            return Words::tr("done");
        case RankPhase::Failed:
            return Words::tr("failed");
        case RankPhase::EndedWithRun:
            return Words::tr("ended with the run");
    }
    return {};
}

QString outcome_text(Outcome outcome) {
    switch (outcome) {
        case Outcome::Running:
            return Words::tr("running");
        case Outcome::Done:
            return Words::tr("done");
        case Outcome::Failed:
            return Words::tr("failed");
        case Outcome::Stopped:
            return Words::tr("stopped");
        case Outcome::Lost:
            return Words::tr("lost");
    }
    return {};
}

QString stage_text(StageName name) {
    switch (name) {
        case StageName::Connect:
            return Words::tr("Connect");
        case StageName::Push:
            return Words::tr("Push");
        case StageName::Start:
            return Words::tr("Start");
        case StageName::Rendezvous:
            return Words::tr("Rendezvous");
        case StageName::FirstStep:
            return Words::tr("First step");
        case StageName::Data:
            return Words::tr("Data");
        case StageName::Train:
            return Words::tr("Train");
        case StageName::Validate:
            return Words::tr("Validate");
        case StageName::Done:
            return Words::tr("Done");
        case StageName::Stop:
            return Words::tr("Stop");
        case StageName::Queue:
            return Words::tr("Queue");
        case StageName::Pause:
            return Words::tr("Paused");
        case StageName::Continue:
            return Words::tr("Resumed");
        case StageName::Restart:
            return Words::tr("Restart");
        case StageName::Checkpoint:
            return Words::tr("Checkpoint signal sent");
        case StageName::Link:
            return Words::tr("Link of the nodes");
        case StageName::Note:
            return Words::tr("Note");
        case StageName::Preflight:
            return Words::tr("Preflight");
    }
    return {};
}

QString link_text(const LinkEvent& link, std::int64_t now_us) {
    const QString silence =
        link.last_seen_us > 0 ? whole_seconds_text(double(now_us - link.last_seen_us) / 1e6) : QString();
    switch (link.state) {
        case LinkState::Linked:
            return Words::tr("connected again");
        case LinkState::Silent:
            return silence.isEmpty() ? Words::tr("no answer") : Words::tr("no answer for %1").arg(silence);
        case LinkState::PresumedLost:
            return silence.isEmpty() ? Words::tr("presumed lost")
                                     : Words::tr("presumed lost: no answer for %1").arg(silence);
        case LinkState::Retrying:
            break;
        case LinkState::Ended:
            return {};
    }
    QStringList parts{link.failure.empty() ? Words::tr("The connection is lost.") : qs(link.failure)};
    if (!link.remedy.empty()) {
        parts += qs(link.remedy);
    }
    parts += Words::tr("What runs there may continue.");
    parts += link.retry_at_us - now_us < 1'000'000
                 ? Words::tr("Trying again.")
                 : Words::tr("Trying again in %1.")
                       .arg(whole_seconds_text(double(link.retry_at_us - now_us) / 1e6));
    return parts.join(u' ');
}

QString link_state_text(const NodeLink& link, std::int64_t now_us) {
    const double silent = link.silent_s(now_us);
    const QString silence =
        silent > 0 ? Words::tr("silent for %1").arg(whole_seconds_text(std::floor(silent))) : QString();
    switch (link.state) {
        case LinkState::Linked:
            return Words::tr("linked");
        case LinkState::Silent:
            return silence.isEmpty() ? Words::tr("silent") : silence;
        case LinkState::Retrying: {
            const double wait = double(link.retry_at_us - now_us) / 1e6;
            const QString retry = wait >= 1
                                      ? Words::tr("retry in %1").arg(whole_seconds_text(std::ceil(wait)))
                                      : Words::tr("trying again");
            return silence.isEmpty() ? retry : QString(silence % u", "_s % retry);
        }
        case LinkState::PresumedLost:
            return silence.isEmpty() ? Words::tr("presumed lost")
                                     : Words::tr("presumed lost, %1").arg(silence);
        case LinkState::Ended:
            return Words::tr("ended");
    }
    return {};
}

QString duration_text(double seconds) {
    if (!(seconds >= 0)) {
        return {};
    }
    if (seconds < 0.0995) {
        return Words::tr("%1 ms").arg(seconds * 1e3, 0, 'f', 0);
    }
    if (seconds < 9.95) {
        return Words::tr("%1 s").arg(seconds, 0, 'f', 1);
    }
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (whole < 60) {
        return Words::tr("%1 s").arg(whole);
    }
    if (whole < 3600) {
        return Words::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    }
    return Words::tr("%1 h %2 min").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
}

QString whole_seconds_text(double seconds) {
    return seconds >= 0 && seconds < 59.5 ? Words::tr("%1 s").arg(std::llround(seconds))
                                          : duration_text(seconds);
}

QString duration_us_text(std::int64_t begin_us, std::int64_t end_us) {
    if (begin_us <= 0 || end_us < begin_us) {
        return {};
    }
    return duration_text(double(end_us - begin_us) / 1e6);
}

QString bytes_text(std::uint64_t bytes) {
    return QLocale::c().formattedDataSize(qint64(bytes), bytes < (1ULL << 30) ? 0 : 1,
                                          QLocale::DataSizeIecFormat);
}

QString short_time_text(double seconds, bool with_sign) {
    const QString sign = with_sign && seconds > 0 ? u"+"_s : QString();
    const double size = std::abs(seconds);
    if (size < 1e-3) {
        return sign + Words::tr("%1 µs").arg(seconds * 1e6, 0, 'f', 0);
    }
    if (size < 1) {
        return sign + Words::tr("%1 ms").arg(seconds * 1e3, 0, 'f', size < 0.01 ? 1 : 0);
    }
    return sign + Words::tr("%1 s").arg(seconds, 0, 'f', 1);
}

QString date_time_text(std::int64_t t_us) {
    if (t_us <= 0) {
        return {};
    }
    return QDateTime::fromMSecsSinceEpoch(t_us / 1000).toString(u"yyyy-MM-dd HH:mm:ss"_s);
}

QString short_name(const std::string& name) {
    constexpr qsizetype kMost = 24;
    const QString whole = qs(name);
    return whole.size() <= kMost ? whole : QString(whole.left(kMost / 2) % u'…' % whole.right(kMost / 2 - 1));
}

QString ranks_text(const std::vector<int>& ranks) {
    constexpr qsizetype kMostParts = 12;
    std::vector<int> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    QStringList parts;
    for (std::size_t i = 0; i < sorted.size();) {
        if (parts.size() == kMostParts) {
            parts += u"…"_s;
            break;
        }
        std::size_t last = i;
        while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) {
            ++last;
        }
        const QString begin = QString::number(sorted[i]);
        const QString end = QString::number(sorted[last]);
        parts += last == i       ? begin
                 : last == i + 1 ? QString(begin % u", "_s % end)
                                 : QString(begin % u'–' % end);
        i = last + 1;
    }
    return parts.join(u", "_s);
}

QString percent_text(double share, int decimals) {
    if (!std::isfinite(share)) {
        return u"NaN"_s;
    }
    return Words::tr("%1 %").arg(share * 100, 0, 'f', decimals);
}

QString number_text(double value, int decimals) {
    return std::isfinite(value) ? QString::number(value, 'f', decimals)
           : std::isnan(value)  ? u"NaN"_s
           : value > 0          ? u"∞"_s
                                : u"-∞"_s;
}

QString count_text(std::int64_t count) {
    QString digits = QString::number(count);
    for (qsizetype at = digits.size() - 3; at > (count < 0 ? 1 : 0); at -= 3) {
        digits.insert(at, QChar(0x2009));
    }
    return digits;
}

QString signal_name(int signal) {
    struct Name {
        int number;
        const char* text;
    };
    static constexpr std::array names{
        Name{SIGHUP, "SIGHUP"},   Name{SIGINT, "SIGINT"},   Name{SIGQUIT, "SIGQUIT"},
        Name{SIGILL, "SIGILL"},   Name{SIGTRAP, "SIGTRAP"}, Name{SIGABRT, "SIGABRT"},
        Name{SIGBUS, "SIGBUS"},   Name{SIGFPE, "SIGFPE"},   Name{SIGKILL, "SIGKILL"},
        Name{SIGUSR1, "SIGUSR1"}, Name{SIGSEGV, "SIGSEGV"}, Name{SIGUSR2, "SIGUSR2"},
        Name{SIGPIPE, "SIGPIPE"}, Name{SIGALRM, "SIGALRM"}, Name{SIGTERM, "SIGTERM"},
        Name{SIGXCPU, "SIGXCPU"}, Name{SIGXFSZ, "SIGXFSZ"}, Name{SIGSYS, "SIGSYS"}};
    for (const Name& name : names) {
        if (name.number == signal) {
            return QString::fromLatin1(name.text);
        }
    }
    return Words::tr("signal %1").arg(signal);
}

QString exit_text(int code, int signal) {
    if (signal > 0) {
        return Words::tr("signal %1 (%2)").arg(signal).arg(signal_name(signal));
    }
    return Words::tr("exit code %1").arg(code);
}

QString culprit_text(const Culprit& culprit) {
    const QString where = culprit.node.empty()
                              ? Words::tr("Rank %1").arg(culprit.rank)
                              : Words::tr("Rank %1 on %2").arg(culprit.rank).arg(qs(culprit.node));
    if (culprit.rank < 0) {
        return Words::tr("Node %1 failed").arg(qs(culprit.node));
    }
    if (!culprit.process_state.empty()) {
        return Words::tr("%1 stopped answering: its process is stopped (state %2)")
            .arg(where, qs(culprit.process_state));
    }
    if (culprit.signal > 0) {
        return Words::tr("%1 was killed by signal %2 (%3)")
            .arg(where)
            .arg(culprit.signal)
            .arg(signal_name(culprit.signal));
    }
    if (culprit.code > 0) {
        return Words::tr("%1 ended with exit code %2").arg(where).arg(culprit.code);
    }
    return Words::tr("%1 failed").arg(where);
}

QString failure_line(const Failure& failure) {
    const QString what = qs(statement(failure));
    return failure.where.empty() ? what : QString(qs(failure.where) % u": "_s % what);
}

QString variable_text(const std::string& text) {
    return QCoreApplication::translate("NcclVariables", text.c_str());
}

QString nccl_line_text(const std::string& text) {
    return QCoreApplication::translate("NcclLines", text.c_str());
}

QString wrapped_tip(const QString& text) {
    return text.isEmpty() ? text : Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal);
}

QString failure_text(const Failure& failure) {
    QStringList parts{failure_line(failure)};
    if (!failure.remedy.empty()) {
        parts += qs(failure.remedy);
    }
    if (!failure.detail.empty()) {
        parts += qs(failure.detail);
    }
    return parts.join(u'\n');
}

QString failures_text(const std::vector<Failure>& failures) {
    QStringList parts;
    for (const Failure& failure : failures) {
        parts += failure.remedy.empty() ? failure_line(failure)
                                        : QString(failure_line(failure) % u"\n    "_s % qs(failure.remedy));
    }
    return parts.join(u'\n');
}

}  // namespace rankscope::gui
