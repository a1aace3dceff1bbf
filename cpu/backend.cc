// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes a frame on the CPU. Strips share nothing that they write, so the number of threads does
// not change the result.
#include "cpu/backend.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "canny/bits.h"
#include "canny/frame.h"
#include "canny/operator.h"
#include "canny/recipe.h"
#include "cpu/hysteresis/grow.h"
#include "cpu/output/output.h"
#include "cpu/output/show.h"

namespace canny::cpu {
namespace {

// Hysteresis takes whole strips: one for each thread, since each border between strips adds work,
// or kMinStrips for a few threads, so that none waits long for the last strip. The front end takes
// pieces of strips, so that the others wait for a slow thread no longer than a piece takes.
constexpr int kMinStrips = 8;
constexpr int kMinStripRows = 48;
constexpr int kPiecesPerStrip = 8;
// From so many pictures on of a batch, each is computed by one thread.
constexpr int kPicturesPerThread = 2;
// The piece above the last one must not get to the last row.
static_assert(kMinStripRows / kPiecesPerStrip >= kMaxOperatorReach + 2);

// Clears these rows alone: other threads may be reading the words around them.
void clear(const Plane& plane, int first_row, int last_row) {
  for (int y = first_row; y < last_row; ++y) std::fill_n(plane.row(y), plane.words_per_row(), 0);
}

// Rows around those of a region that a task must leave in an image for later tasks: as many as the
// operator, suppression and, of luma, the blur reach. One more is blurred along with the last one.
int rows_around(const FrontPiece& piece) {
  const int gradient = piece.plan.weights.reach + 1;
  if (std::holds_alternative<LumaSink>(piece.sink)) return gradient + piece.plan.blur.radius() + 1;
  const auto* counts = std::get_if<CountSink>(&piece.sink);
  return counts != nullptr && counts->image != nullptr ? gradient + 1 : 0;
}

// Runs a stage. With `time`, stores how long it took, at least 1 ns.
template <class Stage>
Status run_timed(std::uint64_t* time, Stage stage) {
  if (time == nullptr) return stage();
  const auto begin = std::chrono::steady_clock::now();
  CANNY_TRY(stage());
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  *time = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 1));
  return {};
}

// Whether the frame's rows can be written while others are still flooded.
bool is_streamed(const Plan& plan) {
  return shows_edges(plan.view) && !shows_input(plan.view) && plan.passes == 0 &&
         !plan.removes_short() && !plan.measures_stages;
}

}  // namespace

Status CpuBackend::set_size(int width, int height, unsigned, unsigned) {
  most_pictures = kMaxPictures;
  alone_.clear();
  region_ = {};
  image_ = {};
  offsets_ = {};
  const int wanted_strips = threads_ == 1 ? 1 : std::max(kMinStrips, threads_);
  const int strips = std::clamp(height / kMinStripRows, 1, wanted_strips);
  first_rows_.clear();
  for (int i = 0; i <= strips; ++i)
    first_rows_.push_back(static_cast<int>(std::int64_t{height} * i / strips));
  missing_pieces_ = std::vector<std::atomic<int>>(strips);
  borders_.set_size(strips);
  const int used_threads = std::min(threads_, pieces());
  fronts_ = std::vector<Front>(used_threads);
  for (Front& front : fronts_) front.set_size(width);
  bands_.set_size(used_threads);

  candidate_ = strong_ = other_ = Plane{nullptr, width, height};
  const std::size_t size = candidate_.memory_words();
  const std::size_t other_size = std::max(size, Flood::scratch_words(candidate_, first_rows_));
  plane_words_.assign(2 * size + other_size, 0);
  candidate_.place(plane_words_.data());
  strong_.place(plane_words_.data() + size);
  other_.place(plane_words_.data() + 2 * size);
  flood_.set_size(candidate_, first_rows_, plane_words_.data() + 2 * size);
  row_counts_.assign(height, 0);
  arena_.set_threads(used_threads);
  return {};
}

int CpuBackend::pieces() const { return strips() == 1 ? 1 : kPiecesPerStrip * strips(); }

// Sets the thresholds of a piece.
void CpuBackend::set_thresholds(FrontPiece* piece) const {
  const Plan& plan = piece->plan;
  if (std::holds_alternative<OffsetSink>(piece->sink)) return;  // any magnitude above 0 counts
  if (!std::holds_alternative<BitsSink>(piece->sink)) {
    // Lengths of deep samples below kDeepUnit count as 0.
    const std::int64_t unit = kDeepUnit;
    piece->deep_thresholds.low = (plan.is_squared() ? unit * unit : unit) - 1;
    return;
  }
  const FrameThresholds& thresholds = plan.thresholds(measured_);
  piece->thresholds = thresholds.thresholds;
  piece->deep_thresholds = thresholds.deep_thresholds;
}

// Runs piece i of the image on a thread of parallel_for().
void CpuBackend::front_of_piece(const FrontSink& sink, const Plan& plan, const ConstFrame& input,
                                const SampleImage* blurred, int i) {
  const int strip = i * strips() / pieces(), first_row = first_rows_[strip];
  const int rows = first_rows_[strip + 1] - first_row;
  const int in_strip = pieces() / strips(), place = i % in_strip;
  const int first = first_row + rows * place / in_strip;
  const int last = first_row + rows * (place + 1) / in_strip;
  Front& front = fronts_[arena_.thread_index()];
  FrontPiece piece = {input, blurred, plan, {}, {}, first, last, nullptr, sink};
  set_thresholds(&piece);
  if (region_.is_set() && !std::holds_alternative<ViewSink>(sink))
    front_of_region(front, piece);
  else
    front.run(piece);
  if (kept_strong_ != nullptr && std::holds_alternative<BitsSink>(sink))
    copy_bits(strong_, first, last, kept_strong_);
}

// Runs a piece as far as the region needs it.
void CpuBackend::front_of_region(Front& front, const FrontPiece& piece) {
  FrontPiece part = piece;
  if (auto* bits = std::get_if<BitsSink>(&part.sink)) {
    for (Plane* plane : {&bits->candidate, &bits->strong}) {
      clear(*plane, piece.first_row, piece.last_row);
      *plane = region_.columns_of(*plane);
    }
  }
  const Extent rows = region_.extent(rows_around(piece));
  part.first_row = std::max(piece.first_row, rows.first_row);
  part.last_row = std::min(piece.last_row, rows.last_row);
  if (part.first_row >= part.last_row) return;
  const Plane region = region_.columns();
  part.region = &region;
  front.run(part);
}

void CpuBackend::start_fronts(const Plan& plan) {
  for (Front& front : fronts_) front.start_frame(plan);
}

// Calls run(piece) for all pieces, in several threads.
template <class Run>
void CpuBackend::for_pieces(Run run) {
  bands_.begin(pieces());
  arena_.parallel_for(bands_.size(), [&](int) {
    const int band = arena_.thread_index();
    for (int piece; (piece = bands_.take(band)) >= 0;) run(piece);
  });
}

void CpuBackend::run_front(const FrontSink& sink, const Plan& plan, const ConstFrame& input,
                           const SampleImage* blurred) {
  start_fronts(plan);
  for_pieces([&](int piece) { front_of_piece(sink, plan, input, blurred, piece); });
}

// Prepares the region and the thresholds. Returns the pixels that make the bits.
ConstFrame CpuBackend::begin(const Plan& plan, const ConstFrame& input) {
  region_.set(input);
  const ConstFrame part = region_.is_set() ? region_.columns_of(input) : input;
  measure(plan, part);
  return source(plan, part);
}

void CpuBackend::front(const Plan& plan, const ConstFrame& input) {
  run_front(BitsSink{candidate_, strong_}, plan, begin(plan, input), blurred_image(plan));
}

// Finds all edges in one parallel loop. A strip is flooded after front_of_piece() of its pieces,
// then joined with those around it, which may have to be repeated. Calls done(strip) after each of
// these steps.
template <class FrontOfPiece, class Done>
void CpuBackend::flood(FrontOfPiece front_of_piece, Done done) {
  flood_.begin();
  borders_.begin();
  for (std::atomic<int>& missing : missing_pieces_) missing = pieces() / strips();
  for_pieces([&](int piece) {
    front_of_piece(piece);
    const int strip = piece * strips() / pieces();
    if (--missing_pieces_[strip] > 0) return;
    flood_.flood(candidate_, strong_, strip);
    join_strips(strip, done);
  });
  if (flood_.is_complete()) return;
  label(candidate_, strong_);
  arena_.parallel_for(strips(), [&](int strip) {
    flood_.resolve(candidate_, strong_, strip);
    done(strip);
  });
}

// Gives up a strip that this thread has flooded, and joins strips across borders where it can.
template <class Done>
void CpuBackend::join_strips(int strip, Done done) {
  int first = strip, last = strip + 1;
  while (flood_.is_complete()) {
    for (int i = first; i < last; ++i) done(i);
    const int border =
        borders_.give_up(first, last, flood_.changed_first(first), flood_.changed_last(last - 1));
    if (border == 0) return;
    flood_.flood_across(candidate_, strong_, border);
    first = border - 1;
    last = border + 1;
  }
}

// Labels the components of candidates that are not edges.
void CpuBackend::label(const Plane& candidate, const Plane& edges) {
  flood_.begin_components();
  arena_.parallel_for(strips(), [&](int strip) { flood_.label(candidate, edges, strip); });
  arena_.parallel_for(strips(), [&](int strip) { flood_.join_strip(edges, strip); });
  arena_.parallel_for(strips(), [&](int strip) { flood_.flatten(strip); });
}

// Runs one pass and returns whether edges were added.
bool CpuBackend::run_pass(const Plane& from, const Plane& to) {
  const int tile_rows = (candidate_.height + kTile - 1) / kTile;
  std::atomic<bool> grew = false;
  arena_.parallel_for(tile_rows, [&](int tile_row) {
    if (tile_pass(candidate_, from, to, tile_row)) grew = true;
  });
  return grew;
}

// Runs up to so many passes, until one adds no edges. After each of the others, calls
// added(pass, from, to). Returns the edges.
template <class Added>
const Plane& CpuBackend::run_passes(unsigned passes, Added added) {
  const Plane *from = &strong_, *to = &other_;
  clear(other_);
  for (unsigned pass = 1; pass <= passes && run_pass(*from, *to); ++pass) {
    added(pass, *from, *to);
    std::swap(from, to);
  }
  return *from;
}

const Plane& CpuBackend::hysteresis(unsigned passes) {
  if (passes > 0) return run_passes(passes, [](unsigned, const Plane&, const Plane&) {});
  flood([](int) {}, [](int) {});
  return strong_;
}

// Returns edges in a plane whose memory is not that of the flood.
const Plane& CpuBackend::apart_from_flood(const Plane& edges) {
  if (&edges != &other_) return edges;
  std::copy_n(other_.words - 1, other_.memory_words(), strong_.words - 1);
  return strong_;
}

const Plane& CpuBackend::remove_short(const Plane& edges, unsigned min_length) {
  const Plane& all = apart_from_flood(edges);
  clear(candidate_);  // no longer needed
  const auto in_strips = [&](auto run) { arena_.parallel_for(strips(), run); };
  label(all, candidate_);
  flood_.begin_counts();
  in_strips([&](int strip) { flood_.count(all, candidate_, strip, min_length); });
  flood_.choose(min_length);
  in_strips([&](int strip) { flood_.resolve(all, candidate_, strip, min_length); });
  return candidate_;
}

std::uint64_t CpuBackend::count_components(const Plane& edges) {
  const Plane& all = apart_from_flood(edges);
  const Plane& none = &all == &candidate_ ? strong_ : candidate_;
  clear(none);
  label(all, none);
  std::atomic<std::uint64_t> components = 0;
  arena_.parallel_for(strips(),
                      [&](int strip) { components += flood_.count_components(all, none, strip); });
  return components;
}

std::uint64_t CpuBackend::count() const {
  return std::accumulate(row_counts_.begin(), row_counts_.end(), std::uint64_t{0});
}

// Calls run(y) for all rows, in several threads.
template <class Run>
void CpuBackend::for_rows(Run run) {
  arena_.parallel_for(strips(), [&](int strip) {
    for (int y = first_rows_[strip]; y < first_rows_[strip + 1]; ++y) run(y);
  });
}

std::uint64_t CpuBackend::output(const Plane& edges, const Frame& output) {
  for_rows([&](int y) { row_counts_[y] = output_row(edges, output, y); });
  return count();
}

Status CpuBackend::submit(Job* job) {
  if (is_in_host(*job)) return {};
  return {StatusCode::kInvalidFrame, "the CPU backend takes frames and masks in host memory only"};
}

// Runs all stages of a frame with hysteresis until stable and edges of any length. Returns the
// number of edges.
std::uint64_t CpuBackend::run_until_stable(const Plan& plan, const Picture& picture) {
  const ConstFrame input = begin(plan, picture.input);
  start_fronts(plan);
  const BitsSink bits = {candidate_, strong_};
  const SampleImage* blurred = blurred_image(plan);
  // Writes rows while they are in the cache of the thread that completed them.
  flood([&](int piece) { front_of_piece(bits, plan, input, blurred, piece); },
        [&](int strip) {
          for (int y = first_rows_[strip]; y < first_rows_[strip + 1]; ++y)
            if (flood_.take_changed(y)) row_counts_[y] = output_row(strong_, picture.output, y);
        });
  keep_edges(strong_, picture);
  return count();
}

// The stages of a frame one after the other, for run_recipe().
class CpuBackend::FrameStages {
 public:
  FrameStages(CpuBackend* backend, const Plan& plan, const Picture& picture, Result* result)
      : of_(*backend), plan_(plan), picture_(picture), result_(*result) {}

  Status show_images() {
    of_.run_front(ViewSink{&picture_.output}, plan_, picture_.input);
    return {};
  }
  Status front() {
    of_.front(plan_, picture_.input);
    return {};
  }
  Status count_pixels() {
    const std::size_t words = of_.candidate_.stride() * of_.candidate_.height;
    result_.candidate_pixels = count_ones(of_.candidate_.words, words);
    result_.strong_pixels = count_ones(of_.strong_.words, words);
    return {};
  }
  Status show_classes() {
    show_classes_of(of_.candidate_);
    return {};
  }
  Status show_passes() {
    show_classes_of(of_.strong_);
    of_.run_passes(plan_.passes, [&](unsigned pass, const Plane& from, const Plane& to) {
      const auto value = static_cast<std::uint8_t>(pass);
      of_.for_rows([&](int y) { write_added(plan_, from, to, value, picture_.output, y); });
    });
    return {};
  }
  Status hysteresis() {
    edges_ = &of_.hysteresis(plan_.passes);
    if (plan_.removes_short()) edges_ = &of_.remove_short(*edges_, plan_.min_length);
    return {};
  }
  Status write() {
    keep_edges(*edges_, picture_);
    result_.edge_pixels = shows_input(plan_.view) ? paint() : of_.output(*edges_, picture_.output);
    return {};
  }
  Status count_components() {
    result_.components = of_.count_components(*edges_);
    return {};
  }

 private:
  // Shows strong pixels and other candidates.
  void show_classes_of(const Plane& candidate) {
    of_.for_rows([&](int y) { write_classes(plan_, candidate, of_.strong_, picture_.output, y); });
  }

  // Writes a view of the input and the edges, and returns the number of edges.
  std::uint64_t paint() {
    const ConstFrame& input = picture_.input;
    const Frame& output = picture_.output;
    const Paint paint = make_paint(plan_.view, plan_.edge_color, output);
    const int shift = output.chroma.shift_y;
    of_.for_rows([&](int y) {
      of_.row_counts_[y] = paint_row(paint, *edges_, input, output, y);
      if (has_chroma(output) && (y >> shift) << shift == y)
        paint_chroma_row(paint, *edges_, input, output, y >> shift);
    });
    return of_.count();
  }

  CpuBackend& of_;
  const Plan& plan_;
  const Picture& picture_;
  Result& result_;
  const Plane* edges_ = nullptr;
};

void CpuBackend::fill(const Frame& rows, std::uint8_t value) {
  arena_.parallel_for(strips(), [&](int strip) {
    const auto row = [&](int border) {
      return static_cast<int>(std::int64_t{rows.height} * border / strips());
    };
    Frame some = rows;
    some.data += row(strip) * rows.stride_bytes;
    some.height = row(strip + 1) - row(strip);
    fill_rows(some, value);
  });
}

Status CpuBackend::finish_picture(const Plan& plan, const Picture& picture, Result* result) {
  *result = {};
  result->route = "cpu";
  kept_strong_ = picture.components != nullptr ? &picture.components->strong : nullptr;
  for_each_fill(picture, [&](const Frame& rows, std::uint8_t value) { fill(rows, value); });
  if (is_streamed(plan)) {
    result->edge_pixels = run_until_stable(plan, picture);
  } else {
    FrameStages stages(this, plan, picture, result);
    CANNY_TRY(run_recipe(plan, stages, [&](std::uint64_t StageTimes::*time, auto stage) {
      return run_timed(plan.measures_stages ? &(result->times.*time) : nullptr, stage);
    }));
  }
  const FrameThresholds& thresholds = plan.thresholds(measured_);
  result->low_threshold = thresholds.low;
  result->high_threshold = thresholds.high;
  return {};
}

// Creates what each thread needs to compute pictures alone.
Status CpuBackend::open_alone() {
  if (!alone_.empty()) return {};
  arena_of_pictures_.set_threads(threads_);
  std::vector<std::unique_ptr<CpuBackend>> alone;
  for (int i = 0; i < threads_; ++i) {
    alone.push_back(std::make_unique<CpuBackend>(1));
    CANNY_TRY(alone.back()->set_size(candidate_.width, candidate_.height, 1, 1));
  }
  alone_ = std::move(alone);
  return {};
}

// A thread computes a picture alone where there are several for each; else all threads share one.
Status CpuBackend::finish(const Job& job, Result* results) {
  if (threads_ == 1 || job.count < static_cast<unsigned>(kPicturesPerThread * threads_)) {
    for (unsigned i = 0; i < job.count; ++i)
      CANNY_TRY(finish_picture(job.plan, job.picture(i), &results[i]));
    return {};
  }
  CANNY_TRY(open_alone());
  arena_of_pictures_.parallel_for(static_cast<int>(job.count), [&](int i) {
    // Without a device and copies, no stage fails.
    static_cast<void>(alone_[arena_of_pictures_.thread_index()]->finish_picture(
        job.plan, job.picture(i), &results[i]));
  });
  return {};
}

}  // namespace canny::cpu

namespace canny {

Status create_cpu_backend(const Options& options, std::unique_ptr<BackendImpl>* backend) {
  const unsigned threads = usable_threads(options.threads);
  *backend = std::make_unique<cpu::CpuBackend>(static_cast<int>(threads));
  (*backend)->info = {Backend::kCpu,
                      "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
                      "chosen by the backend option", -1, threads};
  return {};
}

}  // namespace canny
