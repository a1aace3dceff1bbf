// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the caps that the element accepts, offers and chooses.
#include <string>
#include <utility>

#include "fixture.h"

using check::Element;
using check::Owned;

static check::Suite suite("negotiation");

/// The output caps (transfer full) for input caps `in` if downstream allows `allowed` (null =
/// anything); null if there are none.
static GstCaps* negotiate(const char* in, const char* allowed) {
  Element element(0);
  if (allowed != nullptr) gst_harness_set_sink_caps_str(element.harness(), allowed);
  element.send_caps(gst_caps_from_string(in));
  return element.output_caps();
}

static std::string field(const GstCaps* caps, const char* name) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  const GValue* value = gst_structure_get_value(structure, name);
  if (value == nullptr) return "";
  gchar* text = gst_value_serialize(value);
  const std::string copy = text;
  g_free(text);
  return copy;
}

static std::string negotiated(const char* in, const char* allowed, const char* name) {
  const Owned<GstCaps> caps(negotiate(in, allowed));
  fail_unless(caps != nullptr, "no output caps for %s with %s", in, allowed);
  fail_unless(gst_caps_is_fixed(caps.get()));
  return field(caps.get(), name);
}

/// For deep formats, their 8-bit sibling.
PLAIN_TEST(own_format_where_downstream_leaves_the_choice) {
  for (const check::Format& format : check::kFormats) {
    const std::string in =
        std::string("video/x-raw,width=7,height=5,framerate=25/1,format=") + format.name;
    for (const char* allowed :
         {static_cast<const char*>(nullptr), "ANY", "video/x-raw", "video/x-raw,width=[1,100]"}) {
      const std::string out = negotiated(in.c_str(), allowed, "format");
      fail_unless_equals_string(out.c_str(), format.output);
    }
  }
}

/// Without a peer, frames have nowhere to go, but the pad's caps are among those of its template.
PLAIN_TEST(possible_caps_without_downstream) {
  for (const check::Format& format : check::kFormats) {
    GstHarness* harness = gst_harness_new_with_padnames("cudacanny", "sink", nullptr);
    gst_harness_play(harness);
    gst_harness_set_src_caps(harness, check::new_caps(format, 7, 5));
    const Owned<GstPad> pad(gst_element_get_static_pad(harness->element, "src"));
    const Owned<GstCaps> possible(gst_pad_get_pad_template_caps(pad.get()));
    const Owned<GstCaps> caps(gst_pad_get_current_caps(pad.get()));
    fail_unless(caps != nullptr && gst_caps_is_subset(caps.get(), possible.get()), "%s leads to %s",
                format.name, caps ? field(caps.get(), "format").c_str() : "none");
    gst_harness_teardown(harness);
  }
}

/// Caps of the input and of downstream, and a field of the output, "" for none.
struct Choice {
  const char* in;
  const char* allowed;
  const char* out;
};

static void check_choice(const Choice& choice, const std::string& fields, const char* name) {
  const std::string in = "video/x-raw,width=7,height=5,framerate=25/1," + fields;
  const std::string out = negotiated(in.c_str(), choice.allowed, name);
  fail_unless(out == choice.out, "%s with %s gives '%s', expected '%s'", choice.in, choice.allowed,
              out.c_str(), choice.out);
}

// Caps intersection keeps the order of structures, but not the order inside a list.
static const Choice kPreferences[] = {
    {"RGB", "video/x-raw,format={GRAY8,BGRx,RGB}", "RGB"},
    {"RGB", "video/x-raw,format=GRAY8;video/x-raw,format=RGB", "RGB"},
    {"RGB", "video/x-raw,format={BGRx,GRAY8}", "GRAY8"},
    {"RGB", "video/x-raw,format=BGRx;video/x-raw,format=GRAY8", "GRAY8"},
    {"RGB", "video/x-raw,format=BGRA;video/x-raw,format=RGBx", "BGRA"},
    {"RGB", "video/x-raw,format=RGBx;video/x-raw,format=BGRA", "RGBx"},
    {"GRAY8", "video/x-raw,format=xRGB;video/x-raw,format=BGR", "xRGB"},
    {"ABGR", "video/x-raw,format={I420,ABGR}", "ABGR"},
    {"ABGR", "video/x-raw,format={v210,BGR}", "BGR"},
    {"NV12", "video/x-raw,format={I420,NV12,GRAY8}", "NV12"},
    {"NV12", "video/x-raw,format=I420;video/x-raw,format=RGB", "I420"},
    {"P010_10LE", "video/x-raw,format={P010_10LE,I420,NV12}", "NV12"},
    {"P010_10LE", "video/x-raw,format={P010_10LE,I420,GRAY8}", "GRAY8"},
    {"I420_10LE", "video/x-raw,format={I420_10LE,YV12,I420}", "I420"},
    {"GRAY16_LE", "video/x-raw,format={GRAY16_LE,I420,GRAY8}", "GRAY8"},
    {"GRAY16_BE", "video/x-raw,format=YUY2;video/x-raw,format=RGB", "YUY2"},
    {"GRAY16_LE", "video/x-raw,format=GRAY16_LE", "GRAY16_LE"},
    {"v210", "video/x-raw,format={v210,GRAY16_LE}", "GRAY16_LE"},
    {"RGB", "video/x-raw,format={GRAY16_LE,NV12}", "NV12"},
    {"BGR", "video/x-raw,format=BGR", "BGR"},
    {"RGB", "video/x-raw,format=UYVP;video/x-raw,format=BGR", "BGR"},
    {"RGB", "video/x-raw,format=UYVP;video/x-raw,format=r210", "UYVP"},
    {"I422_10LE", "video/x-raw,format={GRAY16_BE,I422_10LE}", "I422_10LE"},
    {"A420", "video/x-raw,format={I420,A420}", "A420"},
    {"A420", "video/x-raw", "A420"},
    {"A444_10LE", "video/x-raw", "AYUV"},
    {"A444_10LE", "video/x-raw,format={A444_10LE,AYUV}", "AYUV"},
    {"A444_10LE", "video/x-raw,format=A444_10LE", "A444_10LE"},
    {"GBRA_12LE", "video/x-raw", "ARGB"},
    {"GRAY10_LE32", "video/x-raw", "GRAY8"},
    {"BGR", "video/x-raw(memory:SystemMemory),format=GRAY8", "GRAY8"},
};

LOOP_TEST(format_among_those_downstream_allows, std::size(kPreferences)) {
  const Choice& choice = kPreferences[__i__];
  check_choice(choice, std::string("format=") + choice.in, "format");
}

// sRGB is the default of RGB, 1:4:0:0 that of GRAY8.
static const Choice kColorimetries[] = {
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw", "1:1:5:1"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,format=BGRx", "1:1:5:1"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,format=BGR,colorimetry={sRGB,1:1:5:1}",
     "1:1:5:1"},
    {"format=RGB,colorimetry=1:1:5:1",
     "video/x-raw,format=RGB,colorimetry=sRGB;video/x-raw,format=RGB,colorimetry=1:1:5:1",
     "1:1:5:1"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,format=BGR,colorimetry={2:1:5:1,sRGB}", "sRGB"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,colorimetry=sRGB", "sRGB"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,colorimetry=2:1:5:1", "2:1:5:1"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,format=RGB,colorimetry={1:1:7:1,2:1:5:1}",
     "1:1:7:1"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,format=GRAY8", ""},
    {"format=RGB,colorimetry=sRGB", "video/x-raw,format=GRAY8,colorimetry={sRGB,1:4:0:0}",
     "1:4:0:0"},
    {"format=RGB,colorimetry=1:1:5:1", "video/x-raw,format=GRAY8,colorimetry={bt601,bt709}",
     "bt601"},
    {"format=GRAY8,colorimetry=bt709", "video/x-raw", "bt709"},
    {"format=GRAY8,colorimetry=bt709", "video/x-raw,format=GRAY8,colorimetry={1:4:0:0,bt709}",
     "bt709"},
    {"format=GRAY8,colorimetry=bt709", "video/x-raw,format=GRAY8,colorimetry={bt601,1:4:0:0}",
     "1:4:0:0"},
    {"format=GRAY8,colorimetry=bt709", "video/x-raw,format=RGB", ""},
    {"format=GRAY8,colorimetry=bt709", "video/x-raw,format=RGB,colorimetry={1:1:5:1,sRGB}", "sRGB"},
    {"format=NV12,colorimetry=bt709", "video/x-raw", "bt709"},
    {"format=NV12,colorimetry=bt709", "video/x-raw,format=I420", "bt709"},
    {"format=NV12,colorimetry=bt709", "video/x-raw,format=YUY2,colorimetry={bt601,bt709}", "bt709"},
    {"format=P010_10LE,colorimetry=bt2020-10", "video/x-raw", "bt2020-10"},
    {"format=NV12,colorimetry=bt709", "video/x-raw,format=RGB", ""},
    {"format=NV12,colorimetry=bt709", "video/x-raw,format=GRAY8", ""},
    {"format=RGB,colorimetry=sRGB", "video/x-raw,format=I420,colorimetry={bt709,bt601}", "bt601"},
    {"format=RGB", "video/x-raw", ""},
    {"format=RGB", "video/x-raw,format=RGB,colorimetry={1:1:5:1,sRGB}", "sRGB"},
};

LOOP_TEST(colorimetry_of_the_output, std::size(kColorimetries)) {
  check_choice(kColorimetries[__i__], kColorimetries[__i__].in, "colorimetry");
}

PLAIN_TEST(other_fields_are_kept) {
  const char* in =
      "video/x-raw,format=RGB,width=7,height=5,framerate=30000/1001,pixel-aspect-ratio=16/11,"
      "interlace-mode=interleaved,field-order=bottom-field-first,multiview-mode=left,views=1,"
      "chroma-site=mpeg2,max-framerate=60/1";
  for (const char* allowed :
       {"video/x-raw,format=RGB", "video/x-raw,format=GRAY8", "video/x-raw"}) {
    const Owned<GstCaps> caps(negotiate(in, allowed));
    fail_unless(caps != nullptr);
    for (const auto& [name, value] : {std::pair{"width", "7"},
                                      {"height", "5"},
                                      {"framerate", "30000/1001"},
                                      {"max-framerate", "60/1"},
                                      {"pixel-aspect-ratio", "16/11"},
                                      {"interlace-mode", "interleaved"},
                                      {"field-order", "bottom-field-first"},
                                      {"multiview-mode", "left"},
                                      {"views", "1"},
                                      {"chroma-site", ""}})
      fail_unless(field(caps.get(), name) == value, "%s", name);
  }
}

PLAIN_TEST(absent_fields_get_their_meaning) {
  const char* in = "video/x-raw,format=RGB,width=7,height=5,framerate=25/1";
  const char* allowed =
      "video/x-raw,format=GRAY8,pixel-aspect-ratio=[1/10,10/1],"
      "interlace-mode={interleaved,progressive}";
  fail_unless(negotiated(in, allowed, "pixel-aspect-ratio") == "1/1");
  fail_unless(negotiated(in, allowed, "interlace-mode") == "progressive");
  fail_unless(negotiated(in, "video/x-raw,format=GRAY8", "pixel-aspect-ratio").empty());
}

PLAIN_TEST(caps_that_can_not_be_met) {
  const char* in = "video/x-raw,format=RGB,width=7,height=5,framerate=25/1";
  for (const char* allowed :
       {"video/x-raw,format=ENCODED", "video/x-raw,format=RGB,width=8",
        "video/x-raw,format=RGB,framerate=24/1", "video/x-raw,format=RGB,interlace-mode=alternate",
        "video/x-raw(memory:CUDAMemory),format=RGB", "audio/x-raw"}) {
    Element element(0);
    gst_harness_set_sink_caps_str(element.harness(), allowed);
    element.send_caps(gst_caps_from_string(in));
    fail_unless(element.output_caps() == nullptr, "accepted with %s", allowed);
    const check::Layout layout = check::plain_layout(check::kRgb, 7, 5);
    fail_unless_equals_int(element.push(check::new_picture(layout, 1)), GST_FLOW_NOT_NEGOTIATED);
    fail_unless(element.pull() == nullptr);
  }
}

/// The caps of the two pads: `accepted` on the sink pad, `given` on the source pad.
struct Acceptance {
  const char* caps;
  bool accepted, given;
};

static const Acceptance kAcceptances[] = {
    {"video/x-raw,format=RGB,width=1,height=1,framerate=0/1", true, true},
    {"video/x-raw,format=RGB,width=16384,height=16384,framerate=0/1", true, true},
    {"video/x-raw,format=RGB,width=2,height=2", true, true},
    {"video/x-raw,width=2,height=2,framerate=0/1", false, false},
    {"video/x-raw,format=RGB,height=2,framerate=0/1", false, false},
    {"video/x-raw,format=RGB,width=16385,height=1,framerate=0/1", false, false},
    {"video/x-raw,format=RGB,width=1,height=16385,framerate=0/1", false, false},
    {"video/x-raw,format=RGB,width=0,height=1,framerate=0/1", false, false},
    {"video/x-raw,format=I420,width=2,height=2,framerate=0/1", true, true},
    {"video/x-raw,format=RGB16,width=2,height=2,framerate=0/1", true, true},
    {"video/x-raw,format=GBR_10LE,width=2,height=2,framerate=0/1", true, true},
    {"video/x-raw,format=GRAY16_LE,width=2,height=2,framerate=0/1", true, true},
    {"video/x-raw,format=GRAY16_BE,width=2,height=2,framerate=0/1", true, true},
    {"video/x-raw,format=v210,width=2,height=2,framerate=0/1", true, true},
    {"video/x-raw,format=ENCODED,width=2,height=2,framerate=0/1", false, false},
    {"video/x-raw(memory:CUDAMemory),format=A420,width=2,height=2,framerate=0/1", false, false},
    {"video/x-raw(memory:CUDAMemory),format=RGB,width=2,height=2,framerate=0/1", false, false},
    {"video/x-raw(format:Interlaced),format=RGB,width=2,height=2,framerate=25/1,"
     "interlace-mode=alternate",
     false, false},
    {"image/jpeg,width=2,height=2,framerate=0/1", false, false},
};

LOOP_TEST(caps_that_are_accepted, std::size(kAcceptances)) {
  const Acceptance& acceptance = kAcceptances[__i__];
  Element element(0);
  for (const bool is_sink : {true, false}) {
    const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), is_sink ? "sink" : "src"));
    const Owned<GstCaps> caps(gst_caps_from_string(acceptance.caps));
    fail_unless_equals_int(gst_pad_query_accept_caps(pad.get(), caps.get()),
                           is_sink ? acceptance.accepted : acceptance.given);
  }
}

/// Whatever downstream accepts, there is no format.
PLAIN_TEST(no_cuda_memory_on_the_cpu) {
  for (const char* allowed : {"ANY", "video/x-raw;video/x-raw(memory:CUDAMemory)"}) {
    Element element(0);
    gst_harness_set_sink_caps_str(element.harness(), allowed);
    for (const char* name : {"sink", "src"}) {
      const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), name));
      const Owned<GstCaps> offered(gst_pad_query_caps(pad.get(), nullptr));
      fail_if(gst_caps_is_empty(offered.get()), "the %s pad offers nothing", name);
      for (const check::Format& format : check::kFormats) {
        const Owned<GstCaps> caps(check::new_caps(format, 64, 48));
        gst_caps_set_features_simple(caps.get(),
                                     gst_caps_features_new("memory:CUDAMemory", nullptr));
        fail_if(gst_caps_can_intersect(offered.get(), caps.get()), "the %s pad offers %s", name,
                format.name);
        fail_if(gst_pad_query_accept_caps(pad.get(), caps.get()), "the %s pad accepts %s", name,
                format.name);
      }
    }
  }
}

PLAIN_TEST(what_is_offered_upstream) {
  Element element(0);
  gst_harness_set_sink_caps_str(
      element.harness(),
      "video/x-raw,format=GRAY8,width=64,height=48,colorimetry=bt709;video/x-raw,format=ENCODED");
  const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), "sink"));
  Owned<GstCaps> caps(gst_pad_query_caps(pad.get(), nullptr));
  // Downstream's own caps first, then all formats at its size, in any colorimetry.
  fail_unless(field(caps.get(), "format") == "GRAY8");
  for (const check::Format& format : check::kFormats) {
    const Owned<GstCaps> wanted(check::new_caps(format, 64, 48));
    gst_caps_set_simple(wanted.get(), "colorimetry", G_TYPE_STRING, "sRGB", nullptr);
    fail_unless(gst_caps_is_subset(wanted.get(), caps.get()), "%s is not offered", format.name);
    gst_caps_set_simple(wanted.get(), "width", G_TYPE_INT, 65, nullptr);
    fail_if(gst_caps_can_intersect(wanted.get(), caps.get()), "%s is offered at another size",
            format.name);
  }

  const Owned<GstCaps> filter(gst_caps_from_string("video/x-raw,format={RGB,ENCODED}"));
  caps.reset(gst_pad_query_caps(pad.get(), filter.get()));
  fail_unless(gst_caps_is_subset(caps.get(), filter.get()));
  fail_unless(field(caps.get(), "format") == "RGB" && field(caps.get(), "width") == "64");
}
