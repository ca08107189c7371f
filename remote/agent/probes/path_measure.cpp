// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/connect_attempt.h>
#include <remote/agent/probes/path_measure.h>
#include <remote/agent/probes/probe_exchange.h>

#include <netinet/in.h>
#include <poll.h>
#include <sodium/core.h>
#include <sodium/randombytes.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr std::uint32_t kMostSegments = 1000;
constexpr std::uint32_t kMostBulk = 32U << 20U;
constexpr std::size_t kSegmentBytes = 100;
constexpr std::size_t kBlockBytes = 64U << 10U;
constexpr std::size_t kBytesPerStep = 1U << 20U;  // then the other targets have their turn
constexpr double kSegmentInterval = 0.001;
constexpr double kDrainTime = 1;
constexpr double kDrainCheck = 0.002;
constexpr double kProgressCheck = 0.05;
constexpr double kBulkTime = 3;
constexpr double kStallTime = 2;
constexpr double kMicro = 1e-6;
constexpr unsigned kTcpClose = 7;  // the state; <linux/tcp.h> does not name it

// Random: a tunnel that compresses must not make a link look faster.
const std::vector<char>& block() {
    static const std::vector<char> bytes = [] {
        std::vector<char> random(kBlockBytes);
        [[maybe_unused]] const int ready = sodium_init();
        ::randombytes_buf(random.data(), random.size());
        return random;
    }();
    return bytes;
}

bool passing(int error) {
    return error == EAGAIN || error == EINTR;
}

}  // namespace

PathMeasure::PathMeasure(UniqueFd fd, int family, std::uint32_t segments, std::uint32_t bulk_bytes,
                         double now)
    : fd_(std::move(fd)),
      family_(family),
      segments_(std::min(segments, kMostSegments)),
      bulk_(std::min(bulk_bytes, kMostBulk)),
      due_(now),
      phase_began_(now) {
    measured_.set_outcome(wire::CONNECTED);
    const tcp_info info = tcp_info_of(fd_.get());
    measured_.set_rtt_s(info.tcpi_rtt * kMicro);
    measured_.set_mss(info.tcpi_snd_mss);
    if (segments_ == 0 && bulk_ == 0) {
        finish(false);
    }
}

short PathMeasure::events() const {
    switch (phase_) {
        case Phase::Bulk:
            return POLLOUT | POLLIN;
        case Phase::Count:
            return POLLIN;
        default:
            return 0;
    }
}

void PathMeasure::step(double now, short revents) {
    if ((revents & (POLLERR | POLLHUP)) != 0) {
        // An ICMP message about a connection that stands changes nothing; a reset ends it. One that both sides have
        // ended is closed, too, and the count may wait in it.
        (void)take_icmp_error(fd_.get());
        if (phase_ != Phase::Count && tcp_info_of(fd_.get()).tcpi_state == kTcpClose) {
            return finish(false);
        }
    }
    switch (phase_) {
        case Phase::Segments:
            return send_segment(now);
        case Phase::Drain:
            return drain(now);
        case Phase::Bulk:
            send_bulk();
            break;
        case Phase::Count:
            read_count(now);
            break;
        case Phase::Done:
            return;
    }
    if (!done() && now >= due_) {
        watch_progress(now);
    }
}

void PathMeasure::send_segment(double now) {
    if (now < due_) {
        return;
    }
    // Not two at once, however late: each must be a segment of its own.
    const double latest = phase_began_ + 2 * kSegmentInterval * segments_ + kDrainTime;
    if (segments_sent_ < segments_ && now < latest) {
        if (const auto put = ::send(fd_.get(), block().data(), kSegmentBytes, MSG_NOSIGNAL); put > 0) {
            ++segments_sent_;
            segment_bytes_ += static_cast<std::uint64_t>(put);
        }
        due_ = now + kSegmentInterval;
        return;
    }
    phase_ = Phase::Drain;
    phase_began_ = now;
    drain(now);
}

void PathMeasure::drain(double now) {
    const tcp_info info = tcp_info_of(fd_.get());
    const bool all_acknowledged = info.tcpi_unacked == 0 && info.tcpi_notsent_bytes == 0;
    if (!all_acknowledged && now < phase_began_ + kDrainTime) {
        due_ = now + kDrainCheck;
        return;
    }
    if (info.tcpi_total_retrans > 0 && segments_ > 0 && segments_ < kMostSegments) {
        // Data that waits behind a lost segment leaves in few large ones: too few to tell a share from chance.
        segments_ = kMostSegments;
        segments_sent_ = 0;
        phase_ = Phase::Segments;
        phase_began_ = now;
        due_ = now;
        return;
    }
    begin_bulk(now, info);
}

void PathMeasure::begin_bulk(double now, const tcp_info& info) {
    measured_.set_rtt_s(info.tcpi_rtt * kMicro);
    measured_.set_segments_out(info.tcpi_data_segs_out);
    measured_.set_retransmitted(info.tcpi_total_retrans -
                                std::min(info.tcpi_total_retrans, info.tcpi_dsack_dups));
    acked_before_ = info.tcpi_bytes_acked;
    phase_began_ = now;
    progress_ = now;
    due_ = now + kProgressCheck;
    phase_ = Phase::Bulk;
    if (bulk_ == 0) {
        finish(false);
    }
}

void PathMeasure::send_bulk() {
    std::size_t now_sent = 0;
    while (bulk_queued_ < bulk_ && now_sent < kBytesPerStep) {
        const std::size_t size = std::min<std::uint64_t>(bulk_ - bulk_queued_, kBlockBytes);
        const auto put = ::send(fd_.get(), block().data(), size, MSG_NOSIGNAL);
        if (put < 0) {
            if (errno == ECONNRESET || errno == EPIPE) {
                finish(false);
            }
            return;
        }
        bulk_queued_ += static_cast<std::uint64_t>(put);
        now_sent += static_cast<std::size_t>(put);
    }
    if (bulk_queued_ == bulk_) {
        ::shutdown(fd_.get(), SHUT_WR);
        phase_ = Phase::Count;
    }
}

void PathMeasure::read_count(double now) {
    std::array<char, kProbeCountBytes> bytes;
    const auto got = ::recv(fd_.get(), bytes.data(), bytes.size() - count_.size(), 0);
    if (got > 0) {
        count_.append(bytes.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || !passing(errno)) {
        return finish(false);
    }
    if (const auto count = open_probe_count(count_)) {
        acked_ = std::min(*count - std::min(*count, segment_bytes_), bulk_);
        progress_ = now;
        counted_ = true;
        finish(false);
    }
}

void PathMeasure::watch_progress(double now) {
    const tcp_info info = tcp_info_of(fd_.get());
    const std::uint64_t acked =
        info.tcpi_bytes_acked - std::min<std::uint64_t>(info.tcpi_bytes_acked, acked_before_);
    if (acked > acked_) {
        acked_ = std::min(acked, bulk_);
        progress_ = now;
    }
    due_ = now + kProgressCheck;
    // What was sent is not acknowledged, although it was sent again: the receiver's program has no part in that.
    const bool lost = info.tcpi_unacked > 0 && now - progress_ >= kStallTime;
    if (lost && info.tcpi_retransmits >= 2) {
        return finish(true);
    }
    if (now - phase_began_ >= kBulkTime) {
        finish(lost && info.tcpi_retransmits >= 1);
    }
}

void PathMeasure::finish(bool stalled) {
    if (stalled) {
        measured_.set_outcome(wire::CONNECT_STALLED);
        measured_.set_error(ETIMEDOUT);
    }
    int mtu = 0;
    socklen_t size = sizeof mtu;
    if (family_ == AF_INET6) {
        ::getsockopt(fd_.get(), IPPROTO_IPV6, IPV6_MTU, &mtu, &size);
    } else {
        ::getsockopt(fd_.get(), IPPROTO_IP, IP_MTU, &mtu, &size);
    }
    measured_.set_path_mtu(static_cast<std::uint32_t>(std::max(mtu, 0)));
    if (const tcp_info info = tcp_info_of(fd_.get()); info.tcpi_state != kTcpClose) {
        measured_.set_mss(info.tcpi_snd_mss);
    }
    if (phase_ != Phase::Segments && phase_ != Phase::Drain && bulk_ > 0) {
        measured_.set_bulk_sent(acked_);
        measured_.set_bulk_seconds(progress_ - phase_began_);
    }
    if (!counted_ && bulk_queued_ > 0) {
        // What waits in the send queue is of no use any more.
        const linger discard{1, 0};
        ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &discard, sizeof discard);
    }
    fd_.reset();
    phase_ = Phase::Done;
    due_ = std::numeric_limits<double>::infinity();
}

void PathMeasure::fill(wire::ConnectResult& result) const {
    result.MergeFrom(measured_);
}

}  // namespace rankscope::agent
