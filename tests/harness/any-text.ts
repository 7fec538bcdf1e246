import fc from 'fast-check';

const character = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((point) => point < 0xd800 || point > 0xdfff);

/** Any text without lone surrogates. A string of the unit `binary` takes a second to make. */
export function anyText(constraints: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.array(character, constraints).map((points) => String.fromCodePoint(...points));
}
