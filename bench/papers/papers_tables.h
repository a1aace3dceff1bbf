// SPDX-License-Identifier: LGPL-2.1-or-later
// The tables of the papers: printed figures, and the measured ones beside them.
#pragma once

#include <string>
#include <vector>

#include "papers_record.h"

namespace papers {

/// A column of measured figures.
struct Column {
  const char* title;
  const char* backend;  ///< empty = any
  const char* value;    ///< its name in Record::values
  double unit;          ///< the figure is the value divided by this
};

struct Table {
  std::string name, group;
  std::string head;               ///< the titles of the printed columns, with | between them
  std::vector<std::string> rows;  ///< the printed cells, likewise; the first one is the row's name
  std::vector<Column> columns;
};

/// The first cells of all rows.
std::vector<std::string> row_names(const Table& table);

/// The tables of all papers. The first one of a group has its name and all its rows.
const std::vector<Table>& tables();

/// Prints the tables in Markdown, each after a line `<!-- NAME -->`, and the machines. Columns of
/// backends that were not measured are left out; a figure that is missing is "-".
void print(const Recording& recording);

}  // namespace papers
