// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis in OpenCL C 1.2, on planes of words of 32 pixels, row by row.
// docs/reference/edge-map.md has the definition. components.cl comes first.

// ---- passes over tiles of 32x32 pixels, after Luo and Duraiswami (2008), section 3 ----

// Bits at the borders of a row of a tile whose neighbors in the tiles beside it are edges.
uint from_beside(global const uint* edges, int words, int height, int word, int y) {
  uint bits = 0;
  for (int row = y - 1; row <= y + 1; ++row)
    bits |= word_at(edges, words, height, word - 1, row) >> 31 |
            word_at(edges, words, height, word + 1, row) << 31;
  return bits;
}

// One pass. A work group is a tile, a work item a row of it.
KERNEL_OF(32)
void grow(global const uint* candidate, global const uint* edges, int words, int height,
          global uint* grown) {
  local uint rows[34];
  local int has_changed;
  const int row = get_local_id(0), word = get_group_id(0), y = 32 * get_group_id(1) + row;
  const uint open = word_at(candidate, words, height, word, y);
  uint seeds = from_beside(edges, words, height, word, y);
  if (row == 0) seeds |= spread(word_at(edges, words, height, word, y - 1));
  if (row == 31) seeds |= spread(word_at(edges, words, height, word, y + 1));
  uint found = word_at(edges, words, height, word, y) | (open & seeds);
  if (row == 0) rows[0] = rows[33] = 0;
  for (;;) {
    rows[row + 1] = found;
    if (row == 0) has_changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint next = found | (open & spread(rows[row] | found | rows[row + 2]));
    for (uint before = 0; before != next;) {
      before = next;
      next |= open & spread(next);
    }
    if (next != found) has_changed = 1;
    found = next;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int goes_on = has_changed;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!goes_on) break;
  }
  if (y < height) grown[(size_t)y * words + word] = found;
}

// ---- counts ----

// Adds the ones that the items of a work group have to a number, unless `numbers` is null. All
// items call this. `sum` is for one call of a kernel.
void add_ones(uint ones, local uint* sum, int number, volatile global uint* numbers) {
  if (get_local_id(0) == 0) *sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ones != 0) atomic_add(sum, ones);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint of_group = *sum;
  if (get_local_id(0) == 0 && numbers && of_group != 0) atomic_add(numbers + number, of_group);
}

// One work item per word of the plane.
KERNEL_OF(kCountingItems)
void count_pixels(global const uint* plane, int words, int number, volatile global uint* numbers) {
  local uint sum;
  const int word = get_global_id(0);
  add_ones(word < words ? popcount(plane[word]) : 0, &sum, number, numbers);
}

// ---- views: a number of 0..255 for each pixel, with one work item per pixel ----

kernel void show_classes(global const uint* candidate, global const uint* strong, int width,
                         int of_candidate, global uchar* values) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  values[(size_t)y * width + x] = bit_at(strong, width, x, y)      ? 255
                                  : bit_at(candidate, width, x, y) ? of_candidate
                                                                   : 0;
}

// The number of a pass on the pixels that it has found.
kernel void show_pass(global const uint* edges, global const uint* grown, int width, int pass,
                      global uchar* values) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  if (bit_at(grown, width, x, y) && !bit_at(edges, width, x, y))
    values[(size_t)y * width + x] = pass;
}

// ---- until stable ----
//
// Tiles of kTileWords x kTileRows words find the components of their candidates in local memory.
// Those with strong pixels are edges. Others stay open if they reach other tiles, and vanish if
// not. Then open components are united across the borders of tiles, with each other and with edges;
// those in the end in a tree with edges are edges.
//
// Labels are those of runs, as in components.cl, but with half as many, since two runs begin at
// least two pixels apart, and 1 more: label 0 is that of all edges, and always a root.

// Several items share a word: each takes the runs that begin in its part. That is what takes time,
// since an item takes its runs one after the other, each with loads that wait for each other.

enum {
  kTileItems = kItemsPerWord * kTileWords * kTileRows,
  kTileSize = kTileWords * kTileRows,
  kNodes = 16 * kTileSize  // names of runs in a tile, by halves of their places
};

// The first pixels of the runs of a word that begin in one of `parts` parts.
uint starts_in(uint word, int part, int parts) {
  const uint all = starts_of(word);
  return all >> 32 / parts * part << 32 / parts * part & 0xffffffff >> 32 - 32 / parts * (part + 1);
}

int node_of(int word, uint bits, int bit) { return 16 * word + first_of_run(bits, bit) / 2; }

// The root of a node's tree. Halves the path to it, after Jaiganesh and Burtscher, "A
// high-performance connected components implementation for GPUs" (HPDC 2018).
uint local_root(volatile local uint* parents, uint node) {
  for (;;) {
    const uint next = parents[node];
    if (next == node) return node;
    const uint after = parents[next];
    if (after == next) return after;
    parents[node] = after;
    node = after;
  }
}

DEFINE_UNITE(unite_nodes, local, local_root)

// Which of the pixels that meet where four words do are to be united across the columns of words:
// those below, those that fall to the right, or those that rise. Other steps unite those above, and
// in each column, so that one pair is enough.
enum { kPairBelow = 1, kPairFalling = 2, kPairRising = 4 };

int pairs_to_unite(int above_left, int above_right, int left, int right) {
  const int below = left && right && !(above_left && above_right);
  const int falling = above_left && right && !above_right && !left;
  const int rising = left && above_right && !above_left && !right;
  return below * kPairBelow | falling * kPairFalling | rising * kPairRising;
}

// The words around one, in its tile.
typedef struct {
  uint here, before, above, above_before;
} Around;

Around words_around(local const uint* words, int word) {
  const int has_before = word % kTileWords > 0, has_above = word >= kTileWords;
  return (Around){words[word], has_before ? words[word - 1] : 0,
                  has_above ? words[word - kTileWords] : 0,
                  has_above && has_before ? words[word - kTileWords - 1] : 0};
}

// Hangs each run on the first one above that it touches, or on itself. No other item writes these
// parents yet.
void plant(const Around around, int word, uint starts, local uint* parents) {
  for (; starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    const uint touching = around.above & spread(run_at(around.here, first));
    parents[16 * word + first / 2] =
        touching != 0 ? node_of(word - kTileWords, around.above, lowest_bit(touching))
                      : 16 * word + first / 2;
  }
}

// Unites each run with the others that it touches above, and the item of the first part those
// beside the left border of the word.
void unite_tile(const Around around, int word, int part, uint starts,
                volatile local uint* parents) {
  const int above = word - kTileWords;
  for (; starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    uint touching = around.above & spread(run_at(around.here, first));
    if (touching == 0) continue;
    touching &= ~run_at(around.above, first_of_run(around.above, lowest_bit(touching)));
    while (touching != 0) {
      const int of_above = first_of_run(around.above, lowest_bit(touching));
      unite_nodes(parents, 16 * word + first / 2, 16 * above + of_above / 2);
      touching &= ~run_at(around.above, of_above);
    }
  }
  if (part != 0) return;
  const int pairs = pairs_to_unite(around.above_before >> 31, around.above & 1, around.before >> 31,
                                   around.here & 1);
  if ((pairs & kPairBelow) != 0)
    unite_nodes(parents, node_of(word - 1, around.before, 31), 16 * word);
  if ((pairs & kPairFalling) != 0)
    unite_nodes(parents, node_of(above - 1, around.above_before, 31), 16 * word);
  if ((pairs & kPairRising) != 0)
    unite_nodes(parents, node_of(word - 1, around.before, 31), 16 * above);
}

// A work group is a tile. All items reach all barriers: PoCL 3.1 writes to wrong places if a
// group returns between two of them.
KERNEL_OF(kTileItems)
void label_tiles(global const uint* candidate, global const uint* strong, int words, int height,
                 global uint* edges, global uint* open, global uint* labels) {
  local uint rows[kTileSize], decided[kTileSize], undecided[kTileSize];
  local uint parents[kNodes], are_strong[kNodes / 32], reach[kNodes / 32];
  const int item = get_local_id(0), of_tile = item / kItemsPerWord, part = item % kItemsPerWord;
  const int left = kTileWords * get_group_id(0), top = kTileRows * get_group_id(1);
  const int column = of_tile % kTileWords;
  const int word = left + column, y = top + of_tile / kTileWords;
  const int is_there = word < words && y < height;
  const uint i = (uint)y * words + word;
  const uint mask = is_there ? candidate[i] : 0;
  const uint starts_here = starts_in(mask, part, kItemsPerWord);
  if (item == 0 && left == 0 && top == 0) labels[0] = 0;
  if (part == 0) {
    rows[of_tile] = mask;
    decided[of_tile] = undecided[of_tile] = 0;
  }
  for (int j = item; j < kNodes / 32; j += kTileItems) are_strong[j] = reach[j] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  plant(words_around(rows, of_tile), of_tile, starts_here, parents);
  barrier(CLK_LOCAL_MEM_FENCE);
  unite_tile(words_around(rows, of_tile), of_tile, part, starts_here, parents);
  barrier(CLK_LOCAL_MEM_FENCE);

  uint border = (y == top && y > 0) || (y == top + kTileRows - 1 && y + 1 < height) ? ~0u : 0;
  if (column == 0 && word > 0) border |= 1;
  if (column == kTileWords - 1 && word + 1 < words) border |= 1u << 31;
  const uint seeds = starts_here != 0 ? strong[i] & mask : 0;
  for (uint starts = starts_here; starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    const uint run = run_at(mask, first), root = local_root(parents, 16 * of_tile + first / 2);
    if ((run & seeds) != 0) atomic_or(are_strong + root / 32, 1u << root % 32);
    if ((run & border) != 0) atomic_or(reach + root / 32, 1u << root % 32);
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  uint of_edges = 0, of_open = 0;
  for (uint starts = starts_here; starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    const uint run = run_at(mask, first), root = local_root(parents, 16 * of_tile + first / 2);
    if ((are_strong[root / 32] >> root % 32 & 1) != 0) {
      of_edges |= run;
    } else if ((reach[root / 32] >> root % 32 & 1) != 0) {
      of_open |= run;
      const uint of_root = root / 16;
      const uint root_word = (top + of_root / kTileWords) * words + left + of_root % kTileWords;
      labels[1 + 16 * i + first / 2] = 1 + 16 * root_word + root % 16;
    }
  }
  if (of_edges != 0) atomic_or(decided + of_tile, of_edges);
  if (of_open != 0) atomic_or(undecided + of_tile, of_open);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (part != 0 || !is_there) return;
  edges[i] = decided[of_tile];
  open[i] = undecided[of_tile];
}

// As local_root(), of trees with label 0.
uint shared_root(volatile global uint* labels, uint name) {
  while (name != 0) {
    const uint next = labels[name];
    if (next == name || next == 0) return next;
    const uint after = labels[next];
    if (after == next) return after;
    labels[name] = after;
    name = after;
  }
  return 0;
}

DEFINE_UNITE(unite_labels, global, shared_root)

// A word's edges and open runs, and its number.
typedef struct {
  uint edges, open, number;
} Word;

Word word_of(global const uint* edges, global const uint* open, uint number, int is_there) {
  return (Word){is_there ? edges[number] : 0, is_there ? open[number] : 0, number};
}

int has_bit(const Word word, int bit) { return (word.edges | word.open) >> bit & 1; }

uint label_of(const Word word, int bit) {
  return word.edges >> bit & 1 ? 0 : 1 + 16 * word.number + first_of_run(word.open, bit) / 2;
}

// Unites the run that begins at a bit with those that it touches in the word above.
void unite_above(const Word word, const Word above, int first, volatile global uint* labels) {
  const uint run = run_at(word.edges | word.open, first), is_edge = word.edges >> first & 1;
  const uint all_above = above.edges | above.open;
  for (uint touching = spread(run) & (is_edge ? above.open : all_above); touching != 0;) {
    const int of_above = first_of_run(all_above, lowest_bit(touching));
    unite_labels(labels, label_of(word, first), label_of(above, of_above));
    touching &= ~run_at(all_above, of_above);
  }
}

// Unites some pairs of pixels in a column of words and the one before, in a row and the one above.
void unite_beside(global const uint* edges, global const uint* open, uint number, int words,
                  int has_above, int some_pairs, volatile global uint* labels) {
  const Word left = word_of(edges, open, number - 1, 1), right = word_of(edges, open, number, 1);
  const Word above_left = word_of(edges, open, number - words - 1, has_above);
  const Word above_right = word_of(edges, open, number - words, has_above);
  const int pairs = some_pairs & pairs_to_unite(has_bit(above_left, 31), has_bit(above_right, 0),
                                                has_bit(left, 31), has_bit(right, 0));
  if ((pairs & kPairBelow) != 0) unite_labels(labels, label_of(left, 31), label_of(right, 0));
  if ((pairs & kPairFalling) != 0)
    unite_labels(labels, label_of(above_left, 31), label_of(right, 0));
  if ((pairs & kPairRising) != 0)
    unite_labels(labels, label_of(left, 31), label_of(above_right, 0));
}

// One work item for each part of the words below borders of tiles, and then for each row of
// the words to the right of borders.
kernel void join_tiles(global const uint* edges, global const uint* open, int words, int height,
                       volatile global uint* labels) {
  const int below = (height - 1) / kTileRows * words * kItemsPerBorder;
  const int columns = (words - 1) / kTileWords, item = get_global_id(0), of_column = item - below;
  if (item < below) {
    const int part = item % kItemsPerBorder, column = item / kItemsPerBorder % words;
    const int row = (item / kItemsPerBorder / words + 1) * kTileRows;
    const uint number = (uint)row * words + column;
    const Word word = word_of(edges, open, number, 1);
    const uint starts = starts_in(word.edges | word.open, part, kItemsPerBorder);
    if (starts != 0)
      unite_above(word, word_of(edges, open, number - words, 1), lowest_bit(starts), labels);
    if (part == 0 && column > 0)
      unite_beside(edges, open, number, words, 1, kPairFalling | kPairRising, labels);
  } else if (of_column < columns * height) {
    const int row = of_column / columns;
    unite_beside(edges, open, (uint)row * words + (of_column % columns + 1) * kTileWords, words,
                 row > 0, kPairBelow | kPairFalling | kPairRising, labels);
  }
}

// Adds the open runs that have become edges, and counts all as add_ones() does. One work item per
// word of the planes.
KERNEL_OF(kCountingItems)
void keep_joined(global uint* edges, global const uint* open, int words,
                 volatile global uint* labels, int number, volatile global uint* numbers) {
  local uint sum;
  const int word = get_global_id(0);
  uint kept = 0;
  if (word < words) {
    const uint here = open[word];
    kept = edges[word];
    for (uint starts = starts_of(here); starts != 0; starts &= starts - 1) {
      const int first = lowest_bit(starts);
      if (shared_root(labels, 1 + 16 * (uint)word + first / 2) == 0) kept |= run_at(here, first);
    }
    if (here != 0) edges[word] = kept;
  }
  add_ones(popcount(kept), &sum, number, numbers);
}
