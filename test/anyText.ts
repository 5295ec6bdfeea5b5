import fc from 'fast-check';

/** Text of any code points, as of the unit 'binary' of fast-check, which takes a second of CPU to prepare what tests don't need. */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.nat(0x10ffff - 0x800).map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800)),
});
