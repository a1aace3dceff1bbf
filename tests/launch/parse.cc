// SPDX-License-Identifier: LGPL-2.1-or-later
/// Parses a pipeline description: every element must exist and the caps must link. Nothing runs.
///
///     parse ARGUMENT...      the arguments that gst-launch-1.0 would get

#include <gst/gst.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  if (argc < 2) return EXIT_FAILURE;
  GError* error = nullptr;
  auto* arguments = const_cast<const gchar**>(argv + 1);
  GstElement* pipeline =
      gst_parse_launchv_full(arguments, nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!pipeline) {
    std::fprintf(stderr, "%s\n", error->message);
    g_error_free(error);
    return EXIT_FAILURE;
  }
  gst_object_unref(pipeline);
  return EXIT_SUCCESS;
}
