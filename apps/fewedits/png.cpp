// SPDX-License-Identifier: MIT
#include "png.hpp"

#include "fewedits/base/error.hpp"
#ifdef FEWEDITS_WITH_RSVG
#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#endif

namespace fewedits::cli {

#ifdef FEWEDITS_WITH_RSVG
namespace {

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

cairo_status_t append(void* out, const unsigned char* bytes, unsigned int size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

void check_png() {}

std::string png_of_svg(const std::string& svg, int width) {
  const std::unique_ptr<RsvgHandle, Release> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), nullptr));
  double natural_width = 0;
  double natural_height = 0;
  if (!handle || rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &natural_width,
                                                          &natural_height) == FALSE) {
    throw Error("librsvg cannot read the picture", "use --format svg");
  }
  const int height = static_cast<int>(std::ceil(width * natural_height / natural_width));
  const std::unique_ptr<cairo_surface_t, Release> surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
  const std::unique_ptr<cairo_t, Release> context(cairo_create(surface.get()));
  const RsvgRectangle page{0, 0, static_cast<double>(width), static_cast<double>(height)};
  std::string out;
  if (rsvg_handle_render_document(handle.get(), context.get(), &page, nullptr) == FALSE ||
      cairo_surface_write_to_png_stream(surface.get(), append, &out) != CAIRO_STATUS_SUCCESS) {
    throw Error("librsvg cannot paint the picture", "use --format svg, or a smaller --width");
  }
  return out;
}

#else

void check_png() {
  throw Error("PNG needs librsvg, which this build leaves out",
              "use --format svg, or install librsvg2-dev and build again");
}

std::string png_of_svg(const std::string& /*svg*/, int /*width*/) {
  check_png();
  return {};
}

#endif

}  // namespace fewedits::cli
