// SPDX-License-Identifier: LGPL-2.1-or-later
// The program's allocation functions, which wrap those of the C library or of a sanitizer.
#include "failing.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace failing {
namespace {

struct State {
  bool armed = false;
  long calls = 0;
  long failed = 0;
  Fault fault{};
};
thread_local State state;

const char* const* watched = nullptr;
Functions watched_functions = Functions::kAll;

// The plugin, whose other allocations end the process if they fail.
constexpr const char* kPlugin[] = {"/libgstcudacanny.so", nullptr};

bool is_in(void* caller, const char* const* files) {
  Dl_info info;
  if (files == nullptr || dladdr(caller, &info) == 0) return false;
  for (const char* const* file = files; *file != nullptr; ++file)
    if (std::strstr(info.dli_fname, *file) != nullptr) return true;
  return false;
}

// Whether this call is to fail; `caller` is its return address.
bool fails(void* caller, Functions functions = Functions::kAll,
           const char* const* files = watched) {
  if (!state.armed || functions < watched_functions || !is_in(caller, files)) return false;
  ++state.calls;
  const long past_first = state.calls - state.fault.first;
  const bool is_faulty = past_first >= 0 && past_first < state.fault.count;
  state.failed += is_faulty;
  return is_faulty;
}

// Likewise for calls of GLib's functions in the plugin.
bool fails_in_plugin(void* caller) { return fails(caller, Functions::kAll, kPlugin); }

template <class Function>
Function find_next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// The functions behind those below. All are looked up at the first call of any, since a later
// look-up may be inside dlerror(), whose memory it frees.
struct Next {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*mmap)(void*, std::size_t, int, int, int, off_t);

  Next() {
    find("malloc", &malloc);
    find("calloc", &calloc);
    find("realloc", &realloc);
    find("memalign", &memalign);
    find("mmap", &mmap);
  }

  template <class Function>
  static void find(const char* name, Function* function) {
    *function = find_next<Function>(name);
  }
};

const Next& next() {
  static const Next functions;
  return functions;
}

void* out_of_memory() {
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

Failing::Failing(Fault fault) {
  state = {false, 0, 0, fault};
  state.armed = true;
}

Failing::~Failing() { state.armed = false; }

bool Failing::any() const { return state.failed > 0; }

void watch(const char* const* files, Functions functions) {
  watched = files;
  watched_functions = functions;
}

}  // namespace failing

using failing::fails;
using failing::fails_in_plugin;
using failing::find_next;
using failing::out_of_memory;

extern "C" {

void* malloc(std::size_t bytes) {
  return fails(__builtin_return_address(0)) ? out_of_memory() : failing::next().malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  return fails(__builtin_return_address(0)) ? out_of_memory()
                                            : failing::next().calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
  if (fails(__builtin_return_address(0))) return out_of_memory();
  return failing::next().realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  if (fails(__builtin_return_address(0))) return out_of_memory();
  return failing::next().memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (fails(__builtin_return_address(0))) return out_of_memory();
  return failing::next().memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (fails(__builtin_return_address(0))) return ENOMEM;
  *memory = failing::next().memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  if (!fails(__builtin_return_address(0)))
    return failing::next().mmap(address, bytes, protection, flags, file, offset);
  out_of_memory();
  return MAP_FAILED;
}

// GLib's, which the element calls for what may be large. Programs without GLib have none. With
// optimization, g_try_new() calls the first for single bytes.
void* g_try_malloc(std::size_t bytes) {
  static const auto next = find_next<decltype(&g_try_malloc)>("g_try_malloc");
  return fails_in_plugin(__builtin_return_address(0)) ? nullptr : next(bytes);
}

void* g_try_malloc0(std::size_t bytes) {
  static const auto next = find_next<decltype(&g_try_malloc0)>("g_try_malloc0");
  return fails_in_plugin(__builtin_return_address(0)) ? nullptr : next(bytes);
}

void* g_try_malloc_n(std::size_t count, std::size_t bytes) {
  static const auto next = find_next<decltype(&g_try_malloc_n)>("g_try_malloc_n");
  return fails_in_plugin(__builtin_return_address(0)) ? nullptr : next(count, bytes);
}

}  // extern "C"

void* operator new(std::size_t bytes) {
  const bool is_faulty = fails(__builtin_return_address(0), failing::Functions::kNew);
  void* memory = is_faulty ? nullptr : failing::next().malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  const bool is_faulty = fails(__builtin_return_address(0), failing::Functions::kNew);
  return is_faulty ? nullptr : failing::next().malloc(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const bool is_faulty = fails(__builtin_return_address(0), failing::Functions::kNew);
  void* memory =
      is_faulty ? nullptr : failing::next().memalign(static_cast<std::size_t>(alignment), bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
