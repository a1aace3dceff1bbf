// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints and writes tables.
#include "table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <opencv2/core.hpp>

namespace quality {
namespace {

std::string padded(const std::string& text, std::size_t width, bool is_left) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return is_left ? text + blanks : blanks + text;
}

/// All cells, beginning with the titles.
std::vector<std::vector<std::string>> cells(const Table& table) {
  std::vector<std::vector<std::string>> lines(1, {table.subject});
  for (const Column& column : table.columns) lines[0].push_back(column.title);
  for (const Row& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back(1, row.name);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      line.push_back(text_of(row.values[i], table.columns[i]));
  }
  return lines;
}

std::string text(const Table& table) {
  const auto lines = cells(table);
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string result = table.title + "\n";
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      result += "  " + padded(line[i], widths[i], i == 0);
    result += '\n';
  }
  return result;
}

std::string markdown(const Table& table) {
  std::string result = "### " + table.title + "\n\n";
  const auto lines = cells(table);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& cell : lines[i]) result += "| " + cell + " ";
    result += "|\n";
    if (i > 0) continue;
    result += "|---";
    for (std::size_t column = 1; column < lines[0].size(); ++column) result += "|---:";
    result += "|\n";
  }
  return result;
}

/// The tables one after the other, with an empty line in between.
std::string joined(const std::vector<Table>& tables, std::string (*print)(const Table&)) {
  std::string result;
  for (const Table& table : tables) result += (result.empty() ? "" : "\n") + print(table);
  return result;
}

}  // namespace

std::string text_of(double value, const Column& column) {
  // The small amount keeps a number that binary fractions miss by little.
  const double unit = std::pow(10, column.decimals);
  const double shown =
      column.rounds_down && value < 100 ? std::floor(value * unit + 1e-9) / unit : value;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", column.decimals, shown);
  return text;
}

void add_mean(const std::string& name, Table* table) {
  Row mean{name, std::vector<double>(table->columns.size())};
  for (std::size_t i = 0; i < mean.values.size(); ++i) {
    for (const Row& row : table->rows) mean.values[i] += row.values[i];
    mean.values[i] /= double(table->rows.size());
  }
  table->rows.push_back(mean);
}

std::string text(const std::vector<Table>& tables) { return joined(tables, text); }

std::string markdown(const std::vector<Table>& tables) { return joined(tables, markdown); }

bool write_json(const std::string& path, const std::string& device,
                const std::vector<Table>& tables) {
  cv::FileStorage file(path, cv::FileStorage::WRITE | cv::FileStorage::FORMAT_JSON);
  if (!file.isOpened()) return false;
  file << "device" << device;
  for (const Table& table : tables) {
    file << table.key << "[";
    for (const Row& row : table.rows) {
      file << "{"
           << "name" << row.name;
      for (std::size_t i = 0; i < table.columns.size(); ++i)
        file << table.columns[i].key << row.values[i];
      file << "}";
    }
    file << "]";
  }
  return true;
}

}  // namespace quality
