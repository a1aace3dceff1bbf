// SPDX-License-Identifier: LGPL-2.1-or-later
// The figures that the papers print, and the columns that stand beside them.
#include "papers_tables.h"

namespace papers {
namespace {

constexpr double kMilliseconds = 1000, kMicroseconds = 1;

// Y. Luo and R. Duraiswami, "Canny edge detection on NVIDIA CUDA", CVPR Workshops, 2008.
Table luo() {
  return {
      "luo",
      "luo",
      "picture | GeForce 8800 GTX | OpenCV, Core2 6600 | Matlab and CUDA | Matlab",
      {"portrait 256x256 | 1.82 | 3.06 | 4.7 | 102", "portrait 512x512 | 3.40 | 8.28 | 8.6 | 408",
       "portrait 1024x1024 | 10.92 | 28.92 | 22.7 | 1706",
       "portrait 2048x2048 | 31.46 | 105.55 | 75.4 | 6726",
       "portrait 3936x3936 | 96.62 | 374.36 | 227.7 | 26020",
       "busy 256x240 | 1.63 | 3.92 | 4.4 | 103", "busy 512x496 | 3.60 | 12.25 | 8.6 | 429",
       "busy 1024x992 | 12.93 | 42.70 | 24.9 | 1827",
       "busy 2048x1968 | 31.46 (?) | 142.70 | 92.1 | 7065",
       "busy 4096x3936 | 153.74 | 454.60 | 309 | 28388"},
      {{"ours, cuda", "cuda", "whole", kMilliseconds},
       {"ours, cuda and copies", "cuda", "with_copies", kMilliseconds},
       {"ours, cpu", "cpu", "whole", kMilliseconds},
       {"ours, cpu, until stable", "cpu", "stable_whole", kMilliseconds},
       {"OpenCV, cpu, until stable", "cpu", "stable_opencv", kMilliseconds}}};
}

Table luo_stages() {
  Table table = luo();
  table.name = "luo-stages";
  table.head = "picture";
  table.rows = row_names(table);
  table.columns = {{"cuda: front", "cuda", "front", kMilliseconds},
                   {"hysteresis", "cuda", "hysteresis", kMilliseconds},
                   {"output", "cuda", "output", kMilliseconds},
                   {"hysteresis, %", "cuda", "hysteresis_percent", 1},
                   {"cpu: front", "cpu", "front", kMilliseconds},
                   {"hysteresis", "cpu", "hysteresis", kMilliseconds},
                   {"output", "cpu", "output", kMilliseconds},
                   {"hysteresis, %", "cpu", "hysteresis_percent", 1}};
  return table;
}

// J. Lam, "Canny filter implementation in CUDA C++", The Cooper Union, 2021.
Table lam() {
  return {"lam",
          "lam",
          "size",
          {"256x256", "512x512", "1024x1024", "2048x2048", "4096x4096"},
          {{"cuda: sigma 1", "cuda", "sigma1_ns_pixel", 1},
           {"2", "cuda", "sigma2_ns_pixel", 1},
           {"3", "cuda", "sigma3_ns_pixel", 1},
           {"4", "cuda", "sigma4_ns_pixel", 1},
           {"cpu: sigma 1", "cpu", "sigma1_ns_pixel", 1},
           {"2", "cpu", "sigma2_ns_pixel", 1},
           {"3", "cpu", "sigma3_ns_pixel", 1},
           {"4", "cpu", "sigma4_ns_pixel", 1}}};
}

Table lam_stages() {
  Table table = lam();
  table.name = "lam-stages";
  table.columns = {{"cuda: front, %", "cuda", "sigma2_front_percent", 1},
                   {"hysteresis, %", "cuda", "sigma2_hysteresis_percent", 1},
                   {"output, %", "cuda", "sigma2_output_percent", 1},
                   {"cpu: front, %", "cpu", "sigma2_front_percent", 1},
                   {"hysteresis, %", "cpu", "sigma2_hysteresis_percent", 1},
                   {"output, %", "cpu", "sigma2_output_percent", 1}};
  return table;
}

// Z. Emrani, S. Bateni and H. Rabbani, "A new parallel approach for accelerating the GPU-based
// execution of edge detection algorithms", J Med Signals Sens 7, 2017.
Table emrani() {
  return {
      "emrani",
      "emrani",
      "detector | GeForce GTX 550 Ti | Matlab, Core i7 3930K | OpenCV",
      {"Canny 64x64 | 1.3967 | 224.085 | 45",        "Canny 128x128 | 2.4928 | 230.195 | 35",
       "Canny 256x256 | 21.7339 | 257.99 | 55",      "Canny 512x512 | 37.3520 | 346 | 59",
       "Canny 1024x1024 | 187.7202 | 754.196 | 81",  "Sobel 64x64 | 0.0673 | 155.237 | 50",
       "Sobel 128x128 | 0.2361 | 190.751 | 45",      "Sobel 256x256 | 0.9170 | 341.331 | 53",
       "Sobel 512x512 | 3.6284 | 938.582 | 45",      "Sobel 1024x1024 | 14.7420 | 3425.117 | (?)",
       "Prewitt 64x64 | 0.0674 | 153.775 | -",       "Prewitt 128x128 | 0.2353 | 190.514 | -",
       "Prewitt 256x256 | 0.9176 | 341.533 | -",     "Prewitt 512x512 | 3.4249 | 940.144 | -",
       "Prewitt 1024x1024 | 14.7376 | 3414.739 | -", "Roberts 64x64 | 0.0335 | 144.713 | -",
       "Roberts 128x128 | 0.1104 | 182.25 | -",      "Roberts 256x256 | 0.4144 | 330.103 | -",
       "Roberts 512x512 | 1.5411 | 931.11 | -",      "Roberts 1024x1024 | 6.7952 | 3385.174 | -"},
      {{"ours, cuda", "cuda", "whole", kMilliseconds},
       {"ours, cuda and copies", "cuda", "with_copies", kMilliseconds},
       {"ours, cpu", "cpu", "whole", kMilliseconds},
       {"OpenCV's Canny, cpu", "cpu", "opencv", kMilliseconds}}};
}

Table live() {
  return {"emrani-live",
          "live",
          "parameter",
          {"thresholds 512x512", "sigma 512x512", "hysteresis passes 512x512", "operator 512x512"},
          {{"cuda: steady, us", "cuda", "steady", kMicroseconds},
           {"changing, us", "cuda", "changing", kMicroseconds},
           {"cpu: steady, us", "cpu", "steady", kMicroseconds},
           {"changing, us", "cpu", "changing", kMicroseconds}}};
}

// H. Jans, A. Danciak and S. Younglove, "Parallel Canny edge detection", project report.
Table jans() {
  return {"jans",
          "jans",
          "size | serial, Ryzen 9 7900 | RTX 3080 Ti | RTX 3080 Ti, steps merged",
          {"256x256 | 3.40105 | 2.14659 | 2.58458", "512x512 | 12.5224 | 3.24771 | 2.00954",
           "1024x1024 | 50.1523 | 4.62378 | 3.61286", "2048x2048 | 167.058 | 7.22093 | 9.12186",
           "4096x4096 | 770.579 | 18.2768 | 13.5706", "4096x6144 | 947.051 | 26.6833 | 19.888"},
          {{"ours, cuda", "cuda", "whole", kMilliseconds},
           {"ours, cuda and copies", "cuda", "with_copies", kMilliseconds},
           {"ours, cpu, one thread", "cpu", "alone", kMilliseconds},
           {"ours, cpu", "cpu", "whole", kMilliseconds}}};
}

Table jans_stages() {
  return {"jans-stages",
          "jans",
          "size | steps 1 to 3 | steps 4 and 5 | cast",
          {"256x256 | 1.607 | 0.226 | 0.065", "512x512 | 2.094 | 0.558 | 0.071",
           "1024x1024 | 2.298 | 1.085 | 0.263", "2048x2048 | 4.023 | 1.854 | 0.006 (?)",
           "4096x4096 | 11.492 | 4.911 | 0.750", "4096x6144 | 16.525 | 6.740 | 1.057"},
          {{"cuda: front", "cuda", "front", kMilliseconds},
           {"hysteresis", "cuda", "hysteresis", kMilliseconds},
           {"output", "cuda", "output", kMilliseconds},
           {"cpu: front", "cpu", "front", kMilliseconds},
           {"hysteresis", "cpu", "hysteresis", kMilliseconds},
           {"output", "cpu", "output", kMilliseconds}}};
}

// Y. Song, C. Li, S. Xiao, Q. Zhou and H. Xiao, "A parallel Canny edge detection algorithm based on
// OpenCL acceleration", PLoS One 19(1), e0292345, 2024.
Table song() {
  return {"song",
          "song",
          "size | OpenCL, GTX 1050 | its speedup",
          {"256x256 | - | -", "512x512 | - | -", "640x480 | 4.37 | -", "720x576 | - | -",
           "990x650 | - | -", "1280x720 | 9.87 | -", "1024x1024 | - | 1.21 over CUDA",
           "2048x1536 | - | -", "3500x3500 | - | 3.96 over OpenMP",
           "7452x8024 | - | 20.68 over serial"},
          {{"ours, cpu, one thread", "cpu", "alone", kMilliseconds},
           {"ours, cpu", "cpu", "whole", kMilliseconds},
           {"speedup over one thread", "cpu", "speedup", 1},
           {"ours, opencl", "opencl", "whole", kMilliseconds},
           {"ours, opencl and copies", "opencl", "with_copies", kMilliseconds},
           {"ours, cuda", "cuda", "whole", kMilliseconds},
           {"ours, cuda and copies", "cuda", "with_copies", kMilliseconds}}};
}

Table song_metrics() {
  Table table = song();
  table.name = "song-metrics";
  table.head = "size";
  table.rows = {"256x256", "512x512", "720x576", "990x650", "1024x1024"};
  table.columns = {{"picture: average gradient", "", "picture_gradient", 1},
                   {"standard deviation", "", "picture_deviation", 1},
                   {"edges: average gradient", "", "edges_gradient", 1},
                   {"standard deviation", "", "edges_deviation", 1}};
  return table;
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {luo(),    luo_stages(),  lam(),  lam_stages(),
                                         emrani(), live(),        jans(), jans_stages(),
                                         song(),   song_metrics()};
  return all;
}

}  // namespace papers
