export type Random = () => number;

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

export const below = (random: Random, most: number): number => Math.floor(random() * most);

const bytesMax = 20_000;
const oddBytes = [0, 1, 9, 10, 13, 31, 32, 34, 39, 58, 92, 123, 125, 127, 128, 192, 254, 255];
const oddTexts = [
  ...['0', '-1', '1e999', '9007199254740993', '18446744073709551616', '0.1e-9', 'NaN', 'null'],
  ...['__proto__', 'constructor', 'toString', '../../etc/passwd', '%2e%2e', '${HOME}', '\u0000'],
  ...['\ud800', '\u202e', '😀', '\u001b[2J', '[]', '{}', '""', 'true', ','.repeat(50)],
  ...['['.repeat(200), '{"a":'.repeat(200), 'a'.repeat(5_000)],
];

/** Changes an input in a few places, by what the format knows and by chance. */
export function mutate(
  random: Random,
  base: Buffer,
  { words = [], others = [] }: { words?: readonly string[]; others?: readonly Buffer[] } = {},
): Buffer {
  let bytes = base;
  const texts = [...oddTexts, ...words, ...words];
  for (let change = below(random, 5); change >= 0; change--) {
    bytes = changed(random, bytes, texts, others).subarray(0, bytesMax);
  }
  return bytes;
}

function changed(
  random: Random,
  bytes: Buffer,
  texts: readonly string[],
  others: readonly Buffer[],
): Buffer {
  const at = below(random, bytes.length + 1);
  const to = Math.min(bytes.length, at + below(random, 1 + below(random, 64)));
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  const join = (...parts: (Buffer | string)[]): Buffer =>
    Buffer.concat(parts.map((one) => (typeof one === 'string' ? Buffer.from(one) : one)));
  switch (below(random, 8)) {
    case 0:
      return join(before, after);
    case 1:
      return join(before, part, part, after);
    case 2:
      return join(before, pick(random, texts), after);
    case 3:
      return join(before, Buffer.of(pick(random, oddBytes)), part, after);
    case 4:
      return join(before, Buffer.of(below(random, 256)), after);
    case 5:
      return random() < 0.2 ? before : join(before, pick(random, texts), part, after);
    case 6:
      return withNumber(random, bytes);
    default:
      return join(before, tailOf(random, others), random() < 0.5 ? after : '');
  }
}

function tailOf(random: Random, others: readonly Buffer[]): Buffer {
  const other = others.length === 0 ? Buffer.alloc(0) : pick(random, others);
  return other.subarray(below(random, other.length + 1)).subarray(0, 500);
}

/** Another number in the place of one. */
function withNumber(random: Random, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const numbers = [...text.matchAll(/\d+/g)];
  if (numbers.length === 0) return bytes;
  const { index, 0: digits } = pick(random, numbers);
  const number = pick(random, ['0', '-1', '1', '2147483648', '9'.repeat(25), '1.5', '-0']);
  return Buffer.from(text.slice(0, index) + number + text.slice(index + digits.length), 'latin1');
}
