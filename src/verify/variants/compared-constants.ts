/** By the name of a field in lower case, the numbers that code compares it with. */
export type ComparedConstants = ReadonlyMap<string, readonly number[]>;

const number = String.raw`\d[\d_]*(?:\.\d+)?`;
const operand = String.raw`(?:[A-Za-z_$][\w$]*(?:\??\.|::|->))*([A-Za-z_$][\w$]*|${number})`;
const comparison = new RegExp(
  String.raw`${operand}\)?\s*(?:<=?|>=?|={2,3}|!={1,2})\s*\(?${operand}`,
  'g',
);
const ofDigits = new RegExp(`^${number}$`);
const valuesMax = 6;

/**
 * Pure: what all files of a service compare fields with, `amount >= LIMIT` as well as
 * `10_000 < order.amount`. A changed line that touches a field moves it across constants that stand
 * in another file.
 */
export function comparedConstants(files: readonly string[]): ComparedConstants {
  const constants = new Map(files.flatMap(definedIn));
  const found = new Map<string, Set<number>>();
  const note = (name: string, other: string): void => {
    const value = numberOf(other, constants);
    if (ofDigits.test(name) || constants.has(name) || value === undefined) return;
    const held = found.get(name.toLowerCase()) ?? new Set();
    if (held.size < valuesMax) found.set(name.toLowerCase(), held.add(value));
  };
  for (const [, left = '', right = ''] of files.flatMap((code) => [...code.matchAll(comparison)])) {
    note(left, right);
    note(right, left);
  }
  return new Map([...found].map(([name, held]) => [name, [...held]]));
}

function numberOf(text: string, constants: ReadonlyMap<string, number>): number | undefined {
  return ofDigits.test(text) ? Number(text.replaceAll('_', '')) : constants.get(text);
}

/** `const HIGH_VALUE = 10_000;`, `LIMIT = Decimal("0.5")`, `limit: 100,`. */
const definition = new RegExp(
  String.raw`\b([A-Za-z_]\w*)(?:\s*:\s*[\w.]+)?\s*(?::=|[:=])\s*(?:\w+\()?["']?(${number})["')]*\s*(?:[;,\n})]|$)`,
  'g',
);

function definedIn(code: string): [string, number][] {
  return [...code.matchAll(definition)].map(([, name = '', value = '']) => [
    name,
    Number(value.replaceAll('_', '')),
  ]);
}
