// SPDX-License-Identifier: LGPL-2.1-or-later
// Fuzzes the element: caps, buffers, properties, events, queries, states and links in any order, on
// the CPU. Every frame that the element pushes is compared with the reference, and every frame that
// it took is pushed unless a flush, a stop or a failure of downstream came in between.
#include <gst/gst.h>

#include <cstdint>

#include "reader.h"
#include "stream.h"

extern "C" {
GST_PLUGIN_STATIC_DECLARE(cudacanny);
}

namespace {

using fuzz::Reader;
using fuzz::Stream;

constexpr int kMaxOperations = 40;

struct Operation {
  int weight;
  void (Stream::*run)(Reader& reader);
};

constexpr Operation kOperations[] = {
    {8, &Stream::push},     {4, &Stream::set_property},  {2, &Stream::set_text},
    {2, &Stream::set_caps}, {1, &Stream::set_any_caps},  {1, &Stream::restrict_output},
    {2, &Stream::send},     {1, &Stream::send_upstream}, {2, &Stream::query},
    {1, &Stream::flush},    {1, &Stream::end},           {1, &Stream::restart},
    {1, &Stream::relink},   {1, &Stream::set_regions},   {1, &Stream::bind},
};

void run_any(Stream& stream, Reader& reader) {
  int all = 0;
  for (const Operation& operation : kOperations) all += operation.weight;
  int left = reader.between(0, all - 1);
  const Operation* operation = kOperations;
  while (left >= operation->weight) left -= (operation++)->weight;
  (stream.*operation->run)(reader);
}

bool start() {
  g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);
  g_setenv("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv("GST_PLUGIN_PATH_1_0", "", TRUE);
  gst_init(nullptr, nullptr);
  // Values that GObject refuses are part of the test.
  g_log_set_default_handler([](const gchar*, GLogLevelFlags, const gchar*, gpointer) {}, nullptr);
  GST_PLUGIN_STATIC_REGISTER(cudacanny);
  return true;
}

}  // namespace

// The suppressions of tests/sanitizers/, which no engine passes to LeakSanitizer.
asm(".pushsection .rodata\n"
    "lsan_suppressions: .incbin \"" LSAN_SUPPRESSIONS
    "\"\n"
    ".byte 0\n"
    ".popsection");
extern "C" const char lsan_suppressions[];
extern "C" const char* __lsan_default_suppressions() { return lsan_suppressions; }
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool is_started = start();
  static_cast<void>(is_started);
  Reader reader(data, size);
  Stream stream(reader);
  for (int i = 0; i < kMaxOperations && !reader.is_at_end(); ++i) run_any(stream, reader);
  stream.finish();
  return 0;
}
