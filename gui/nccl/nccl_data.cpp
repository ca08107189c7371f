// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/nccl_data.h>
#include <gui/on_thread.h>
#include <remote/desk/runs/reading/run_reading.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/read/line_splitter.h>
#include <remote/logs/read/sources.h>
#include <remote/logs/read/text_bytes.h>

#include <QCoreApplication>
#include <QPointer>
#include <algorithm>
#include <chrono>
#include <utility>

namespace rankscope::gui {

namespace {

using Clock = std::chrono::steady_clock;

/// When the next picture of an unfinished reading is due. Each costs a copy of the facts: they come less and less
/// often, and never for more than a small part of the time.
class Pictures {
public:
    bool due() {
        if (++calls_ % kLook != 0) {
            return false;
        }
        return Clock::now() >= next_;
    }
    void made(Clock::time_point begun) {
        const auto cost = Clock::now() - begun;
        wait_ = std::max<Clock::duration>(wait_ * 2, cost * 10);
        next_ = Clock::now() + wait_;
    }

private:
    static constexpr std::uint64_t kLook = 1024;  ///< lines between two looks at the clock

    std::uint64_t calls_ = 0;
    Clock::duration wait_ = std::chrono::milliseconds(500);
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(300);
};

std::string without(std::string name, const std::string& start) {
    return name.starts_with(start) ? name.substr(start.size()) : name;
}

}  // namespace

NcclData::NcclData(QThreadPool* pool, QObject* parent)
    : QObject(parent), pool_(pool), job_(this, pool), range_(pool) {
    timer_.setInterval(kEveryMs);
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &NcclData::ask);
    connect(&range_, &NcclRange::changed, this, &NcclData::changed);
}

NcclData::~NcclData() {
    stop_files_.request_stop();
}

void NcclData::start_over() {
    job_.cancel();
    stop_files_.request_stop();
    stop_files_ = {};
    timer_.stop();
    run_ = nullptr;
    store_.reset();
    put_off_ = false;
    range_.set_run(nullptr, nullptr);
    range_.set_link({});
    reading_ = false;
    look_ = {};
    asked_.reset();
    snapshot_ = std::make_shared<ReadingSnapshot>();
}

void NcclData::clear() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    start_over();
    emit changed();
}

void NcclData::show_run(LiveModel* model, std::shared_ptr<RunStore> store, LookAtRun look) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    start_over();
    run_ = model;
    store_ = std::move(store);
    look_ = std::move(look);
    range_.set_run(model, store_);
    put_off_ = true;
    set_looked_at(looked_at_);
    emit changed();
}

void NcclData::set_looked_at(bool looked_at) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    looked_at_ = looked_at;
    if (looked_at && std::exchange(put_off_, false)) {
        begin();
        emit changed();
    } else if (looked_at && look_ && !timer_.isActive() && !asked_) {
        ask();
    }
}

void NcclData::begin() {
    if (look_) {
        ask();
    } else if (store_) {
        read_stored({store_, run_->state().run_id});
    } else {
        auto nothing = std::make_shared<ReadingSnapshot>();
        nothing->complete = true;
        snapshot_ = std::move(nothing);
    }
}

// The next picture is asked for when this one is here: never for a hidden pane, and none after the whole.
void NcclData::ask() {
    if (!looked_at_ || !run_ || snapshot_->complete) {
        return;
    }
    asked_ = std::make_shared<int>();
    const bool follows = look_([data = QPointer<NcclData>(this), asked = std::weak_ptr<int>(asked_)](
                                   std::shared_ptr<const ReadingSnapshot> snapshot) {
        QMetaObject::invokeMethod(qApp, [data, asked, snapshot = std::move(snapshot)] {
            if (data && !asked.expired()) {
                data->asked_.reset();
                if (data->snapshot_ != snapshot) {
                    data->arrived(snapshot);
                }
                data->timer_.start();
            }
        });
    });
    if (!follows) {  // it is left to its nodes: what is stored remains
        look_ = {};
        asked_.reset();
        begin();
    }
}

void NcclData::arrived(const std::shared_ptr<const ReadingSnapshot>& snapshot) {
    snapshot_ = snapshot;
    if (snapshot_->collectives) {
        range_.set_link(snapshot_->collectives->link);
    }
    emit changed();
}

void NcclData::read_stored(Stored stored) {
    reading_ = true;
    job_.start(
        [stored = std::move(stored), this](const JobHandle& job) {
            RunReading reader(stored.run_id);
            Pictures pictures;
            // Of a run that cannot be read, there is nothing.
            (void)stored.store->replay(stored.run_id, [&](const Event& event) {
                reader.take(event);
                if (reader.has_news() && pictures.due()) {
                    const auto begun = Clock::now();
                    job.post([this, snapshot = reader.snapshot()] { arrived(snapshot); });
                    pictures.made(begun);
                }
                return !job.cancelled();
            });
            reader.finish_lines();
            return reader.whole();
        },
        [this](const std::shared_ptr<const ReadingSnapshot>& snapshot) {
            reading_ = false;
            arrived(snapshot);
        });
}

void NcclData::show_files(const std::vector<std::string>& paths, const std::string& strip,
                          const logs::RawSink& lines) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    start_over();
    reading_ = true;
    job_.start(
        [this, paths, strip, lines, stop = stop_files_.get_token()](const JobHandle& job) {
            RunReading reader;
            Pictures pictures;
            std::vector<std::string> names;
            logs::LineParser parser;
            logs::RawSink sink;
            sink.begin = [&](std::uint32_t file, const logs::Source& source) {
                names.push_back(without(source.name, strip));
                parser.begin(source.name, source.modified_s);
                if (lines.begin) {
                    lines.begin(file, source);
                }
            };
            sink.end = lines.end;
            sink.line = [&](const logs::RawLine& raw) {
                if (lines.line) {
                    lines.line(raw);
                }
                reader.take(parser.parse(raw));
                if (pictures.due()) {
                    const auto begun = Clock::now();
                    job.post([this, snapshot = reader.snapshot(names)] { arrived(snapshot); });
                    pictures.made(begun);
                }
            };
            sink.whole = reader.dumps();
            sink.whole.take = [&, take = sink.whole.take](const logs::Source& source,
                                                          std::string_view bytes) {
                const bool taken = take(source, bytes);
                if (taken && lines.line) {
                    logs::RemarkBook ignored;
                    const auto file = std::uint32_t(names.size() - 1);
                    logs::LineSplitter splitter(file, logs::ReadOptions().longest_line, lines.line, ignored);
                    logs::TextBytes text(file, splitter, ignored);
                    (void)(text.feed(bytes) && text.finish());  // what is no text has no lines
                }
                return taken;
            };
            const logs::ProgressSink report = [&](const logs::ReadProgress& at) {
                job.post(
                    [this, done = qint64(at.done), total = qint64(at.total)] { emit progress(done, total); });
            };
            const auto read = logs::read_raw_lines(paths, {}, sink, report, stop);
            return reader.whole(std::move(names), read.remarks);
        },
        [this](const std::shared_ptr<const ReadingSnapshot>& snapshot) {
            reading_ = false;
            arrived(snapshot);
        });
    emit changed();
}

void NcclData::cancel() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    stop_files_.request_stop();
}

}  // namespace rankscope::gui
