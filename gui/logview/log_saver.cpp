// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/log_saver.h>
#include <gui/strings.h>

#include <QDateTime>
#include <QSaveFile>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr qsizetype kWrittenAtOnce = qsizetype(1) << 20;

/// "2026-01-31 14:03:22.123 "; the calendar is asked once a second of the log.
class TimeWriter {
public:
    explicit TimeWriter(Qt::TimeSpec zone) : zone_(zone) {}

    void append(QByteArray& to, std::int64_t t_us) {
        if (t_us <= 0) {
            return;
        }
        if (t_us / 1'000'000 != second_) {
            second_ = t_us / 1'000'000;
            text_ =
                QDateTime::fromSecsSinceEpoch(second_, zone_).toString(u"yyyy-MM-dd HH:mm:ss."_s).toLatin1();
        }
        to += text_;
        to += QByteArray::number(1000 + int(t_us / 1000 % 1000)).mid(1);
        to += ' ';
    }

private:
    Qt::TimeSpec zone_;
    std::int64_t second_ = -1;
    QByteArray text_;
};

}  // namespace

QString write_lines(QIODevice& to, const SavedLines& lines, const std::stop_token& stop,
                    const std::function<void(int)>& progress) {
    TimeWriter times(lines.is_printed_time ? Qt::UTC : Qt::LocalTime);
    QByteArray block;
    const std::uint32_t count = lines.count();
    int percent = -1;
    for (std::uint32_t row = 0; row < count && !stop.stop_requested(); ++row) {
        const std::uint32_t line = lines.line(row);
        if (lines.with_time) {
            times.append(block, lines.store->t_us(line));
        }
        if (lines.with_rank) {
            block += QByteArray::fromStdString(lines.rings.rank_label(*lines.store, line));
        }
        const KeptText kept = lines.store->text(line);
        const std::string_view text = kept.view();
        block.append(text.data(), qsizetype(text.size()));
        block += '\n';
        if (block.size() >= kWrittenAtOnce || row + 1 == count) {
            if (to.write(block) != block.size()) {
                return to.errorString();
            }
            block.clear();
            const int done = int(std::uint64_t(row) * 100 / count);
            if (progress && done != std::exchange(percent, done)) {
                progress(done);
            }
        }
    }
    return {};
}

LogSaver::LogSaver(QThreadPool* pool, QObject* parent) : QObject(parent), job_(this, pool) {}

void LogSaver::cancel() {
    job_.cancel();
}

void LogSaver::save(const QString& path, SavedLines lines) {
    job_.start(
        [this, path, lines = std::move(lines)](const JobHandle& job) mutable {
            if (lines.all) {
                LineOrder order(lines.store, {});
                order.advance(lines.store->size(), job.stop());
                lines.order = order.lines().list();
            }
            const std::uint32_t count = lines.count();
            QSaveFile file(path);
            if (!file.open(QIODevice::WriteOnly)) {
                return std::pair(count, file.errorString());
            }
            const QString fault = write_lines(file, lines, job.stop(), [&](int percent) {
                job.post([this, percent] { emit progress(percent); });
            });
            if (!fault.isEmpty() || job.cancelled()) {
                file.cancelWriting();
                return std::pair(count, fault);
            }
            return std::pair(count, file.commit() ? QString() : file.errorString());
        },
        [this, path](const std::pair<std::uint32_t, QString>& done) {
            emit finished(path, done.first, done.second);
        });
}

}  // namespace rankscope::gui
