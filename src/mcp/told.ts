import type { Instant } from '../kernel/index.ts';

/** What a tool says: the whole of it for programs, a few lines for a model. */
export interface ToolAnswer {
  readonly value: object;
  readonly text: string;
  /** The member of `value` that is a list, with a line for each of its items. */
  readonly list?: { readonly name: string; readonly lines: readonly string[] };
  /** From when to when that is what was asked about, where it is not simply now. */
  readonly range?: Range;
  /** What was looked through, where that is known more exactly than by the tool. */
  readonly searched?: string;
  /** How to be told the whole, of a call that must not be made again for it. */
  readonly whole?: string;
}

export interface Range {
  readonly from: Instant;
  readonly until: Instant;
}

interface List<Item> {
  /** The member of the answer that it becomes. */
  readonly name: string;
  readonly items: readonly Item[];
  readonly line: (item: Item) => string;
  readonly head: string;
  readonly searched?: string;
  readonly range?: Range;
  /** What is told besides. */
  readonly more?: object;
}

export function tellList<Item extends object>(list: List<Item>): ToolAnswer {
  const { name, items, line, head, more, searched, range } = list;
  const lines = items.map(line);
  return {
    value: { ...more, [name]: items },
    text: head,
    list: { name, lines },
    ...(searched === undefined ? {} : { searched }),
    ...(range ? { range } : {}),
  };
}
