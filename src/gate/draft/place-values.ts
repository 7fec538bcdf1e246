import { isMany, textKind } from './kinds.ts';
import type { Sketch } from './sketch.ts';
import { TextValues } from './text-values.ts';

/** The paths and addresses that all calls of one provider's tools were given. */
export class PlaceValues {
  readonly #byName = new Map<string, TextValues>();

  /** Adds what was found in the arguments of one tool. */
  learn(sketch: Sketch, name = ''): void {
    const kind = textKind(name, undefined, sketch.texts);
    if (sketch.texts.times > 0 && (kind === 'path' || kind === 'url')) {
      for (const key of [`${kind} ${name}`, kind]) {
        this.#byName.set(key, (this.#byName.get(key) ?? new TextValues()).with(sketch.texts));
      }
    }
    if (sketch.items) this.learn(sketch.items, name);
    for (const [field, found] of sketch.fields) this.learn(found, field);
  }

  /**
   * What bounds an argument: its own values if there are many, else those of the provider's other
   * tools as well. If those are no places of one sort, the ones of the same name count.
   */
  lookUp(kind: 'path' | 'url', name: string, own: TextValues): TextValues {
    if (isMany(own)) return own;
    const all = own.with(this.#byName.get(kind) ?? new TextValues());
    if (kind === 'path' ? all.directories : all.origins) return all;
    return own.with(this.#byName.get(`${kind} ${name}`) ?? new TextValues());
  }
}
