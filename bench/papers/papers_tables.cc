// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints the tables.
#include "papers_tables.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace papers {
namespace {

/// Three significant digits, without an exponent.
std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  const int exponent = std::atoi(std::strchr(text, 'e') + 1);
  std::snprintf(text, sizeof text, "%.*f", std::clamp(2 - exponent, 0, 5), value);
  return text;
}

/// The record of a row on a backend or, without a backend, the first one of the row.
const Record* find(const Recording& recording, const Table& table, const std::string& row,
                   const std::string& backend) {
  if (!backend.empty()) return recording.find(table.group, row, backend);
  for (const auto& [any, machine] : recording.machines)
    if (const Record* record = recording.find(table.group, row, any)) return record;
  return nullptr;
}

std::string cell(const Recording& recording, const Table& table, const std::string& row,
                 const Column& column) {
  const Record* record = find(recording, table, row, column.backend);
  if (!record) return "-";
  const auto value = record->values.find(column.value);
  return value == record->values.end() ? "-" : figure(value->second / column.unit);
}

void print(const Recording& recording, const Table& table) {
  std::vector<Column> columns;
  for (const Column& column : table.columns)
    if (*column.backend == '\0' || recording.machines.count(column.backend) > 0)
      columns.push_back(column);

  std::printf("<!-- %s -->\n\n| %s |", table.name.c_str(), table.head.c_str());
  for (const Column& column : columns) std::printf(" %s |", column.title);
  std::printf("\n|");
  const auto printed =
      static_cast<std::size_t>(std::count(table.head.begin(), table.head.end(), '|')) + 1;
  for (std::size_t i = 0; i < printed + columns.size(); ++i) std::printf("---|");
  std::printf("\n");
  const std::vector<std::string> names = row_names(table);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("| %s |", table.rows[i].c_str());
    for (const Column& column : columns)
      std::printf(" %s |", cell(recording, table, names[i], column).c_str());
    std::printf("\n");
  }
  std::printf("\n");
}

}  // namespace

std::vector<std::string> row_names(const Table& table) {
  std::vector<std::string> names;
  for (const std::string& row : table.rows) names.push_back(row.substr(0, row.find(" | ")));
  return names;
}

void print(const Recording& recording) {
  std::printf("<!-- machines -->\n\n| backend | machine; pictures |\n|---|---|\n");
  for (const auto& [backend, machine] : recording.machines)
    std::printf("| %s | %s |\n", backend.c_str(), machine.c_str());
  std::printf("\n");
  for (const Table& table : tables()) print(recording, table);
}

}  // namespace papers
