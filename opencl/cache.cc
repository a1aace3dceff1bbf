// SPDX-License-Identifier: LGPL-2.1-or-later
// One file per key: a line with the numbers of bytes and a checksum, the key, and the value. Files
// are written under another name and renamed, so that readers see whole ones.
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

// The folder of all caches, or an empty string. Relative paths are ignored, as the XDG Base
// Directory Specification says.
std::string caches() {
  const char* cache = secure_getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return cache;
  const char* home = secure_getenv("HOME");
  return home != nullptr && home[0] == '/' ? std::string(home) + "/.cache" : "";
}

// Whether nobody else can have written it.
bool is_own(const struct stat& about) {
  return about.st_uid == geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The folder of this cache, or an empty string. Makes it and that of all caches if `makes_it`.
std::string cache_folder(bool makes_it) {
  const std::string all = caches();
  if (all.empty()) return "";
  std::string folder = all + "/cudacanny";
  if (makes_it) {
    mkdir(all.c_str(), 0700);
    mkdir(folder.c_str(), 0700);
  }
  struct stat about;
  const bool is_folder = lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
  return is_folder && is_own(about) ? folder : "";
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
  constexpr off_t kMost = 64 << 20;
  std::string bytes;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return bytes;
  struct stat about;
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && is_own(about) &&
      about.st_size <= kMost) {
    bytes.resize(static_cast<std::size_t>(about.st_size));
    if (read(file, bytes.data(), bytes.size()) != about.st_size) bytes.clear();
  }
  close(file);
  return bytes;
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

}  // namespace

std::string read_cached(const std::string& key) {
  const std::string folder = cache_folder(false);
  if (folder.empty()) return "";
  const std::string bytes = read_file(file_of(folder, key));
  const std::size_t line = bytes.find('\n') + 1;
  if (line == 0 || bytes.size() < line + key.size()) return "";
  const std::string value = bytes.substr(line + key.size());
  return bytes == first_line(key, value) + key + value ? value : "";
}

void write_cached(const std::string& key, const std::string& value) {
  const std::string folder = cache_folder(true);
  if (folder.empty()) return;
  const std::string path = file_of(folder, key);
  std::string part = path + ".XXXXXX";
  const int file = mkostemp(part.data(), O_CLOEXEC);
  if (file < 0) return;
  if (!write_file(file, first_line(key, value) + key + value) ||
      std::rename(part.c_str(), path.c_str()) != 0)
    unlink(part.c_str());
}

}  // namespace canny::opencl
