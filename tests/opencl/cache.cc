// SPDX-License-Identifier: LGPL-2.1-or-later
// The cache of compiled programs: what it finds, damaged files, folders that can't be written,
// several writers at once; and programs that come out of it, on each OpenCL device.
#include "opencl/cache.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "opencl/queue.h"
#include "stages/harness.h"

namespace {

namespace fs = std::filesystem;
using canny::opencl::read_cached;
using canny::opencl::write_cached;

harness::Tally tally;

void check(bool is_right, const std::string& what) {
  tally.count(canny::Backend::kAuto, what, is_right ? "" : "it is not so");
}

void set_folders(const char* cache, const char* home) {
  cache != nullptr ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME");
  home != nullptr ? setenv("HOME", home, 1) : unsetenv("HOME");
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

const std::string kKey("a key\0of any bytes\n", 19), kValue("a value\0\n\xff", 10);

void check_values(const fs::path& folder) {
  set_folders(folder.c_str(), nullptr);
  check(read_cached(kKey).empty(), "an empty cache");
  write_cached(kKey, kValue);
  check(read_cached(kKey) == kValue, "a value");
  check(read_cached(kKey + "x").empty(), "another key");
  check(files_in(folder).size() == 1 && files_in(folder)[0].parent_path() == folder / "cudacanny",
        "one file");
  write_cached(kKey, "another");
  check(read_cached(kKey) == "another" && files_in(folder).size() == 1, "it is replaced");
}

void check_folders(const fs::path& folder) {
  set_folders("relative", folder.c_str());
  write_cached(kKey, kValue);
  check(read_cached(kKey) == kValue && fs::exists(folder / ".cache/cudacanny"), "the home folder");
  set_folders(nullptr, nullptr);
  write_cached(kKey, kValue);
  check(read_cached(kKey).empty(), "no folder");
  write_file(folder / "file", "");
  set_folders((folder / "file").c_str(), nullptr);
  write_cached(kKey, kValue);
  check(read_cached(kKey).empty(), "a file instead of the folder");
  set_folders((folder / "new").c_str(), nullptr);
  write_cached(kKey, kValue);
  check(read_cached(kKey) == kValue, "a folder that does not exist yet");
  set_folders(nullptr, (folder / "no/home").c_str());
  write_cached(kKey, kValue);
  check(!fs::exists(folder / "no"), "a home folder that does not exist");
}

// What others may write is not read.
void check_owners(const fs::path& folder) {
  set_folders(folder.c_str(), nullptr);
  write_cached(kKey, kValue);
  const fs::path path = files_in(folder).at(0);
  chmod(path.c_str(), 0620);
  check(read_cached(kKey).empty(), "a file that its group may write");
  chmod(path.c_str(), 0600);
  check(read_cached(kKey) == kValue, "a file of its own");
  chmod(path.parent_path().c_str(), 0777);
  check(read_cached(kKey).empty(), "a folder that all may write");
  chmod(path.parent_path().c_str(), 0700);
  fs::rename(path, folder / "moved");
  fs::create_symlink(folder / "moved", path);
  check(read_cached(kKey).empty(), "a link");
  fs::remove(path);
  check(mkfifo(path.c_str(), 0600) == 0 && read_cached(kKey).empty(), "a pipe");
}

// Every damage to the file is found.
void check_damage(const fs::path& folder) {
  set_folders(folder.c_str(), nullptr);
  write_cached(kKey, kValue);
  const fs::path path = files_in(folder).at(0);
  const std::string whole = read_file(path);
  int unnoticed = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write_file(path, damaged);
    unnoticed += !read_cached(kKey).empty();
    write_file(path, whole.substr(0, i));
    unnoticed += !read_cached(kKey).empty();
  }
  write_file(path, whole + "x");
  unnoticed += !read_cached(kKey).empty();
  check(unnoticed == 0, "damage of any byte, and of the length");
  write_cached(kKey, kValue);
  check(read_cached(kKey) == kValue, "it is repaired");
}

// Processes write different values of different sizes, and read whole ones.
void check_writers(const fs::path& folder) {
  constexpr int kProcesses = 4, kRounds = 300;
  set_folders(folder.c_str(), nullptr);
  const auto value_of = [](int process) {
    return std::string(std::size_t{10000} * static_cast<std::size_t>(process + 1),
                       static_cast<char>('a' + process));
  };
  std::set<std::string> values;
  for (int i = 0; i <= kProcesses; ++i) values.insert(value_of(i));
  write_cached(kKey, value_of(0));
  int failed = 0, begun = 0;
  for (int process = 1; process <= kProcesses; ++process) {
    const pid_t child = fork();
    begun += child > 0;
    if (child != 0) continue;
    const std::string own_key = "key of " + std::to_string(process);
    write_cached(own_key, value_of(process));
    bool is_right = read_cached(own_key) == value_of(process);
    for (int round = 0; round < kRounds; ++round) {
      write_cached(kKey, value_of(process));
      is_right &= values.count(read_cached(kKey)) == 1;
    }
    _exit(is_right ? 0 : 1);
  }
  for (int i = 0; i < begun; ++i) {
    int status = 0;
    failed += wait(&status) < 0 || status != 0;
  }
  check(begun == kProcesses && failed == 0, "several processes read and write");
  check(read_cached(kKey) != value_of(0), "one of them was the last");
  check(files_in(folder).size() == 1 + kProcesses, "they leave one file for each key");
}

// Builds a program with a kernel that sets a number, and runs it.
std::string build_and_run(const canny::opencl::Device& device, bool expect_cached) {
  canny::opencl::Queue queue;
  canny::opencl::Program program;
  canny::opencl::Kernel kernel;
  canny::opencl::Buffer number;
  cl_int value = 0;
  const auto all = [&]() -> canny::Status {
    CANNY_TRY(queue.open(device));
    CANNY_TRY(program.build(queue, "kernel void set(global int* p, int v) { *p = v + ADDED; }",
                            "-DADDED=2"));
    CANNY_TRY(kernel.open(queue, program, "set"));
    CANNY_TRY(number.reserve(queue, sizeof value));
    CANNY_TRY(kernel.run(queue, 1, 1, 1, number, cl_int{40}));
    return number.read(queue, &value, sizeof value);
  };
  if (const canny::Status status = all(); !status.ok()) return status.message();
  if (value != 42) return "the kernel set " + std::to_string(value);
  if (program.was_cached() == expect_cached) return "";
  return expect_cached ? "it was compiled again" : "it was in the cache";
}

void check_programs(const fs::path& folder, const canny::opencl::Device& device) {
  set_folders(folder.c_str(), folder.c_str());
  const auto count = [&](const char* what, bool expect_cached) {
    const std::string failure = build_and_run(device, expect_cached);
    tally.count(canny::Backend::kAuto, what + (" on " + device.text()), failure);
    return failure.empty();
  };
  if (!count("a new program", false) || !count("from the cache", true)) return;
  const std::vector<fs::path> files = files_in(folder / "cudacanny");
  check(files.size() == 1, "one file for the program");
  std::string bytes = read_file(files.at(0));
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(files.at(0), bytes);
  count("a damaged file", false);
  count("from the cache again", true);
}

void in_new_folder(const fs::path& folder, const char* name,
                   const std::function<void(const fs::path&)>& check_it) {
  fs::create_directories(folder / name);
  check_it(folder / name);
}

}  // namespace

int main() {
  std::string name = (fs::temp_directory_path() / "cudacanny-cache.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 1;
  const fs::path folder = name;
  in_new_folder(folder, "values", check_values);
  in_new_folder(folder, "folders", check_folders);
  in_new_folder(folder, "owners", check_owners);
  in_new_folder(folder, "damage", check_damage);
  in_new_folder(folder, "writers", check_writers);
  std::vector<canny::opencl::Device> devices;
  if (const canny::Status status = canny::opencl::list_devices(&devices); !status.ok())
    std::printf("no programs: %s\n", status.message().c_str());
  for (std::size_t i = 0; i < devices.size(); ++i)
    in_new_folder(folder, ("device" + std::to_string(i)).c_str(),
                  [&](const fs::path& own) { check_programs(own, devices[i]); });
  fs::remove_all(folder);
  return tally.summary();
}
