// SPDX-License-Identifier: LGPL-2.1-or-later
// Fuzzes the library: calls with any settings, sizes, frames and batches, one after the other, on
// the CPU. The outcome of each call is known beforehand, and each result is compared with the
// reference.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "draw.h"
#include "failure.h"
#include "lists.h"
#include "poison.h"
#include "reader.h"
#include "stages/frames.h"

namespace {

using canny::Status;
using canny::StatusCode;
using fuzz::Reader;
using fuzz::report;

constexpr int kMaxCalls = 12;
constexpr int kMaxPictures = 4;  // of a batch
constexpr int kUsualSide = 80, kLongSide = 1500, kMaxPixels = 12000;

void expect(const char* call, const Status& status, StatusCode code) {
  if (status.code() != code)
    report(std::string(call) + ": code " + std::to_string(static_cast<int>(status.code())) +
           " instead of " + std::to_string(static_cast<int>(code)) + ", message '" +
           status.message() + "'");
  if (status.ok() != status.message().empty()) report(std::string(call) + ": its message is wrong");
}

// A picture with its memory, whose gaps are poisoned.
struct Picture {
  Picture(const cases::Case& c, harness::GuardedFrame painted)
      : frames(c, std::move(painted)), input(frames.input()), output(frames.output()) {}

  frames::CaseFrames frames;
  harness::GuardedFrame input, output;  // what the detector sees
  fuzz::Poison input_gaps{input}, output_gaps{output};
};

// A frame of one or more pictures, until it has ended.
class Flight {
 public:
  Flight(const cases::Case& drawn, int count, Reader& reader)
      : c(drawn),
        lists(static_cast<unsigned>(count), reader),
        has_addresses_(count != 2 || reader.one_in(2)) {
    for (int i = 0; i < count; ++i) {
      const auto bytes = reader.bytes(static_cast<std::size_t>(reader.between(0, 2000)));
      harness::GuardedFrame painted = frames::CaseFrames::blank_input(c);
      painted.set_bytes(bytes.data, bytes.size);
      Picture& added = pictures.emplace_back(c, std::move(painted));
      inputs_.push_back(added.input.const_frame().data);
      outputs_.push_back(added.output.frame().data);
      if (c.region != nullptr) regions_.push_back(c.region->region);
    }
  }

  unsigned count() const { return static_cast<unsigned>(pictures.size()); }

  canny::ConstFrame input() const {
    canny::ConstFrame frame = pictures.front().input.const_frame();
    if (c.region != nullptr) frame.region = regions_.data();
    if (count() > 1) frame.batch = batch(inputs_);
    return frame;
  }
  canny::Frame output() {
    canny::Frame frame = pictures.front().output.frame();
    if (count() > 1) frame.batch = batch(outputs_);
    lists.add_to(&frame);
    return frame;
  }

  const cases::Case c;
  std::deque<Picture> pictures;
  fuzz::Lists lists;

 private:
  // Two pictures have a distance, whatever their addresses.
  template <class Byte>
  canny::BasicBatch<Byte> batch(const std::vector<Byte*>& data) const {
    if (has_addresses_) return {count(), 0, data.data()};
    const auto address = [&](std::size_t i) { return reinterpret_cast<std::intptr_t>(data[i]); };
    return {count(), address(1) - address(0), nullptr};
  }

  const bool has_addresses_;
  std::vector<const std::uint8_t*> inputs_;
  std::vector<std::uint8_t*> outputs_;
  std::vector<canny::Region> regions_;
};

// What canny.h forbids.
enum class Fault {
  kNone,
  kNoData,
  kNoOutputData,
  kShortStride,
  kLongStride,
  kOtherWidth,
  kOtherHeight,
  kUnknownFormat,
  kUnknownMemory,
  kDeviceMemory,
  kInPlace,
  kOverlap,
  kChromaStep,
  kChromaShift,
  kNoRectangles,
  kRectanglesAndMask,
  kOtherCount,
  kNoPicture,
};
constexpr int kFaults = 18;

// Frames as submit() gets them.
struct Arguments {
  canny::ConstFrame input;
  canny::Frame output;
  canny::Region regions[kMaxPictures];
  const std::uint8_t* addresses[kMaxPictures];
};

void spoil_region(Fault fault, Arguments* arguments) {
  static const std::uint8_t mask[1] = {};
  static const canny::Rectangle rectangle;
  for (canny::Region& region : arguments->regions) {
    region = {fault == Fault::kNoRectangles ? nullptr : &rectangle, 1, {mask, kLongSide}};
    if (fault == Fault::kNoRectangles) region.mask = {};
  }
  arguments->input.region = arguments->regions;
}

void spoil(Fault fault, Reader& reader, Arguments* arguments) {
  canny::ConstFrame& input = arguments->input;
  canny::Frame& output = arguments->output;
  const int row = canny::row_bytes(input.format, input.width);
  switch (fault) {
    case Fault::kNoData:
      input.data = nullptr;
      break;
    case Fault::kNoOutputData:
      output.data = nullptr;
      break;
    case Fault::kShortStride:
      input.stride_bytes = reader.between(1 - row, row - 1);
      break;
    case Fault::kLongStride:
      output.stride_bytes = (std::ptrdiff_t{1} << 31) + reader.raw<std::uint32_t>();
      break;
    case Fault::kOtherWidth:
      input.width += reader.one_in(2) ? 1 : -input.width - reader.byte();
      break;
    case Fault::kOtherHeight:
      output.height = reader.one_in(2) ? output.height - 1 : reader.raw<int>() | 1 << 20;
      break;
    case Fault::kUnknownFormat:
      output.format = static_cast<canny::PixelFormat>(reader.raw<int>() | 64);
      break;
    case Fault::kUnknownMemory:
      output.memory = static_cast<canny::Memory>(reader.raw<int>() | 2);
      break;
    case Fault::kDeviceMemory:
      input.memory = canny::Memory::kDevice;
      break;
    case Fault::kInPlace:
    case Fault::kOverlap:
      output.data =
          const_cast<std::uint8_t*>(input.data) + (fault == Fault::kOverlap ? row - 1 : 0);
      output.stride_bytes = input.stride_bytes;
      break;
    case Fault::kChromaStep:
      output.chroma.step_bytes = reader.raw<int>() | 4;
      break;
    case Fault::kChromaShift:
      output.chroma.shift_x = reader.raw<int>() | 4;
      break;
    case Fault::kOtherCount:
      output.batch = {reader.one_in(2) ? 0 : output.batch.count + 1, 0, nullptr};
      output.contours = nullptr;  // has no more than the right count
      output.components = nullptr;
      break;
    case Fault::kNoPicture:
      arguments->addresses[0] = input.data;
      input.batch.data = arguments->addresses;
      break;
    default:
      spoil_region(fault, arguments);
  }
}

// Whether a frame of this case can have the fault.
bool applies(Fault fault, const Arguments& arguments, const cases::Case& c) {
  const bool has_thresholds =
      c.params.view <= canny::View::kPasses && c.params.view != canny::View::kGradient &&
      c.params.view != canny::View::kSuppressed && c.params.view != canny::View::kDirection;
  switch (fault) {
    case Fault::kNone:
      return false;
    case Fault::kShortStride:
      return canny::row_bytes(arguments.input.format, arguments.input.width) > 1;
    case Fault::kInPlace:
    case Fault::kOverlap:
      return c.input == c.output;
    case Fault::kChromaStep:
    case Fault::kChromaShift:
      return arguments.output.chroma.u.data != nullptr;
    case Fault::kNoRectangles:
    case Fault::kRectanglesAndMask:
      return has_thresholds;
    case Fault::kNoPicture:
      return arguments.input.batch.count > 1;
    default:
      return true;
  }
}

bool is_side(int side) { return side >= 1 && side <= canny::kMaxSide; }

// A detector and what is known of it.
class Session {
 public:
  explicit Session(Reader& reader) : reader_(reader) {
    canny::Options options;
    options.backend = canny::Backend::kCpu;
    options.threads = static_cast<unsigned>(reader.one_in(2) ? reader.between(2, 4) : 1);
    expect("create", canny::Detector::create(options, &detector_), StatusCode::kOk);
  }

  void run() {
    set_usual_size();
    for (int i = 0; i < kMaxCalls && !reader_.is_at_end(); ++i) call();
    while (!flights_.empty()) wait();
  }

 private:
  void call() {
    switch (reader_.between(0, 9)) {
      case 0:
        return set_any_size();
      case 1:
        return set_usual_size();
      case 2:
        return wait();
      case 3:
        return drop();
      case 4:
        return fill();
      case 5:
        return submit(true);
      default:
        return submit(false);
    }
  }

  void set_usual_size() {
    int width = reader_.between(1, kUsualSide), height = reader_.between(1, kUsualSide);
    if (reader_.one_in(8)) (reader_.one_in(2) ? width : height) = reader_.between(1, kLongSide);
    if (width > kUsualSide) height = std::min(height, std::max(1, kMaxPixels / width));
    if (height > kUsualSide) width = std::min(width, std::max(1, kMaxPixels / height));
    set_size(width, height, static_cast<unsigned>(reader_.between(1, 8)),
             static_cast<unsigned>(reader_.between(1, kMaxPictures)));
  }

  // Sizes that are valid are small: others would take their memory.
  void set_any_size() {
    const int width = reader_.raw<int>(), height = reader_.raw<int>();
    if (is_side(width) && is_side(height)) return set_usual_size();
    set_size(width, height, reader_.raw<unsigned>(), reader_.raw<unsigned>());
  }

  void set_size(int width, int height, unsigned frames, unsigned pictures) {
    StatusCode code = StatusCode::kOk;
    if (frames < 1 || frames > canny::kMaxFramesInFlight || pictures < 1 ||
        pictures > canny::kMaxPictures)
      code = StatusCode::kInvalidOptions;
    if (!is_side(width) || !is_side(height)) code = StatusCode::kInvalidSize;
    if (!flights_.empty()) code = StatusCode::kNotConfigured;
    expect("set_size", detector_.set_size(width, height, frames, pictures), code);
    if (code == StatusCode::kNotConfigured) return;
    const bool is_set = code == StatusCode::kOk;
    width_ = is_set ? width : 0;
    height_ = is_set ? height : 0;
    most_ = frames;
  }

  // submit(), or detect().
  void submit(bool waits) {
    const bool has_size = width_ > 0;
    cases::Case c = fuzz::draw_case(has_size ? width_ : 9, has_size ? height_ : 7, reader_);
    const bool has_room = has_size && flights_.size() < (waits ? 1 : most_);
    const bool is_valid = fuzz::is_valid(c.params) && fuzz::has_valid_formats(c);
    if (!has_room || !is_valid) return refuse(c, has_room, waits);

    const int pictures = reader_.one_in(6) ? reader_.between(2, kMaxPictures) : 1;
    auto flight = std::make_unique<Flight>(c, pictures, reader_);
    const Arguments good = {flight->input(), flight->output(), {}, {}};
    const auto fault = static_cast<Fault>(reader_.between(0, kFaults - 1));
    if (reader_.one_in(4) && applies(fault, good, c)) {
      Arguments arguments = good;
      spoil(fault, reader_, &arguments);
      expect("submit of a broken frame",
             detector_.submit(c.params, arguments.input, arguments.output),
             StatusCode::kInvalidFrame);
    }
    if (!waits) {
      expect("submit", detector_.submit(c.params, good.input, good.output), StatusCode::kOk);
      flights_.push_back(std::move(flight));
      return;
    }
    std::vector<canny::Result> results(flight->count());
    expect("detect", detector_.detect(c.params, good.input, good.output, results.data()),
           StatusCode::kOk);
    check(*flight, results);
  }

  // Frames that are refused whatever their bytes.
  void refuse(const cases::Case& c, bool has_room, bool waits) {
    const harness::GuardedFrame input = frames::CaseFrames::blank_input(c);
    harness::GuardedFrame output(c.width, c.height, c.output, c.output_offset, c.output_gap,
                                 c.output_bottom_up, c.chroma);
    const std::vector<std::uint8_t> before = output.block();
    StatusCode code = StatusCode::kInvalidFrame;
    if (!fuzz::is_valid(c.params)) code = StatusCode::kInvalidParams;
    if (!has_room) code = StatusCode::kNotConfigured;
    const canny::ConstFrame in = input.const_frame();
    const canny::Frame out = output.frame();
    expect(
        "a call that is refused",
        waits ? detector_.detect(c.params, in, out, nullptr) : detector_.submit(c.params, in, out),
        code);
    if (output.block() != before) report("a refused call wrote to the output");
  }

  void wait() {
    std::vector<canny::Result> results(flights_.empty() ? 1 : flights_.front()->count());
    if (flights_.empty())
      return expect("wait without a frame", detector_.wait(results.data()),
                    StatusCode::kNotConfigured);
    expect("wait", detector_.wait(results.data()), StatusCode::kOk);
    check(*flights_.front(), results);
    flights_.pop_front();
  }

  void drop() {
    detector_.drop();
    if (!flights_.empty()) flights_.pop_front();
  }

  void check(Flight& flight, const std::vector<canny::Result>& results) {
    for (unsigned i = 0; i < flight.count(); ++i) {
      Picture& picture = flight.pictures[i];
      picture.input_gaps.lift();
      picture.output_gaps.lift();
      std::string wrong = picture.frames.check(picture.output, results[i]);
      const canny::ConstFrame input = picture.frames.input().const_frame();
      if (wrong.empty()) wrong = flight.lists.check(i, flight.c.params, input);
      if (!wrong.empty())
        report(describe(flight.c) + ", picture " + std::to_string(i) + " of " +
               std::to_string(flight.count()) + "\n  " + wrong);
      if (picture.input.block() != picture.frames.input().block()) report("the input has changed");
    }
  }

  void fill() {
    int width = reader_.between(-1, kUsualSide), height = reader_.between(-1, kUsualSide);
    if (reader_.one_in(8)) (reader_.one_in(2) ? width : height) = reader_.raw<int>();
    const canny::PixelFormat format = fuzz::draw_format(reader_);
    const auto is_usual = [](int side) { return side >= 1 && side <= kUsualSide; };
    const bool is_valid = is_usual(width) && is_usual(height);
    const int row_bytes = is_valid ? canny::row_bytes(format, width) : width;
    harness::GuardedFrame filled(is_valid ? row_bytes : 1, is_valid ? height : 1,
                                 canny::PixelFormat::kGray8, reader_.between(0, 15),
                                 reader_.between(0, 20), reader_.one_in(2));
    const auto value = reader_.byte();
    const canny::Frame frame = filled.frame();
    if (width > 0 && height > kUsualSide) return;  // valid, if there were so many rows
    const canny::Fill fill = {{frame.data, frame.stride_bytes}, row_bytes, height, value};
    const harness::GuardedFrame input(std::max(width_, 1), std::max(height_, 1),
                                      canny::PixelFormat::kGray8, 0, 0, false);
    harness::GuardedFrame output = input;
    canny::Frame edges = output.frame();
    edges.fills = &fill;
    edges.fill_count = 1;
    StatusCode code = is_valid ? StatusCode::kOk : StatusCode::kInvalidFrame;
    if (width_ == 0 || !flights_.empty()) code = StatusCode::kNotConfigured;
    expect("a fill", detector_.detect({}, input.const_frame(), edges, nullptr), code);
    if (!filled.intact()) report("a fill wrote outside the rows");
    if (code != StatusCode::kOk) return;
    for (const std::uint8_t byte : harness::pixels(filled.const_frame()))
      if (byte != value) report("a fill left bytes");
  }

  Reader& reader_;
  canny::Detector detector_;
  int width_ = 0, height_ = 0;  // 0 if the detector has no size
  unsigned most_ = 1;           // frames in flight
  std::deque<std::unique_ptr<Flight>> flights_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Reader reader(data, size);
  Session(reader).run();
  return 0;
}
