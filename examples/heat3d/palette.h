// Colours for quantities: from dark violet through red and orange to a pale yellow.
#pragma once

struct colour {
  double red, green, blue;  // from 0 to 1, as a screen takes them
};

// Equal steps of `place`, from 0 to 1, look equally large, also in grey and to the colour-blind:
// lightness rises evenly in the perceptual colour space Oklab.
struct colour palette(double place);
