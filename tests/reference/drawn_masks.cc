// SPDX-License-Identifier: LGPL-2.1-or-later
/// Masks drawn by hand, and the reader of the drawings.
#include "drawn_masks.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace reference {
namespace {

/// `X` is a strong pixel, `1` to `9` a candidate that this pass of hysteresis adds, `o` a candidate
/// that is never an edge, `.` any other pixel. `|` and lines of `-` are not pixels: they mark the
/// borders of tiles. The drawing is the bottom right part of its mask: columns and rows without
/// candidates come before it, so many that its first marks are in their places.
struct Drawing {
  const char* name;
  std::vector<const char*> lines;

  int left() const {
    const char* mark = std::strchr(lines[0], '|');
    return mark == nullptr ? 0 : (kTile - int(mark - lines[0]) % kTile) % kTile;
  }
  int top() const {
    std::size_t row = 0;
    while (row < lines.size() && lines[row][0] != '-') row++;
    return row == lines.size() ? 0 : (kTile - int(row) % kTile) % kTile;
  }
};

const Drawing kDrawings[] = {
    {"one strong pixel", {"X"}},
    {"one candidate", {"o"}},
    {"nothing", {"..."}},
    {"all neighbors",
     {"111",  //
      "1X1",  //
      "111"}},
    {"two apart",
     {"X.o.o",  //
      ".....",  //
      "o...X"}},
    {"no strong pixel",
     {"oooo|o...",  //
      "....|.o..",  //
      "....|..o.",  //
      "---------",  //
      "oooo|oooo"}},
    {"a line through three tiles: a pass for each",
     {"................................|................................|......",
      "11X11111111111111111111111111111|22222222222222222222222222222222|333333",
      "................................|................................|......"}},
    {"strong at a border: both sides in the first pass",
     {"................................|................................|......",
      "1111111111111111111111111111111X|11111111111111111111111111111111|222222",
      "................................|................................|......"}},
    {"strong in the middle tile: both ways at once",
     {"................................|................................|......",
      "22222222222222222222222222222222|1111111111111111X111111111111111|222222",
      "................................|................................|......"}},
    {"a candidate next to the border does not pass for a strong pixel",
     {"X11|22",  //
      "...|..",  //
      ".X1|2."}},
    {"diagonal into the lower right tile",
     {"X...|...",  //
      ".1..|...",  //
      "..1.|...",  //
      "...1|...",  //
      "--------",  //
      "....|2..",  //
      "....|.2.",  //
      "....|..2"}},
    {"diagonal into the upper left tile, seen at once",
     {"1...|....",  //
      ".1..|....",  //
      "..1.|....",  //
      "...1|....",  //
      "---------",  //
      "....|X...",  //
      "....|.1..",  //
      "....|..1."}},
    {"diagonal into the lower left tile",
     {"....|...X",  //
      "....|..1.",  //
      "....|.1..",  //
      "....|1...",  //
      "---------",  //
      "...2|....",  //
      "..2.|....",  //
      ".2..|...."}},
    {"diagonal into the upper right tile, seen at once",
     {"....|...1",  //
      "....|..1.",  //
      "....|.1..",  //
      "....|1...",  //
      "---------",  //
      "...X|....",  //
      "..1.|....",  //
      ".1..|...."}},
    {"a strong corner pixel reaches all four tiles",
     {"1..|..1",  //
      ".1.|.1.",  //
      "..X|1..",  //
      "-------",  //
      "..1|1..",  //
      ".1.|.1.",  //
      "1..|..1"}},
    {"back and forth over a border",
     {"X1|..",  //
      "..|2.",  //
      ".3|..",  //
      "3.|..",  //
      ".3|..",  //
      "..|4.",  //
      "..|.4",  //
      "..|4.",  //
      ".5|..",  //
      "..|6."}},
    {"a zigzag of single pixels: a pass for each pixel",
     {"X|.",  //
      ".|1",  //
      "2|.",  //
      ".|3",  //
      "4|.",  //
      ".|5",  //
      "6|.",  //
      ".|7",  //
      "8|.",  //
      ".|9"}},
    {"a zigzag taken from both ends",
     {"X.2.4.2.X",  //
      "---------",  //
      ".1.3.3.1."}},
    {"a ring around a corner of four tiles, taken from both sides",
     {"X111|2222",  //
      "1...|...2",  //
      "1...|...2",  //
      "1...|...2",  //
      "---------",  //
      "2...|...3",  //
      "2...|...3",  //
      "2...|...3",  //
      "2222|3333"}},
    {"an open ring around a corner of four tiles, taken from one side",
     {"X111|2222",  //
      "1...|...2",  //
      "1...|...2",  //
      "....|...2",  //
      "---------",  //
      "4...|...3",  //
      "4...|...3",  //
      "4...|...3",  //
      "4444|3333"}},
    {"two components of a tile, joined through its neighbor",
     {"X11|2.",  //
      "...|.2",  //
      "333|2.",  //
      "...|..",  //
      "o.o|o."}},
    {"a strong pixel two columns from the border is out of reach",
     {".X1|2",  //
      "...|.",  //
      ".X.|o",  //
      "...|.",  //
      "..X|1",  //
      "...|.",  //
      "1X1|2"}},
    {"a column through three tiles", {"o", ".", "1", "X",                      //
                                      "-",                                     //
                                      "1", "1", "1", "1", "1", "1", "1", "1",  //
                                      "1", "1", "1", "1", "1", "1", "1", "1",  //
                                      "1", "1", "1", "1", "1", "1", "1", "1",  //
                                      "1", "1", "1", "1", "1", "1", "1", "1",  //
                                      "-",                                     //
                                      "2", "2", ".", "o"}},
};

[[noreturn]] void reject(const Drawing& drawing, const char* reason, const char* line) {
  std::fprintf(stderr, "drawing \"%s\": %s: %s\n", drawing.name, reason, line);
  std::abort();
}

/// The drawing's rows without the marks of tile borders. The marks must be exactly where tiles
/// meet.
std::vector<std::string> pixel_rows(const Drawing& drawing) {
  std::vector<std::string> rows;
  bool marked = false;
  for (const char* line : drawing.lines) {
    const int y = drawing.top() + int(rows.size());
    const bool meets = y % kTile == 0 && !rows.empty();
    if (line[0] == '-') {
      if (!meets || marked) reject(drawing, "no tiles meet at", line);
      marked = true;
      continue;
    }
    if (meets && !marked) reject(drawing, "tiles meet above", line);
    marked = false;
    std::string row;
    for (const char* c = line; *c != '\0'; c++) {
      const int x = drawing.left() + int(row.size());
      const bool border = x % kTile == 0 && !row.empty();
      if (*c == '|' ? !border : border && c[-1] != '|') reject(drawing, "borders differ in", line);
      if (*c == '|') continue;
      if (std::strchr(".oX123456789", *c) == nullptr) reject(drawing, "unknown pixel in", line);
      row += *c;
    }
    if (!rows.empty() && row.size() != rows[0].size()) reject(drawing, "another width", line);
    rows.push_back(row);
  }
  return rows;
}

DrawnMask read(const Drawing& drawing) {
  const std::vector<std::string> rows = pixel_rows(drawing);
  const int left = drawing.left(), width = left + int(rows[0].size());
  const int top = drawing.top(), height = top + int(rows.size());
  const Bytes empty(width, height);
  DrawnMask mask{drawing.name, width, height, {empty, empty}, std::vector<Bytes>(10, empty), empty};
  for (int y = top; y < height; y++) {
    for (int x = left; x < width; x++) {
      const char pixel = rows[std::size_t(y - top)][std::size_t(x - left)];
      if (pixel == '.') continue;
      mask.candidates.candidate.row(y)[x] = 1;
      if (pixel == 'o') continue;
      mask.stable.row(y)[x] = 1;
      const int taken_by = pixel == 'X' ? 0 : pixel - '0';
      for (int k = taken_by; k <= 9; k++) mask.expected[std::size_t(k)].row(y)[x] = 1;
    }
  }
  mask.candidates.strong = mask.expected[0];
  return mask;
}

}  // namespace

std::vector<DrawnMask> drawn_masks() {
  std::vector<DrawnMask> masks;
  for (const Drawing& drawing : kDrawings) masks.push_back(read(drawing));
  return masks;
}

}  // namespace reference
