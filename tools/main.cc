// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tries out the properties of cudacanny on a video.
///
///     cudacanny-tuner [SOURCE]
///
/// SOURCE is a file, a URI, camera:DEVICE or pattern:NAME.
#include <gst/gst.h>
#include <gtk/gtk.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tools/window.h"

namespace {

const char kUsage[] =
    "usage: cudacanny-tuner [SOURCE]\n"
    "SOURCE is a file, a URI, camera:DEVICE or pattern:NAME; by default pattern:smpte.\n";

int fail(const char* message) {
  std::fprintf(stderr, "cudacanny-tuner: %s\n", message);
  return EXIT_FAILURE;
}

int run(const std::string& source) {
  tuner::Session session;
  if (!session.is_valid()) {
    return fail(
        "GStreamer does not find the element cudacanny. Install it, or set GST_PLUGIN_PATH to the "
        "folder of libgstcudacanny.so.");
  }
  tuner::Window window(&session);
  window.source().open(source);
  gtk_main();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "pattern:smpte";
  if (first == "-h" || first == "--help") {
    std::fputs(kUsage, stdout);
    return EXIT_SUCCESS;
  }
  if (argc > 2 || first[0] == '-') {
    std::fputs(kUsage, stderr);
    return 2;
  }
  gst_init(nullptr, nullptr);
  if (!gtk_init_check(nullptr, nullptr)) {
    return fail("There is no display. Start it in a desktop session, or set DISPLAY.");
  }
  return run(first);
}
