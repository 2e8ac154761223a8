import * as fc from 'fast-check';

/**
 * Any character that UTF-8 has, as the unit of a string. The library's own unit `binary` has a table of all of them, which
 * costs every process a second and a hundred megabytes.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
