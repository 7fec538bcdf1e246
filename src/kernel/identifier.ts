import type { Clock, Instant } from './clock.ts';
import type { RandomBytes } from './random.ts';

/** `prop_01K3…`: what it is, then when, then chance. Sorts by time of creation. */
export type Identifier<Prefix extends string = string> = `${Prefix}_${string}`;

export type MakeIdentifier = <Prefix extends string>(prefix: Prefix) => Identifier<Prefix>;

// Crockford's alphabet: no I, L, O, U, and in ASCII order, so that ids sort as their bytes do.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeCharacters = 10;
const chanceBytes = 10;
/** Leaves room for eight million ids in one millisecond. */
const stepBytes = 7;

/**
 * Ids of one maker strictly increase, also within a millisecond and when the clock stands still.
 * The random part then goes up by a random step: who knows an id cannot guess the next one, which
 * may be the key of somebody else's lane.
 */
export function createIdentifiers(clock: Clock, random: RandomBytes): MakeIdentifier {
  let lastMs = -1;
  let chance = new Uint8Array(chanceBytes);
  return (prefix) => {
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      chance = Uint8Array.from(random(chanceBytes));
      // Room to count up in: the largest random part could not be followed by another.
      chance[0] = (chance[0] as number) & 0x7f;
    } else {
      goUp(chance, random(stepBytes));
    }
    return `${prefix}_${encodeTime(lastMs)}${encodeBytes(chance)}`;
  };
}

const pattern = /^([a-z]+)_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/;

/** When it was made, by its own word; undefined for what is no identifier of this kind. */
export function identifierTime(text: string, prefix: string): Instant | undefined {
  const [, kind, time = ''] = pattern.exec(text) ?? [];
  if (kind !== prefix) return undefined;
  return Array.from(time).reduce((sum, digit) => sum * 32 + alphabet.indexOf(digit), 0);
}

/** Adds the step and one. */
function goUp(bytes: Uint8Array, step: Uint8Array): void {
  let carry = 1;
  for (let index = bytes.length - 1; index >= 0; index--) {
    const more = step[index - (bytes.length - step.length)] ?? 0;
    const sum = (bytes[index] as number) + more + carry;
    bytes[index] = sum & 0xff;
    carry = sum >> 8;
  }
}

function encodeTime(milliseconds: number): string {
  let rest = milliseconds;
  let text = '';
  for (let position = 0; position < timeCharacters; position++) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Ten bytes are sixteen characters of five bits, with none left over. */
function encodeBytes(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
