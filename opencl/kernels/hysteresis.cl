// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis and the removal of short edges in OpenCL C 1.2, on planes of words of 32 pixels, row
// by row. docs/edge-map.md has the definition.

// ---- passes over tiles of 32x32 pixels, after Luo and Duraiswami (2008), section 3 ----

uint word_at(global const uint* plane, int words, int height, int word, int y) {
  const int is_inside = word >= 0 && word < words && y >= 0 && y < height;
  return is_inside ? plane[(size_t)y * words + word] : 0;
}

uint spread(uint word) { return word | word << 1 | word >> 1; }

// Bits at the borders of a row of a tile whose neighbors in the tiles beside it are edges.
uint from_beside(global const uint* edges, int words, int height, int word, int y) {
  uint bits = 0;
  for (int row = y - 1; row <= y + 1; ++row)
    bits |= word_at(edges, words, height, word - 1, row) >> 31 |
            word_at(edges, words, height, word + 1, row) << 31;
  return bits;
}

// One pass. A work group is a tile, a work item a row of it.
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
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

// One work item per word.
kernel void count_pixels(global const uint* plane, int words, int number,
                         volatile global uint* numbers) {
  const int word = get_global_id(0);
  if (word >= words) return;
  const uint ones = popcount(plane[(size_t)get_global_id(1) * words + word]);
  if (ones != 0) atomic_add(numbers + number, ones);
}

// ---- views: a number of 0..255 for each pixel, with one work item per pixel ----

int bit_at(global const uint* plane, int width, int x, int y) {
  return plane[(size_t)y * ((width + 31) / 32) + x / 32] >> x % 32 & 1;
}

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

// ---- components, as trees of runs ----
//
// Trees are united by atomic minima, as in Playne and Hawick, "A new algorithm for parallel
// connected-component labelling on GPUs" (IEEE TPDS 2018).
//
// A run is a row of ones in a word. Its name is the number of its first pixel, in the order of
// rows of whole words. labels[name] is the name of another run of its component, or of itself at
// the root of the tree, where the name is the least of the component.

// The bit of the first pixel of the run that has this bit.
int first_of_run(uint word, int bit) {
  const uint gaps = ~word & (1u << bit) - 1;
  return gaps == 0 ? 0 : 32 - clz(gaps);
}

// The run that begins at a bit.
uint run_at(uint word, int first) {
  const uint gaps = ~word >> first;
  const int length = gaps == 0 ? 32 - first : 31 - clz(gaps & -gaps);
  return (length == 32 ? 0xffffffff : (1u << length) - 1) << first;
}

int lowest_bit(uint word) { return 31 - clz(word & -word); }

uint root_of(volatile global const uint* labels, uint name) {
  uint next = labels[name];
  while (next != name) {
    name = next;
    next = labels[name];
  }
  return name;
}

void unite(volatile global uint* labels, uint a, uint b) {
  for (;;) {
    a = root_of(labels, a);
    b = root_of(labels, b);
    if (a == b) return;
    const uint larger = max(a, b), smaller = min(a, b);
    const uint before = atomic_min(labels + larger, smaller);
    if (before == larger) return;
    a = before;
    b = smaller;
  }
}

// This and the following kernels have one work item per word.
kernel void name_runs(global const uint* plane, int words, global uint* labels) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const size_t i = (size_t)y * words + word;
  uint starts = plane[i] & ~(plane[i] << 1);
  for (; starts != 0; starts &= starts - 1) {
    const uint name = 32 * i + lowest_bit(starts);
    labels[name] = name;
  }
}

// Unites each run with those that touch it in the word before and in the row above.
kernel void unite_runs(global const uint* plane, int words, int height,
                       volatile global uint* labels) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word;
  const uint here = plane[i], above = word_at(plane, words, height, word, y - 1);
  const uint before = word_at(plane, words, height, word - 1, y);
  const uint above_before = word_at(plane, words, height, word - 1, y - 1);
  const uint above_after = word_at(plane, words, height, word + 1, y - 1);
  for (uint starts = here & ~(here << 1); starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    const uint run = run_at(here, first), name = 32 * i + first;
    if (first == 0 && before >> 31 != 0)
      unite(labels, name, 32 * (i - 1) + first_of_run(before, 31));
    if (first == 0 && above_before >> 31 != 0)
      unite(labels, name, 32 * (i - words - 1) + first_of_run(above_before, 31));
    if (run >> 31 != 0 && (above_after & 1) != 0) unite(labels, name, 32 * (i - words + 1));
    for (uint touching = above & spread(run); touching != 0;) {
      const int of_above = first_of_run(above, lowest_bit(touching));
      unite(labels, name, 32 * (i - words) + of_above);
      touching &= ~run_at(above, of_above);
    }
  }
}

// Marks the roots of runs that have a strong pixel.
kernel void mark_strong(global const uint* candidate, global const uint* strong, int words,
                        global const uint* labels, volatile global uint* marks) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word, here = candidate[i];
  for (uint left = strong[i] & here; left != 0;) {
    const int first = first_of_run(here, lowest_bit(left));
    const uint root = root_of(labels, 32 * i + first);
    atomic_or(marks + root / 32, 1u << root % 32);
    left &= ~run_at(here, first);
  }
}

// The runs whose roots are marked.
kernel void keep_marked(global const uint* candidate, int words, global const uint* labels,
                        global const uint* marks, global uint* edges) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word, here = candidate[i];
  uint kept = 0;
  for (uint starts = here & ~(here << 1); starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    const uint root = root_of(labels, 32 * i + first);
    if ((marks[root / 32] >> root % 32 & 1) != 0) kept |= run_at(here, first);
  }
  edges[i] = kept;
}

// Adds the pixels of each run to those of its root.
kernel void add_lengths(global const uint* edges, int words, global const uint* labels,
                        volatile global uint* lengths) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word, here = edges[i];
  for (uint starts = here & ~(here << 1); starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    atomic_add(lengths + root_of(labels, 32 * i + first), popcount(run_at(here, first)));
  }
}

kernel void count_roots(global const uint* plane, int words, global const uint* labels, int number,
                        volatile global uint* numbers) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word, here = plane[i];
  uint roots = 0;
  for (uint starts = here & ~(here << 1); starts != 0; starts &= starts - 1) {
    const uint name = 32 * i + lowest_bit(starts);
    roots += labels[name] == name;
  }
  if (roots != 0) atomic_add(numbers + number, roots);
}

// Clears runs of components that have fewer pixels.
kernel void drop_short(global uint* edges, int words, global const uint* labels,
                       global const uint* lengths, uint min_length) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word, here = edges[i];
  uint kept = here;
  for (uint starts = here & ~(here << 1); starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    if (lengths[root_of(labels, 32 * i + first)] < min_length) kept &= ~run_at(here, first);
  }
  edges[i] = kept;
}
