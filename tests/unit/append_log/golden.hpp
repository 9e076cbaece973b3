#pragma once

/// \file
/// The example of docs/formats/append-log.md, to the letter. It was not made by the encoder.

namespace sluice::append_log {

/// The first 44 bytes of the segment's header, and its crc.
inline constexpr const char* kGoldenSegmentHeader = R"(
53 4c 53 47                                      magic
00 00 00 01                                      version
00 00 00 00 00 00 00 01                          segment 1
00 00 00 01                                      generation 1
00 00 00 00                                      no frame before
00 00 00 00 00 00 00 01                          first sequence 1
00 00 01 8b cf e5 68 00                          1,700,000,000,000
5a 17 5a 17                                      salt; 2,000 zeros follow
20 d7 76 17                                      crc; all of this once more follows
)";

inline constexpr const char* kGoldenFrame = R"(
53 4c 46 52                                      magic
00 00 00 98                                      frame of 152 bytes
00 00 00 00 00 00 00 01                          sequence 1
00 00 01 8b cf e5 68 00                          1,700,000,000,000
00 00 00 00 00 00 00 00                          nothing was synced yet
00 00 00 00 00 00 00 00                          epoch
00 00 00 01                                      generation 1
20 d7 76 17                                      crc of the segment header
00 00 00 02                                      2 operations
00 00 00 57                                      of 87 bytes
00 00 00 00                                      reserved
13 f8 a5 31                                      crc
01 00 00 00                                      append
00 00 00 49                                      of 73 bytes
0e e3 03 4b                                      crc
00 00 00 02                                      payload of 2 bytes
00 00 00 00 00 00 00 01                          position 1
00 00 01 8b cf e5 68 00                          1,700,000,000,000
00 00 00 00 00 00 00 07                          tag hash 7
00 00 00 01                                      offset count 1
00 01                                            1 log
00 00                                            reserved
00 00 00 01                                      1 index key
00 00 00 00 00 00 00 05                          log 5
00 00 00 00 00 00 00 00                          offset 0 in it
00 01                                            index key of 1 byte
6b                                               k
68 69                                            hi
02 00 00 00                                      put
00 00 00 0e                                      of 14 bytes
00 00 00 01                                      key of 1 byte
61                                               a
62                                               b
00                                               padding
)";

}  // namespace sluice::append_log
