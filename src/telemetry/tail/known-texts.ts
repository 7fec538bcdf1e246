/** A limit in number and bytes, shared by several collections. */
export class Room {
  readonly #countMax: number;
  readonly #bytesMax: number;
  #count = 0;
  #bytes = 0;

  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#count >= this.#countMax || this.#bytes >= this.#bytesMax;
  }

  take(bytes: number): void {
    this.#count++;
    this.#bytes += bytes;
  }

  giveBack(bytes: number): void {
    this.#count--;
    this.#bytes -= bytes;
  }
}

interface KnownText<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** Values by text; those of one text are in order of arrival. */
export class KnownTexts<Value> {
  readonly #values = new Map<string, KnownText<Value>[]>();
  readonly #room: Room;

  constructor(room: Room) {
    this.#room = room;
  }

  /** False if there is no room. */
  put(text: string, value: Value, bytes: number): boolean {
    if (this.#room.isFull) return false;
    this.#room.take(bytes);
    const values = this.#values.get(text);
    if (values === undefined) this.#values.set(text, [{ value, bytes }]);
    else values.push({ value, bytes });
    return true;
  }

  takeFirst(text: string): Value | undefined {
    const values = this.#values.get(text);
    const first = values?.shift();
    if (values?.length === 0) this.#values.delete(text);
    if (first !== undefined) this.#room.giveBack(first.bytes);
    return first?.value;
  }

  takeWhile(isDue: (value: Value) => boolean): Value[] {
    const taken: Value[] = [];
    for (const [text, values] of this.#values) {
      const first = values.findIndex(({ value }) => !isDue(value));
      for (const { value, bytes } of values.splice(0, first < 0 ? values.length : first)) {
        this.#room.giveBack(bytes);
        taken.push(value);
      }
      if (values.length === 0) this.#values.delete(text);
    }
    return taken;
  }
}
