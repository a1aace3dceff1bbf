// SPDX-License-Identifier: LGPL-2.1-or-later
// A file a key: a line with the numbers of bytes and a checksum, the key, and the value. Files are
// written under another name and renamed, so that readers see whole ones.
#include "opencl/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace canny::opencl {
namespace {

// The 64-bit hash FNV-1a. It names files and finds damage; the key itself is compared.
std::uint64_t hash(const std::string& bytes) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    value ^= static_cast<unsigned char>(byte);
    value *= 0x100000001b3;
  }
  return value;
}

// Folders of relative names do not count, as the XDG Base Directory Specification says.
std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/cudacanny";
  const char* home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache/cudacanny" : "";
}

std::string file_of(const std::string& folder, const std::string& key) {
  char name[32];
  std::snprintf(name, sizeof name, "/%016" PRIx64 ".program", hash(key));
  return folder + name;
}

std::string first_line(const std::string& key, const std::string& value) {
  char line[96];
  std::snprintf(line, sizeof line, "cudacanny 1 %zu %zu %016" PRIx64 "\n", key.size(), value.size(),
                hash(value));
  return line;
}

// The whole file, or an empty string.
std::string read_file(const std::string& path) {
  std::string bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return bytes;
  char part[1 << 16];
  ssize_t count = 0;
  while ((count = read(file, part, sizeof part)) > 0)
    bytes.append(part, static_cast<std::size_t>(count));
  close(file);
  return count < 0 ? "" : bytes;
}

// Closes the file.
bool write_file(int file, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return close(file) == 0 && done == bytes.size();
}

// Makes a folder and those above it.
void make_folders(const std::string& folder) {
  for (std::size_t end = folder.find('/', 1); end != std::string::npos;
       end = folder.find('/', end + 1))
    mkdir(folder.substr(0, end).c_str(), 0700);
  mkdir(folder.c_str(), 0700);
}

}  // namespace

std::string read_cached(const std::string& key) {
  const std::string folder = cache_folder();
  if (folder.empty()) return "";
  const std::string bytes = read_file(file_of(folder, key));
  const std::size_t line = bytes.find('\n') + 1;
  if (line == 0 || bytes.size() < line + key.size()) return "";
  const std::string value = bytes.substr(line + key.size());
  return bytes == first_line(key, value) + key + value ? value : "";
}

void write_cached(const std::string& key, const std::string& value) {
  const std::string folder = cache_folder();
  if (folder.empty()) return;
  make_folders(folder);
  const std::string path = file_of(folder, key);
  std::string part = path + ".XXXXXX";
  const int file = mkostemp(part.data(), O_CLOEXEC);
  if (file < 0) return;
  if (!write_file(file, first_line(key, value) + key + value) ||
      std::rename(part.c_str(), path.c_str()) != 0)
    unlink(part.c_str());
}

}  // namespace canny::opencl
