/**
 * CRC-32C (Castagnoli), reflected polynomial 0x82F63B78.
 *
 * A CRC is chained through its value: `crc32c(b, crc32c(a))` is the CRC of `a ‖ b`, and 0 is the CRC of nothing.
 */

/** CRC of `bytes` appended to whatever `crc` (default 0) already covers; unsigned. */
export type Crc32c = (bytes: Uint8Array, crc?: number) => number;
