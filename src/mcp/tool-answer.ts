import type { Instant } from '../kernel/index.ts';

/** The answer of a tool: complete for programs, a few lines for a model. */
export interface ToolAnswer {
  readonly value: object;
  readonly text: string;
  /** The member of `value` that is a list, with a line for each of its items. */
  readonly list?: { readonly name: string; readonly lines: readonly string[] };
  /** The time range of the answer, unless that is the time of the call. */
  readonly range?: Range;
  /** What was searched, if the answer knows it more exactly than the tool. */
  readonly searched?: string;
  /** How to read the whole answer to an action without repeating the action. */
  readonly whole?: string;
}

export interface Range {
  readonly from: Instant;
  readonly until: Instant;
}

interface List<Item> {
  /** The member of the answer that holds the items. */
  readonly name: string;
  readonly items: readonly Item[];
  readonly line: (item: Item) => string;
  readonly head: string;
  readonly searched?: string;
  readonly range?: Range;
  /** Further members of the answer. */
  readonly more?: object;
}

export function formatList<Item extends object>(list: List<Item>): ToolAnswer {
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
