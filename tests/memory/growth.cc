// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the memory of the process from the kernel, since oneTBB has its own allocator.
#include "growth.h"

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace growth {
namespace {

// At about 7 KiB each, the arenas that oneTBB 2021.8 leaks when they are terminated would add up to
// 20 MiB.
constexpr int kRounds = 3000;
constexpr long kMostKib = 2048;
constexpr int kWarmUp = 300;

}  // namespace

long status_kib(const char* field) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  const std::size_t length = std::strlen(field);
  long kib = -1;
  char line[256];
  while (kib < 0 && std::fgets(line, sizeof line, file) != nullptr) {
    const bool is_found = std::strncmp(line, field, length) == 0 && line[length] == ':';
    if (is_found && std::sscanf(line + length, ": %ld", &kib) != 1) break;
  }
  std::fclose(file);
  return kib;
}

int begin(int argc, char** argv) {
  mallopt(M_ARENA_MAX, 1);
  if (argc == 1) return kRounds;
  const int number = std::atoi(argv[1]);
  if (argc == 2 && number > 0) return number;
  std::fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
  std::exit(2);
}

std::string measure_return(const std::string& what, const std::function<std::string()>& large,
                           const std::function<std::string()>& small) {
  const long before = status_kib("RssAnon");
  if (std::string failure = large(); !failure.empty()) return failure;
  const long between = status_kib("RssAnon");
  if (std::string failure = small(); !failure.empty()) return failure;
  malloc_trim(0);  // what the C library keeps
  const long after = status_kib("RssAnon");
  std::printf("%s: from %ld to %ld, then %ld KiB\n", what.c_str(), before, between, after);
  if (after - before <= (between - before) / 4) return "";
  return std::to_string(after - before) + " KiB stay of " + std::to_string(between - before);
}

std::string measure(const std::string& what, int rounds,
                    const std::function<std::string(int)>& round) {
  long before = -1;
  for (int i = 0; i < kWarmUp + rounds; ++i) {
    if (i == kWarmUp) before = status_kib("RssAnon");
    if (std::string failure = round(i); !failure.empty()) return failure;
  }
  const long after = status_kib("RssAnon");
  if (before < 0 || after < 0) return "the kernel does not report the memory of the process";
  std::printf("%s, %d times: from %ld to %ld KiB\n", what.c_str(), rounds, before, after);
  if (after - before <= kMostKib) return "";
  return "grew by " + std::to_string(after - before) + " KiB, more than " +
         std::to_string(kMostKib);
}

}  // namespace growth
