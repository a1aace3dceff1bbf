// SPDX-License-Identifier: LGPL-2.1-or-later
// Components as trees of runs, and the removal of short edges, in OpenCL C 1.2, on planes of words
// of 32 pixels, row by row. Trees are united by atomic minima, as in Playne and Hawick, "A new
// algorithm for parallel connected-component labelling on GPUs" (IEEE TPDS 2018).
//
// A run is a row of ones in a word. Its name is the number of its first pixel, in the order of
// rows of whole words. labels[name] is the name of another run of its component, or of itself at
// the root of the tree, where the name is the least of the component.

// A word of a plane, 0 outside.
uint word_at(global const uint* plane, int words, int height, int word, int y) {
  const int is_inside = word >= 0 && word < words && y >= 0 && y < height;
  return is_inside ? plane[(size_t)y * words + word] : 0;
}

uint spread(uint word) { return word | word << 1 | word >> 1; }

// The first pixels of the runs of a word.
uint starts_of(uint word) { return word & ~(word << 1); }

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
  for (uint next; (next = labels[name]) != name;) name = next;
  return name;
}

// Defines a function that unites the trees of two names, whose roots ROOT finds.
#define DEFINE_UNITE(NAME, SPACE, ROOT)                         \
  void NAME(volatile SPACE uint* labels, uint a, uint b) {      \
    for (;;) {                                                  \
      a = ROOT(labels, a);                                      \
      b = ROOT(labels, b);                                      \
      if (a == b) return;                                       \
      const uint larger = max(a, b), smaller = min(a, b);       \
      const uint before = atomic_min(labels + larger, smaller); \
      if (before == larger) return;                             \
      a = before;                                               \
      b = smaller;                                              \
    }                                                           \
  }
DEFINE_UNITE(unite, global, root_of)

// This and the following kernels have one work item per word; `words` are those of the plane.
kernel void name_runs(global const uint* plane, int words, global uint* labels) {
  const int i = get_global_id(0);
  if (i >= words) return;
  for (uint starts = starts_of(plane[i]); starts != 0; starts &= starts - 1) {
    const uint name = 32 * i + lowest_bit(starts);
    labels[name] = name;
  }
}

// Unites each run with those that touch it in the word before and in the row above. Here `words`
// are those of a row.
kernel void unite_runs(global const uint* plane, int words, int height,
                       volatile global uint* labels) {
  const int word = get_global_id(0), y = get_global_id(1);
  if (word >= words) return;
  const uint i = (uint)y * words + word;
  const uint here = plane[i], above = word_at(plane, words, height, word, y - 1);
  const uint before = word_at(plane, words, height, word - 1, y);
  const uint above_before = word_at(plane, words, height, word - 1, y - 1);
  const uint above_after = word_at(plane, words, height, word + 1, y - 1);
  for (uint starts = starts_of(here); starts != 0; starts &= starts - 1) {
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

// Adds the pixels of each run to those of its root.
kernel void add_lengths(global const uint* edges, int words, global const uint* labels,
                        volatile global uint* lengths) {
  const int i = get_global_id(0);
  if (i >= words) return;
  const uint here = edges[i];
  for (uint starts = starts_of(here); starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    atomic_add(lengths + root_of(labels, 32 * i + first), popcount(run_at(here, first)));
  }
}

kernel void count_roots(global const uint* plane, int words, global const uint* labels, int number,
                        volatile global uint* numbers) {
  const int i = get_global_id(0);
  if (i >= words) return;
  const uint here = plane[i];
  uint roots = 0;
  for (uint starts = starts_of(here); starts != 0; starts &= starts - 1) {
    const uint name = 32 * i + lowest_bit(starts);
    roots += labels[name] == name;
  }
  if (roots != 0) atomic_add(numbers + number, roots);
}

// Clears runs of components that have fewer pixels.
kernel void drop_short(global uint* edges, int words, global const uint* labels,
                       global const uint* lengths, uint min_length) {
  const int i = get_global_id(0);
  if (i >= words) return;
  const uint here = edges[i];
  uint kept = here;
  for (uint starts = starts_of(here); starts != 0; starts &= starts - 1) {
    const int first = lowest_bit(starts);
    if (lengths[root_of(labels, 32 * i + first)] < min_length) kept &= ~run_at(here, first);
  }
  edges[i] = kept;
}
