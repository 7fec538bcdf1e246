import { isJsonObject, type Json } from '../../kernel/index.ts';

const distinctMax = 8;
const distinctTimesMin = 10;
const fieldsMax = 64;

/** The values found at one position, and the schema that accepts all of them. */
export class Sketch {
  times = 0;
  readonly #types = new Set<string>();
  readonly #texts = new Set<string>();
  readonly #fields = new Map<string, Sketch>();
  #items: Sketch | undefined;
  #lengthMax = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(value: Json): void {
    this.times++;
    this.#types.add(typeOf(value));
    if (typeof value === 'string') this.#addText(value);
    if (typeof value === 'number') {
      this.#min = Math.min(this.#min, value);
      this.#max = Math.max(this.#max, value);
    }
    if (Array.isArray(value)) this.#addList(value);
    if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) this.#field(name)?.add(member);
    }
  }

  /** The fields of the objects found, in order of appearance. */
  get fields(): ReadonlyMap<string, Sketch> {
    return this.#fields;
  }

  schema(): Record<string, Json> {
    const types = this.#jsonTypes();
    return {
      type: types.length === 1 ? (types[0] as string) : types,
      ...(types.includes('string') ? this.#textBounds() : {}),
      ...(types.includes('integer') || types.includes('number') ? this.#numberBounds() : {}),
      ...(types.includes('array') ? this.#listBounds() : {}),
      ...(types.includes('object') ? this.#members() : {}),
    };
  }

  /** How many values support the schema, for people. */
  support(of: number): string {
    const how = this.times === of ? `always (${of} times)` : `${this.times} of ${of} times`;
    const found: string[] = [];
    if (this.#max >= this.#min) found.push(`from ${this.#min} to ${this.#max}`);
    if (this.#texts.size > 0) {
      const many = this.#texts.size > distinctMax ? `more than ${distinctMax}` : this.#texts.size;
      found.push(`${many} different texts, the longest with ${this.#lengthMax} characters`);
    }
    if (this.#items) found.push(`at most ${this.#lengthMax} items`);
    return [`given ${how}`, ...found].join('; ');
  }

  #addText(value: string): void {
    // A schema counts code points, of which one may take two units of UTF-16.
    this.#lengthMax = Math.max(this.#lengthMax, [...value].length);
    if (this.#texts.size <= distinctMax) this.#texts.add(value);
  }

  #addList(items: readonly Json[]): void {
    this.#lengthMax = Math.max(this.#lengthMax, items.length);
    this.#items ??= new Sketch();
    for (const item of items) this.#items.add(item);
  }

  #field(name: string): Sketch | undefined {
    const known = this.#fields.get(name);
    if (known || name === '__proto__' || this.#fields.size >= fieldsMax) return known;
    const sketch = new Sketch();
    this.#fields.set(name, sketch);
    return sketch;
  }

  #jsonTypes(): string[] {
    const types = [...this.#types];
    return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
  }

  #textBounds(): Record<string, Json> {
    const isChoice =
      this.#types.size === 1 &&
      this.#texts.size <= distinctMax &&
      this.times >= Math.max(distinctTimesMin, 3 * this.#texts.size);
    if (isChoice) return { enum: [...this.#texts].sort() };
    return { maxLength: Math.max(1, roundUp(this.#lengthMax)) };
  }

  #numberBounds(): Record<string, Json> {
    return { minimum: roundDown(this.#min), maximum: roundUp(this.#max) };
  }

  #listBounds(): Record<string, Json> {
    const items = this.#items && this.#items.times > 0 ? this.#items.schema() : true;
    return { items, maxItems: roundUp(this.#lengthMax) };
  }

  #members(): Record<string, Json> {
    const members = [...this.#fields];
    const required = members.filter(([, { times }]) => times === this.times).map(([name]) => name);
    const properties = members.map(([name, sketch]) => [name, sketch.schema()]);
    return {
      ...(required.length > 0 ? { required } : {}),
      properties: Object.fromEntries(properties),
    };
  }
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The smallest of … -2, -1, 0, 1, 2, 5, 10, 20, 50 … that is not below the value. */
export function roundUp(value: number): number {
  if (value < 0) return -step(-value, 'down');
  return step(value, 'up');
}

export function roundDown(value: number): number {
  if (value < 0) return -step(-value, 'up');
  return step(value, 'down');
}

function step(value: number, to: 'up' | 'down'): number {
  if (value === 0) return 0;
  if (value < 1) return to === 'up' ? 1 : 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const marks = [1, 2, 5, 10].map((mark) => mark * power);
  const found =
    to === 'up' ? marks.find((mark) => mark >= value) : marks.findLast((mark) => mark <= value);
  return Math.min(found ?? value, Number.MAX_SAFE_INTEGER);
}
