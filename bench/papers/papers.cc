// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the sizes and detectors of the tables of five papers, and prints the tables.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "check.h"
#include "papers_measure.h"
#include "papers_tables.h"

namespace {

const char kUsage[] = R"(usage: papers [OPTION]...
       papers --markdown FILE...

Measures the sizes and detectors of five papers' tables. docs/internals/papers.md explains the tables. The
exit status is 1 if an output is wrong, and 2 after a wrong argument.

  --backends LIST  cuda, cpu (all that the machine has), or opencl=DEVICE with the number or a part
                   of the name of the device
  --threads N      threads of the CPU backend, 0 = one for each core (0)
  --tiles FOLDER   photographs made by tests/pictures/tiles; without it, drawn pictures
  --json FILE      writes the figures to FILE, times in microseconds
  --markdown       prints the tables; with FILEs that --json wrote, those of the FILEs
  --quick          only sizes up to 512x512, with few repetitions
  --help
)";

void set_backends(const std::string& list, papers::Settings* settings) {
  using canny::Backend;
  const std::string opencl = "opencl=";
  if (list == "cuda")
    settings->backends = {Backend::kCuda};
  else if (list == "cpu")
    settings->backends = {Backend::kCpu};
  else if (list == "cuda,cpu" || list == "cpu,cuda")
    settings->backends = {Backend::kCuda, Backend::kCpu};
  else if (list.rfind(opencl, 0) == 0)
    settings->backends = {Backend::kOpenCl};
  else
    bench::refuse(list, "is not cuda, cpu, cuda,cpu or opencl=DEVICE");
  if (settings->backends[0] == Backend::kOpenCl)
    settings->opencl_device = list.substr(opencl.size());
}

}  // namespace

int main(int argc, char** argv) try {
  papers::Settings settings;
  std::string json;
  bool markdown = false, help = false;
  const std::vector<std::string> files = bench::read_arguments(
      argc, argv,
      {{"--backends", [&](const std::string& list) { set_backends(list, &settings); }},
       {"--threads", bench::store(&settings.threads, 0, canny::kMaxThreads)},
       {"--tiles", bench::store(&settings.tiles)},
       {"--json", bench::store(&json)}},
      {{"--markdown", &markdown}, {"--quick", &settings.quick}, {"--help", &help}});
  if (help) return std::fputs(kUsage, stdout) < 0;
  if (!files.empty() && !markdown) throw std::invalid_argument("a FILE needs --markdown");
  papers::Recording recording;
  for (const std::string& file : files) read(file, &recording);
  if (files.empty()) measure(settings, &recording);
  if (!json.empty()) write(recording, json);
  if (markdown) print(recording);
} catch (const std::invalid_argument& wrong) {
  bench::fail(wrong.what(), 2);
}
