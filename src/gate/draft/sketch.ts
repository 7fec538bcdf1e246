import { isJsonObject, type Json } from '../../kernel/index.ts';
import { TextValues } from './text-values.ts';

const fieldsMax = 64;
/** With fewer calls, an argument that was always given may still be optional. */
const requiredTimesMin = 3;

/** The values found at one position. */
export class Sketch {
  times = 0;
  /** Of strings, also of those in a list. */
  readonly texts = new TextValues();
  /** Of the numbers found; `min` is above `max` if there are none. */
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  itemsMax = 0;
  items: Sketch | undefined;
  readonly #types = new Set<string>();
  readonly #fields = new Map<string, Sketch>();

  add(value: Json): void {
    this.times++;
    this.#types.add(typeOf(value));
    if (typeof value === 'string') this.texts.add(value);
    if (typeof value === 'number') {
      this.min = Math.min(this.min, value);
      this.max = Math.max(this.max, value);
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

  /** A schema of the types found, without bounds. */
  schema(): Record<string, Json> {
    const types = this.#jsonTypes();
    const items = this.items && this.items.times > 0 ? this.items.schema() : true;
    return {
      type: types.length === 1 ? (types[0] as string) : types,
      ...(types.includes('array') ? { items } : {}),
      ...(types.includes('object') ? this.#members() : {}),
    };
  }

  /** How many values support a bound, for people. */
  support(of: number): string {
    const how = this.times === of ? `always (${of} times)` : `${this.times} of ${of} times`;
    const found: string[] = [];
    if (this.max >= this.min) found.push(`from ${this.min} to ${this.max}`);
    if (this.texts.times > 0) {
      const { distinct, lengthMax } = this.texts;
      const many = distinct ? distinct.size : 'many';
      found.push(`${many} different texts, the longest with ${lengthMax} characters`);
    }
    if (this.items) found.push(`at most ${this.itemsMax} items`);
    return [`given ${how}`, ...found].join('; ');
  }

  #addList(items: readonly Json[]): void {
    this.itemsMax = Math.max(this.itemsMax, items.length);
    this.items ??= new Sketch();
    for (const item of items) this.items.add(item);
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

  #members(): Record<string, Json> {
    const members = [...this.#fields];
    const always = members.filter(([, { times }]) => times === this.times).map(([name]) => name);
    const required = this.times < requiredTimesMin ? [] : always;
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
