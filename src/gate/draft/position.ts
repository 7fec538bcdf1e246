type Wrap = (inside: (subject: string) => string) => string;

interface Place {
  readonly names: readonly string[];
  /** Whether it is inside a list. */
  readonly isRepeated: boolean;
  /** Whether values of several types stand here or above: no expression gets here safely. */
  readonly isMixed: boolean;
}

/** Where a value stands in the arguments, and how an expression gets there. */
export class ArgumentPosition {
  readonly place: Place;
  readonly #wrap: Wrap;

  private constructor(place: Place, wrap: Wrap) {
    this.place = place;
    this.#wrap = wrap;
  }

  static readonly root: ArgumentPosition = new ArgumentPosition(
    { names: [], isRepeated: false, isMixed: false },
    (inside) => inside('arguments'),
  );

  get name(): string {
    return this.place.names.join('.');
  }

  field(name: string, isRequired: boolean): ArgumentPosition {
    const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
    const quoted = JSON.stringify(name);
    const read = (from: string): string => (isPlain ? `${from}.${name}` : `${from}[${quoted}]`);
    const has = (from: string): string =>
      isPlain ? `has(${from}.${name})` : `(${quoted} in ${from})`;
    const names = [...this.place.names, name];
    return new ArgumentPosition({ ...this.place, names }, (inside) =>
      this.#wrap((from) => `${isRequired ? '' : `!${has(from)} || `}${inside(read(from))}`),
    );
  }

  items(): ArgumentPosition {
    const { names } = this.place;
    const item = `item${names.length > 1 ? names.length : ''}`;
    return new ArgumentPosition({ ...this.place, isRepeated: true }, (inside) =>
      this.#wrap((from) => `${from}.all(${item}, ${inside(item)})`),
    );
  }

  /** The same position, for values of these types of JSON Schema. */
  of(types: readonly string[]): ArgumentPosition {
    const isMixed = this.place.isMixed || types.filter((type) => type !== 'null').length !== 1;
    return new ArgumentPosition({ ...this.place, isMixed }, (inside) =>
      this.#wrap((from) => `${types.includes('null') ? `${from} == null || ` : ''}${inside(from)}`),
    );
  }

  /** An expression that holds if the condition holds for every value here. */
  expression(condition: (subject: string) => string): string {
    return this.#wrap(condition);
  }
}
