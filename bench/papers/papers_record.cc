// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes records as JSON and reads them with OpenCV.
#include "papers_record.h"

#include <fstream>
#include <iomanip>
#include <opencv2/core.hpp>

#include "check.h"
#include "json.h"

namespace papers {
namespace {

void write(const Record& record, std::ofstream& file) {
  file << "{\"group\": " << std::quoted(record.group) << ", \"row\": " << std::quoted(record.row)
       << ", \"backend\": " << std::quoted(record.backend) << ", \"width\": " << record.width
       << ", \"height\": " << record.height << ", \"values\": {" << std::fixed
       << std::setprecision(4);
  const char* separator = "";
  for (const auto& [name, value] : record.values) {
    file << separator << std::quoted(name) << ": " << value;
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
  if (const Record* record = find(group, row, backend)) return records[record - records.data()];
  return records.emplace_back(Record{group, row, backend, 0, 0, {}});
}

void write(const Recording& recording, const std::string& path) {
  std::ofstream file(path);
  file << "{\n\"machines\": {";
  const char* separator = "";
  for (const auto& [backend, machine] : recording.machines) {
    file << separator << std::quoted(backend) << ": " << std::quoted(machine);
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
  if (!file) bench::fail("can't write " + path);
}

void read(const std::string& path, Recording* recording) {
  cv::FileStorage file;
  if (!bench::open_json(path, &file))
    bench::fail(path + " is not a file that papers --json wrote", 2);
  for (const cv::FileNode& machine : file["machines"])
    recording->machines[machine.name()] = std::string(machine);
  for (const cv::FileNode& node : file["rows"]) {
    Record& record = recording->at(node["group"], node["row"], node["backend"]);
    record.width = int(node["width"]);
    record.height = int(node["height"]);
    for (const cv::FileNode& value : node["values"]) record.values[value.name()] = double(value);
  }
}

}  // namespace papers
