// A function whose frame has another size in each plug-in made of this file.

extern "C" void call_in_a_frame(void (*body)()) {
  volatile char large[FRAME_BYTES];
  large[0] = 1;
  body();
  large[FRAME_BYTES - 1] = large[0];
}
