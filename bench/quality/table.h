// SPDX-License-Identifier: LGPL-2.1-or-later
// Tables of numbers, as text, as Markdown and as JSON.
#pragma once

#include <string>
#include <vector>

namespace quality {

struct Column {
  std::string key;    ///< in JSON: letters, digits and _
  std::string title;  ///< elsewhere
  int decimals;
  bool rounds_down = false;  ///< so that a share is 100 only if it is complete
};

struct Row {
  std::string name;
  std::vector<double> values;  ///< one for each column
};

struct Table {
  std::string key;      ///< in JSON
  std::string title;    ///< elsewhere
  std::string subject;  ///< what the name of a row is
  std::vector<Column> columns;
  std::vector<Row> rows;
};

/// A number as the column shows it.
std::string text_of(double value, const Column& column);

/// Adds a row of means under this name. The table has a row.
void add_mean(const std::string& name, Table* table);

/// The tables in columns of the same width.
std::string text(const std::vector<Table>& tables);

/// The tables in Markdown, each under a heading.
std::string markdown(const std::vector<Table>& tables);

/// Writes a JSON object with the device and, for each table, an array of objects with the name of
/// the row and a number for each column. Returns whether the file was written.
bool write_json(const std::string& path, const std::string& device,
                const std::vector<Table>& tables);

}  // namespace quality
