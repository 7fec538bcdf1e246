/** Up to so many texts are found faster one after the other. */
const fewMax = 6;
const windowChars = 4;

/**
 * Finds any of many texts in one pass. A number of 16 bits is made of each four characters; a table
 * tells whether one of the texts starts with them.
 */
export class SecretMatcher {
  readonly #texts: string[] = [];
  readonly #short: string[] = [];
  readonly #starts = new Uint8Array(2 ** 16);
  readonly #byStart = new Map<number, string[]>();

  /** The longest first: where several start at the same place, the first is taken. */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.add(text);
  }

  add(text: string): void {
    this.#texts.push(text);
    if (text.length < windowChars) {
      this.#short.push(text);
      return;
    }
    let start = 0;
    for (let index = 0; index < windowChars; index++) start = next(start, text.charCodeAt(index));
    this.#starts[start] = 1;
    this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), text]);
  }

  hide(text: string): string {
    if (this.#texts.length === 0) return text;
    if (this.#texts.length <= fewMax) return hideEach(text, this.#texts);
    return hideEach(this.#hideLong(text), this.#short);
  }

  #hideLong(text: string): string {
    let hidden = '';
    let kept = 0;
    let start = 0;
    for (let index = 0; index < text.length; index++) {
      start = next(start, text.charCodeAt(index));
      if (this.#starts[start] === 0) continue;
      const from = index - windowChars + 1;
      const found = this.#byStart.get(start)?.find((each) => text.startsWith(each, from));
      if (found === undefined || from < kept) continue;
      hidden += `${text.slice(kept, from)}[redacted secret]`;
      kept = from + found.length;
      index = kept - 1;
    }
    return kept === 0 ? text : hidden + text.slice(kept);
  }
}

/** The four bits of a character that is four steps back fall out at the top. */
function next(start: number, code: number): number {
  return ((start << 4) ^ (code * 167)) & 0xffff;
}

function hideEach(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, '[redacted secret]');
  }
  return hidden;
}
