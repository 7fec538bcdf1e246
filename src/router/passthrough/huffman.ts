/**
 * How many bits each byte takes in the code of RFC 7541, appendix B, as digits of base 36. The code
 * is canonical: shorter codes first, and those of one length in the order of their bytes.
 */
const bitLengths =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca' +
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq';
const bitsMax = 30;

interface CodesOfLength {
  readonly first: number;
  readonly bytes: readonly number[];
}

const codes: readonly CodesOfLength[] = makeCodes();

function makeCodes(): CodesOfLength[] {
  const made: CodesOfLength[] = [{ first: 0, bytes: [] }];
  for (let length = 1; length <= bitsMax; length++) {
    const shorter = made[length - 1] as CodesOfLength;
    const bytes = [...bitLengths].flatMap((digit, byte) =>
      Number.parseInt(digit, 36) === length ? [byte] : [],
    );
    made.push({ first: (shorter.first + shorter.bytes.length) * 2, bytes });
  }
  return made;
}

/** What is left at the end is padding. Undefined when a code is unknown. */
export function decodeHuffman(coded: Buffer): string | undefined {
  let [text, code, length] = ['', 0, 0];
  for (const byte of coded) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      const { first, bytes } = codes[++length] ?? {};
      if (first === undefined) return undefined;
      const decoded = bytes?.[code - first];
      if (decoded === undefined) continue;
      text += String.fromCharCode(decoded);
      code = 0;
      length = 0;
    }
  }
  return text;
}
