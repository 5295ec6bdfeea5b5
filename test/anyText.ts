import fc from 'fast-check';

const unit = fc.nat(0x10ffff - 0x800).map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800));

/** Text of any code points, as of the unit 'binary' of fast-check, which takes a second of CPU to prepare what tests don't need. */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.string({ unit, ...(maxLength === undefined ? {} : { maxLength }) });
}
