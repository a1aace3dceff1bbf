// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes records as JSON and reads them with OpenCV.
#include "papers_record.h"

#include <cstdio>
#include <fstream>
#include <opencv2/core.hpp>

namespace papers {
namespace {

Record record_of(const cv::FileNode& node) {
  Record record;
  record.group = std::string(node["group"]);
  record.row = std::string(node["row"]);
  record.backend = std::string(node["backend"]);
  record.width = int(node["width"]);
  record.height = int(node["height"]);
  const cv::FileNode values = node["values"];
  for (const cv::FileNode& value : values) record.values[value.name()] = double(value);
  return record;
}

void read(const cv::FileStorage& file, Recording* recording) {
  const cv::FileNode machines = file["machines"], rows = file["rows"];
  for (const cv::FileNode& machine : machines)
    recording->machines[machine.name()] = std::string(machine);
  for (const cv::FileNode& row : rows) {
    const Record record = record_of(row);
    recording->at(record.group, record.row, record.backend) = record;
  }
}

/// Whether the file begins like JSON. OpenCV also takes other formats, and prints what it misses.
bool is_json(const std::string& path) {
  char first = 0;
  return std::ifstream(path) >> first && first == '{';
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

void write(const Record& record, std::ofstream& file) {
  file << "{\"group\": " << quoted(record.group) << ", \"row\": " << quoted(record.row)
       << ", \"backend\": " << quoted(record.backend) << ", \"width\": " << record.width
       << ", \"height\": " << record.height << ", \"values\": {";
  const char* separator = "";
  for (const auto& [name, value] : record.values) {
    char number[32];
    std::snprintf(number, sizeof number, "%.4f", value);
    file << separator << quoted(name) << ": " << number;
    separator = ", ";
  }
  file << "}}";
}

}  // namespace

const Record* Recording::find(const std::string& group, const std::string& row,
                              const std::string& backend) const {
  for (const Record& record : records)
    if (record.group == group && record.row == row && record.backend == backend) return &record;
  return nullptr;
}

Record& Recording::at(const std::string& group, const std::string& row,
                      const std::string& backend) {
  for (Record& record : records)
    if (record.group == group && record.row == row && record.backend == backend) return record;
  Record record;
  record.group = group;
  record.row = row;
  record.backend = backend;
  return records.emplace_back(record);
}

bool write(const Recording& recording, const std::string& path) {
  std::ofstream file(path);
  file << "{\n\"machines\": {";
  const char* separator = "";
  for (const auto& [backend, machine] : recording.machines) {
    file << separator << quoted(backend) << ": " << quoted(machine);
    separator = ", ";
  }
  file << "},\n\"rows\": [";
  separator = "\n";
  for (const Record& record : recording.records) {
    file << separator;
    write(record, file);
    separator = ",\n";
  }
  file << "\n]\n}\n";
  file.close();
  return bool(file);
}

void read(const std::string& path, Recording* recording, std::string* error) {
  try {
    cv::FileStorage file;
    if (is_json(path) && file.open(path, cv::FileStorage::READ) && file["rows"].isSeq())
      return read(file, recording);
  } catch (const cv::Exception&) {
    // The message below covers it.
  }
  *error = path + " is not a file that papers --json wrote";
}

}  // namespace papers
