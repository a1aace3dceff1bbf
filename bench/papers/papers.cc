// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the sizes and detectors of the tables of five papers, and prints the tables.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

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

struct Options {
  papers::Settings settings;
  std::string json;
  std::vector<std::string> files;
  bool markdown = false, help = false;
};

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
    throw std::invalid_argument("--backends: \"" + list +
                                "\" is not cuda, cpu, cuda,cpu or opencl=DEVICE");
  if (settings->backends[0] == Backend::kOpenCl)
    settings->opencl_device = list.substr(opencl.size());
}

unsigned threads(const std::string& text) {
  if (text.size() > 4 || text.find_first_not_of("0123456789") != std::string::npos ||
      std::stoul(text) > 1024)
    throw std::invalid_argument("--threads: \"" + text + "\" is not a number from 0 to 1024");
  return static_cast<unsigned>(std::stoul(text));
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size() || arguments[i + 1].empty())
        throw std::invalid_argument(name + " needs a value");
      return arguments[++i];
    };
    if (name == "--backends")
      set_backends(value(), &options.settings);
    else if (name == "--threads")
      options.settings.threads = threads(value());
    else if (name == "--tiles")
      options.settings.tiles = value();
    else if (name == "--json")
      options.json = value();
    else if (name == "--markdown")
      options.markdown = true;
    else if (name == "--quick")
      options.settings.quick = true;
    else if (name == "--help")
      options.help = true;
    else if (name.empty() || name[0] == '-')
      throw std::invalid_argument("unknown option \"" + name + "\"; --help lists them");
    else
      options.files.push_back(name);
  }
  if (!options.files.empty() && !options.markdown)
    throw std::invalid_argument("a FILE needs --markdown");
  return options;
}

int fail(const std::string& error, int status) {
  std::fprintf(stderr, "papers: %s\n", error.c_str());
  return status;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = parse({argv + 1, argv + argc});
  if (options.help) return std::fputs(kUsage, stdout) < 0;
  papers::Recording recording;
  std::string error;
  for (const std::string& file : options.files) {
    papers::read(file, &recording, &error);
    if (!error.empty()) return fail(error, 2);
  }
  if (options.files.empty() && !measure(options.settings, &recording, &error))
    return fail(error, 1);
  if (!options.json.empty() && !write(recording, options.json))
    return fail("can't write " + options.json, 1);
  if (options.markdown) print(recording);
  return 0;
} catch (const std::invalid_argument& wrong) {
  return fail(wrong.what(), 2);
}
