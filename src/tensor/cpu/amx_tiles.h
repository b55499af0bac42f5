#pragma once

// The matrix registers of AMX, "tiles" (Intel SDM, volume 1, chapter 18): eight of 16 rows of 64 bytes each.
namespace lockstep::cpu {

// Returns whether this process may use tiles and their products of bfloat16: the processor has them, and the kernel,
// which is asked once, makes room for them where it saves a thread's registers. Any thread may call.
bool has_bfloat16_tiles();

// Makes the calling thread's tiles whole, 16 rows of 64 bytes, while it lives. Then they are given up, so that
// switching threads need not save them. Calls of oneDNN in between would change them. REQUIRES: has_bfloat16_tiles()
class WholeTiles {
 public:
  WholeTiles();
  ~WholeTiles();
  WholeTiles(const WholeTiles&) = delete;
  WholeTiles& operator=(const WholeTiles&) = delete;
};

}  // namespace lockstep::cpu
