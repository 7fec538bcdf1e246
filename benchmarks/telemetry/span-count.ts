/** How many spans a request to /v1/traces has, without a word of what they say. */
export function countSpans(body: Buffer): number {
  return partsOf(body, 1)
    .flatMap((resource) => partsOf(resource, 2))
    .reduce((count, scope) => count + partsOf(scope, 2).length, 0);
}

const lengthDelimited = 2;

/** The fields of one number in a message that has none but such with a length. */
function partsOf(message: Buffer, number: number): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < message.length) {
    const [tag, afterTag] = varintAt(message, at);
    if (tag % 8 !== lengthDelimited) throw new Error(`a field of type ${tag % 8}`);
    const [length, from] = varintAt(message, afterTag);
    if (Math.floor(tag / 8) === number) parts.push(message.subarray(from, from + length));
    at = from + length;
  }
  return parts;
}

function varintAt(bytes: Buffer, from: number): [value: number, next: number] {
  let value = 0;
  let at = from;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[at++] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return [value, at];
  }
}
