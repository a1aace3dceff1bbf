// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows the chains within each tile, in shared memory. A dart leaves a pixel by one of its up to
// two links; its walk passes other pixels until the chain ends or leaves the tile. Walks multiply
// their length in each round.
#include "canny/chain_links.h"
#include "cuda/check.h"
#include "cuda/contours/pieces.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

// The links that a pixel keeps, by its neighborhood.
struct KeptLinks {
  std::uint8_t of[chains::kNeighborhoods];
};
constexpr KeptLinks kept_links() {
  KeptLinks links = {};
  for (int i = 0; i < chains::kNeighborhoods; ++i) links.of[i] = chains::kTables.kept[i];
  return links;
}
__device__ const KeptLinks kKept = kept_links();

// Steps in a direction, as nibbles of 1 + step.
constexpr unsigned nibbles(const int (&steps)[chains::kDirections]) {
  unsigned packed = 0;
  for (int k = 0; k < chains::kDirections; ++k)
    packed |= static_cast<unsigned>(steps[k] + 1) << 4 * k;
  return packed;
}
constexpr unsigned kStepsX = nibbles(chains::kX), kStepsY = nibbles(chains::kY);
__device__ int step(unsigned steps, int direction) {
  return static_cast<int>(steps >> 4 * direction & 15) - 1;
}
__device__ int opposite(int direction) { return direction ^ 4; }

// The direction of a pixel's link 0 or 1, which must be there.
__device__ int direction(unsigned kept, int link) {
  return link == 0 ? __ffs(kept) - 1 : 31 - __clz(kept);
}
__device__ bool has_link(unsigned kept, int link) { return __popc(kept) > link; }
// Which link leads in a direction.
__device__ int link_to(unsigned kept, int direction) {
  return __popc(kept & ((1u << direction) - 1));
}

// The walk of dart 2 i + link, which leaves pixel i by a link: steps, the last dart, and whether
// that one ends the chain or leaves the tile. Sums of steps may overflow while a walk goes round a
// loop.
class Walk {
 public:
  static constexpr std::uint32_t kEnds = 1, kLeaves = 2;

  Walk() = default;
  __device__ explicit Walk(std::uint32_t bits) : bits_(bits) {}
  __device__ Walk(unsigned dart, unsigned steps, std::uint32_t flags)
      : bits_(steps << kStepBit | dart << kDartBit | flags) {}

  __device__ std::uint32_t bits() const { return bits_; }
  __device__ bool is_done() const { return (bits_ & (kEnds | kLeaves)) != 0; }
  __device__ bool leaves() const { return (bits_ & kLeaves) != 0; }
  __device__ unsigned dart() const { return (bits_ & ((1u << kStepBit) - 1)) >> kDartBit; }
  __device__ unsigned pixel() const { return dart() / 2; }
  __device__ unsigned steps() const { return bits_ >> kStepBit; }

  // Goes on with the walk of the last dart.
  __device__ void append(const Walk& then) {
    bits_ = then.bits_ + (bits_ & ~((1u << kStepBit) - 1));
  }

 private:
  static constexpr int kDartBit = 2, kStepBit = 16;
  static_assert(2 * kFollowPixels <= 1 << (kStepBit - kDartBit));

  std::uint32_t bits_;
};

constexpr int kThreads = kWarp * kFollowWarps;

// A tile of a block. Its pixels are in raster order.
struct Tile {
  std::uint64_t rows[kTile + 2];  // with one pixel more on each side: bit i + 1 is column i
  std::uint16_t first[kTile];     // the first pixel of each row
  unsigned pixels;                // their number
  unsigned first_pixel;
  unsigned pieces;
  std::uint32_t first_piece;
  unsigned lowest[kBorder];      // the first pixel of each piece
  std::uint16_t end_0[kBorder];  // its end 0

  __device__ unsigned pixel_at(int x, int y) const {
    const auto before = static_cast<std::uint32_t>(rows[y + 1] >> 1) & ((1u << x) - 1);
    return first_pixel + first[y] + __popc(before);
  }
};

// The shared memory of a block.
struct Tiles {
  Tile tiles[kFollowTiles];
  unsigned long long sums[kTile][kFollowTiles];
  // Of the edge pixels:
  std::uint32_t walks[2 * kFollowPixels];
  std::uint16_t steps[2 * kFollowPixels];  // Walk::bits() of walks of up to one step
  std::uint16_t pixel[kFollowPixels];      // place in the tile, and the tile
  std::uint8_t kept[kFollowPixels];
  std::uint8_t piece[kFollowPixels];  // at end 0 of a piece
};

__device__ std::uint64_t row_of(const EdgeRows& edges, int tile_x, int y) {
  if (y < 0 || y >= edges.height) return 0;
  const int columns = edges.columns();
  const std::uint32_t* row = edges.words + std::size_t{1} * y * columns;
  const std::uint64_t left = tile_x > 0 ? row[tile_x - 1] >> 31 : 0;
  const std::uint64_t right = tile_x + 1 < columns ? row[tile_x + 1] & 1 : 0;
  return left | static_cast<std::uint64_t>(row[tile_x]) << 1 | right << (kTile + 1);
}

// The work of a block. All threads call each function.
class Follower {
 public:
  __device__ Follower(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                      Tiles* shared)
      : edges_(edges),
        min_points_(min_points),
        buffers_(buffers),
        shared_(*shared),
        thread_(threadIdx.y * kWarp + threadIdx.x),
        first_x_(blockIdx.x * kFollowTiles),
        first_number_(blockIdx.y * edges.columns() + first_x_) {}

  // Tiles whose pixels have no room beside each other take turns.
  __device__ void run() {
    load();
    for (int first = 0; first < kFollowTiles;) {
      const int begin = first;
      unsigned pixels = 0;
      while (first < kFollowTiles && pixels + shared_.tiles[first].pixels <= kFollowPixels)
        pixels += shared_.tiles[first++].pixels;
      __syncthreads();
      if (pixels > 0) follow_chains(begin, first, pixels);
    }
    write_sums();
  }

 private:
  // The walks of a pixel over both of its links.
  struct Pair {
    Walk walk[2];
    bool is_open;       // whether one leaves the tile
    int link_to_end_0;  // by which it reaches end 0 of its path; of a path of one pixel the first
    __device__ Walk to_end_0() const { return link_to_end_0 == 0 ? walk[0] : walk[1]; }
    __device__ Walk to_end_1() const { return link_to_end_0 == 0 ? walk[1] : walk[0]; }
  };
  __device__ Pair walks_of(unsigned i) const {
    const Walk a(shared_.walks[2 * i]), b(shared_.walks[2 * i + 1]);
    return {{a, b}, a.leaves() || b.leaves(), a.pixel() <= b.pixel() ? 0 : 1};
  }
  __device__ Walk step_of(unsigned dart) const {
    const Walk walk(shared_.steps[dart]);
    return walk.is_done() ? walk : Walk(walk.dart(), 1, 0);
  }
  __device__ unsigned place(unsigned i) const { return shared_.pixel[i] % kTilePixels; }
  __device__ int tile_of(unsigned i) const { return shared_.pixel[i] / kTilePixels; }

  template <class F>
  __device__ void for_each_pixel(F f) {
    for (unsigned i = thread_; i < pixels_; i += kThreads) f(i);
    __syncthreads();
  }

  // A warp a tile, a row per lane.
  __device__ void load() {
    if (threadIdx.y < kFollowTiles) load_tile(threadIdx.y, threadIdx.x);
    __syncthreads();
  }
  __device__ void load_tile(int own, int lane) {
    const int x = first_x_ + own, top = blockIdx.y * kTile;
    Tile& tile = shared_.tiles[own];
    shared_.sums[lane][own] = 0;
    const bool is_there = x < edges_.columns();
    const std::uint64_t row = is_there ? row_of(edges_, x, top + lane) : 0;
    tile.rows[lane + 1] = row;
    if (lane < 2 && is_there)
      tile.rows[lane * (kTile + 1)] = row_of(edges_, x, lane == 0 ? top - 1 : top + kTile);
    const unsigned in_row = __popc(static_cast<std::uint32_t>(row >> 1));
    const unsigned before = sum_of_lanes_before(in_row);
    tile.first[lane] = static_cast<std::uint16_t>(before);
    if (lane == kWarp - 1) tile.pixels = before + in_row;
    if (lane == 0) tile.pieces = 0;
  }

  // The chains of these tiles.
  __device__ void follow_chains(int first_tile, int last_tile, unsigned pixels) {
    pixels_ = pixels;
    first_tile_ = first_tile;
    last_tile_ = last_tile;
    list();
    for_each_pixel([&](unsigned i) {
      for (int link = 0; link < 2; ++link)
        shared_.steps[2 * i + link] = static_cast<std::uint16_t>(first_step(i, link).bits());
    });
    while (follow()) cut_loops();
    for_each_pixel([&](unsigned i) { number_piece(i); });
    reserve_pieces();
    for_each_pixel([&](unsigned i) { finish(i); });
    write_pieces();
  }

  // Lists the pixels and the links that they keep.
  __device__ void list() {
    const int own = threadIdx.y;
    Tile& tile = shared_.tiles[own];
    if (first_tile_ <= own && own < last_tile_) {
      unsigned first = 0;
      for (int i = first_tile_; i < own; ++i) first += shared_.tiles[i].pixels;
      const int lane = threadIdx.x;
      if (lane == 0) tile.first_pixel = first;
      const std::uint64_t above = tile.rows[lane], here = tile.rows[lane + 1],
                          below = tile.rows[lane + 2];
      unsigned i = first + tile.first[lane];
      for (auto row = static_cast<std::uint32_t>(here >> 1); row != 0; row &= row - 1, ++i) {
        const int column = __ffs(row) - 1;
        const unsigned neighborhood =
            (above >> column & 7) | (here >> column & 7) << 3 | (below >> column & 7) << 6;
        shared_.pixel[i] = static_cast<std::uint16_t>((own * kTile + lane) * kTile + column);
        shared_.kept[i] = kKept.of[neighborhood];
      }
    }
    __syncthreads();
  }

  // Where a dart leads.
  __device__ Walk first_step(unsigned i, int link) const {
    const unsigned kept = shared_.kept[i], dart = 2 * i + link;
    if (!has_link(kept, link)) return {dart, 0, Walk::kEnds};
    const int to = direction(kept, link), back = opposite(to);
    const int x = static_cast<int>(place(i) % kTile) + step(kStepsX, to);
    const int y = static_cast<int>(place(i) / kTile) + step(kStepsY, to);
    if ((x | y) < 0 || (x | y) >= kTile) return {dart, 0, Walk::kLeaves};
    const unsigned other = shared_.tiles[tile_of(i)].pixel_at(x, y);
    const unsigned other_kept = shared_.kept[other];
    if ((other_kept >> back & 1) == 0) return {dart, 0, Walk::kEnds};
    return {2 * other + (1 - link_to(other_kept, back)), 0, 0};
  }

  // Walks until all darts are done, or have passed more pixels than a tile has. Returns whether
  // some go round loops. Threads read what others write meanwhile: a longer walk of the same dart.
  __device__ bool follow() {
    for (unsigned dart = thread_; dart < 2 * pixels_; dart += kThreads)
      shared_.walks[dart] = step_of(dart).bits();
    __syncthreads();
    const volatile std::uint32_t* const walks = shared_.walks;
    bool is_open = true;
    for (int passed = 1; is_open && passed < kTilePixels; passed *= 1 + kTileHops) {
      is_open = false;
      for (unsigned first = thread_; first < 2 * pixels_; first += kTogether * kThreads) {
        Walk own[kTogether];
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const unsigned dart = first + i * kThreads;
          own[i] = dart < 2 * pixels_ ? Walk(walks[dart]) : Walk(0, 0, Walk::kEnds);
        }
#pragma unroll
        for (int hop = 0; hop < kTileHops; ++hop) {
#pragma unroll
          for (int i = 0; i < kTogether; ++i)
            if (!own[i].is_done()) own[i].append(Walk(walks[own[i].dart()]));
        }
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const unsigned dart = first + i * kThreads;
          if (dart < 2 * pixels_) atomicExch(&shared_.walks[dart], own[i].bits());
          is_open |= !own[i].is_done();
        }
      }
      is_open = __syncthreads_or(is_open);
    }
    return is_open;
  }

  // Makes each loop a path that begins at its first pixel and leaves it by link 0.
  __device__ void cut_loops() {
    for_each_pixel([&](unsigned i) {
      const bool loops = !Walk(shared_.walks[2 * i]).is_done();
      shared_.piece[i] = loops && is_first_of_loop(i) ? 1 : 0;
    });
    for_each_pixel([&](unsigned i) {
      if (shared_.piece[i] == 0) return;
      // The walk from the first pixel by link 1 goes on by a dart of the last pixel, whose other
      // one leads back.
      for (const unsigned dart : {2 * i + 1, step_of(2 * i + 1).dart() ^ 1})
        shared_.steps[dart] = static_cast<std::uint16_t>(Walk(dart, 0, Walk::kEnds).bits());
    });
  }
  // Goes round the loop of a pixel until it meets an earlier one.
  __device__ bool is_first_of_loop(unsigned i) const {
    if (step_of(2 * i + 1).pixel() < i) return false;
    unsigned dart = 2 * i;
    do {
      dart = step_of(dart).dart();
    } while (dart / 2 > i);
    return dart / 2 == i;
  }

  // Numbers a piece that leaves its tile, at its end 0.
  __device__ void number_piece(unsigned i) {
    const Pair pair = walks_of(i);
    if (!pair.is_open || pair.to_end_0().pixel() != i) return;
    Tile& tile = shared_.tiles[tile_of(i)];
    const unsigned piece = atomicAdd(&tile.pieces, 1);
    shared_.piece[i] = static_cast<std::uint8_t>(piece);
    tile.end_0[piece] = static_cast<std::uint16_t>(i);
    tile.lowest[piece] = i;
  }
  __device__ void reserve_pieces() {
    const int own = first_tile_ + static_cast<int>(thread_);
    if (own < last_tile_ && first_x_ + own < edges_.columns()) {
      Tile& tile = shared_.tiles[own];
      tile.first_piece = tile.pieces == 0 ? 0 : atomicAdd(&buffers_.counters->pieces, tile.pieces);
      buffers_.tiles[first_number_ + own] = {tile.first_piece, tile.pixels};
    }
    __syncthreads();
  }

  __device__ void finish(unsigned i) {
    const Pair pair = walks_of(i);
    const int own = tile_of(i);
    Tile& tile = shared_.tiles[own];
    const unsigned end_0 = pair.to_end_0().pixel(), position = pair.to_end_0().steps();
    const unsigned points = position + pair.to_end_1().steps() + 1;
    const bool begins = !pair.is_open && position == 0;
    const unsigned of = pair.is_open ? shared_.piece[end_0]
                        : begins     ? points - 1
                                     : end_0 - tile.first_pixel;
    const Record record = Record::make(pair.is_open, of, position, place(i));
    buffers_.records[record_of(i)] = record.bits;
    if (pair.is_open) atomicMin(&tile.lowest[of], i);
    if (begins && points >= min_points_)
      atomicAdd(&shared_.sums[record.row()][own], chain_of(points));
    write_exits(i, pair, record);
  }

  // Tells other tiles which darts leave a pixel at the border.
  __device__ void write_exits(unsigned i, const Pair& pair, const Record& record) const {
    const std::uint32_t border = border_place(record.column(), record.row());
    if (border == kNone) return;
    const Tile& tile = shared_.tiles[tile_of(i)];
    std::uint32_t exits[2] = {kNone, kNone};
#pragma unroll
    for (int link = 0; link < 2; ++link) {
      if (!pair.walk[link].leaves() || pair.walk[link].steps() != 0) continue;
      const bool is_end_0 = record.position() == 0 && link == pair.link_to_end_0;
      exits[link] = exit_of(2 * (tile.first_piece + record.of()) + (is_end_0 ? 0 : 1),
                            direction(shared_.kept[i], link));
    }
    *reinterpret_cast<uint2*>(buffers_.exits + 2 * (number_of_tile(i) * kBorder + border)) =
        make_uint2(exits[0], exits[1]);
  }

  // A warp a tile.
  __device__ void write_pieces() const {
    const int own = threadIdx.y;
    if (own < first_tile_ || own >= last_tile_) return;
    const Tile& tile = shared_.tiles[own];
    if (tile.first_piece + tile.pieces > buffers_.most_pieces) return;
    for (unsigned i = threadIdx.x; i < tile.pieces; i += kWarp)
      write_piece(tile.end_0[i], tile.lowest[i], &buffers_.pieces[tile.first_piece + i]);
  }
  __device__ void write_piece(unsigned end_0, unsigned lowest, Piece* piece) const {
    const Pair pair = walks_of(end_0), of_lowest = walks_of(lowest);
    const Walk walk = pair.to_end_1();
    piece->key[0] = key_of(end_0);
    piece->key[1] = key_of(walk.pixel());
    piece->record[0] = record_of(end_0);
    piece->record[1] = record_of(walk.pixel());
    piece->exit[0] = pair.to_end_0().leaves() ? exit_from(end_0, pair.link_to_end_0) : kNone;
    piece->exit[1] = walk.leaves() ? exit_from(walk.pixel(), walk.dart() % 2) : kNone;
    piece->points = walk.steps() + 1;
    piece->lowest_key = key_of(lowest);
    piece->lowest_record = record_of(lowest);
    piece->lowest_place = 2 * of_lowest.to_end_0().steps() + of_lowest.link_to_end_0;
  }

  // A thread a row of a tile. Tiles without pixels have no other results.
  __device__ void write_sums() {
    __syncthreads();
    if (thread_ >= kTile * kFollowTiles) return;
    const int own = thread_ % kFollowTiles, row = thread_ / kFollowTiles;
    const int x = first_x_ + own, y = blockIdx.y * kTile + row;
    const unsigned long long sum = shared_.sums[row][own];
    const unsigned long long all = sum_of_warp(sum);
    if (threadIdx.x == 0 && all != 0)
      atomicAdd(sum_of_tiles(buffers_, blockIdx.y, blockIdx.x), all);
    if (x >= edges_.columns()) return;
    if (y < edges_.height) buffers_.sums[std::size_t{1} * y * edges_.columns() + x] = sum;
    if (row == 0 && shared_.tiles[own].pixels == 0) buffers_.tiles[first_number_ + own] = {0, 0};
  }

  __device__ unsigned number_of_tile(unsigned i) const { return first_number_ + tile_of(i); }
  __device__ std::uint32_t record_of(unsigned i) const {
    return number_of_tile(i) * kTilePixels + i - shared_.tiles[tile_of(i)].first_pixel;
  }
  // The coordinates of a pixel in the frame.
  __device__ int x_of(unsigned i) const {
    return (first_x_ + tile_of(i)) * kTile + static_cast<int>(place(i) % kTile);
  }
  __device__ int y_of(unsigned i) const {
    return static_cast<int>(blockIdx.y * kTile + place(i) / kTile);
  }
  __device__ std::uint32_t key_of(unsigned i) const { return raster_key(x_of(i), y_of(i)); }
  // Where the other pixel of a link out of the tile has its exits.
  __device__ std::uint32_t exit_from(unsigned i, int link) const {
    const int to = direction(shared_.kept[i], link);
    const int x = x_of(i) + step(kStepsX, to), y = y_of(i) + step(kStepsY, to);
    const unsigned tile = y / kTile * edges_.columns() + x / kTile;
    return exit_of(tile * kBorder + border_place(x % kTile, y % kTile), opposite(to));
  }

  const EdgeRows& edges_;
  const unsigned min_points_;
  const ContourBuffers& buffers_;
  Tiles& shared_;
  const unsigned thread_;
  const int first_x_;
  const unsigned first_number_;
  // Of these tiles:
  int first_tile_ = 0, last_tile_ = 0;
  unsigned pixels_ = 0;
};

__global__ void __launch_bounds__(kThreads)
    follow_tiles_kernel(EdgeRows edges, unsigned min_points,
                        __grid_constant__ const ContourBuffers buffers) {
  __shared__ Tiles shared;
  wait_and_start_next();
  Follower(edges, min_points, buffers, &shared).run();
}

}  // namespace

Status follow_tiles(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                    Launcher* launcher) {
  const dim3 grid(blocks(edges.columns(), kFollowTiles), edges.tile_rows());
  return launcher->launch("contour tile kernel", follow_tiles_kernel, grid,
                          dim3(kWarp, kFollowWarps), 0, edges, min_points, buffers);
}

}  // namespace canny::cuda
