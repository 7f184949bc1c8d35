#include "palette.h"

#include <math.h>

static double to_screen(double light) {
  if (light <= 0) return 0;
  if (light >= 1) return 1;
  return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

// Oklab by Björn Ottosson: lightness, and two axes of colour.
static struct colour from_oklab(double lightness, double a, double b) {
  const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return (struct colour){
      .red = to_screen(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
      .green = to_screen(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
      .blue = to_screen(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
  };
}

// Strength and hue (in degrees) at evenly spaced lightness. The strongest colours that a screen
// shows have different hues for dark and light colours, hence the table.
static const struct {
  double chroma, hue;
} way[] = {{0.060, -75}, {0.125, -66}, {0.165, -40}, {0.185, -12}, {0.195, 15},
           {0.190, 34},  {0.172, 55},  {0.155, 78},  {0.100, 102}};

enum { legs = sizeof way / sizeof way[0] - 1 };

struct colour palette(double place) {
  place = place < 0 ? 0 : place > 1 ? 1 : place;
  const double position = place * legs;
  const int leg = position < legs ? (int)position : legs - 1;
  const double part = position - leg;
  const double chroma = way[leg].chroma + part * (way[leg + 1].chroma - way[leg].chroma);
  const double degrees = way[leg].hue + part * (way[leg + 1].hue - way[leg].hue);
  const double hue = degrees * 3.14159265358979323846 / 180;
  return from_oklab(0.19 + 0.77 * place, chroma * cos(hue), chroma * sin(hue));
}
