import { nameList } from '../options.ts';

/**
 * The options of a program that its description accounts for. Programs have many more, and some of
 * these load code or write files: whatever is not listed is held.
 */
export interface AcceptedOptions {
  /**
   * Names without dashes. `=` marks those whose value may be the next word, `?` those whose value
   * is only in the same word, and `!` those after which another program's arguments begin.
   */
  readonly options: string;
  /** Commands of the program with their own options; `*` in these accepts any. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** By command, after how many operands another program's arguments begin: `docker run image`. */
  readonly inner?: Readonly<Record<string, number>>;
  /** Further options, with the value in the same word: `-Iinclude`. */
  readonly attached?: RegExp;
  /** Long names have one dash: `-auto-approve`. */
  readonly singleDash?: boolean;
  /** The first operand is another program; what follows are its arguments. */
  readonly stopsAtOperand?: boolean;
}

/** How an option takes a value, if it does. */
export type OptionValue = '' | '=' | '?' | '!';

/** The same, ready to be looked up. */
export interface OptionIndex
  extends Pick<AcceptedOptions, 'attached' | 'inner' | 'singleDash' | 'stopsAtOperand'> {
  readonly options: ReadonlyMap<string, OptionValue>;
  readonly verbs: ReadonlyMap<string, ReadonlyMap<string, OptionValue>> | undefined;
}

export function indexOptions({ options, verbs, ...style }: AcceptedOptions): OptionIndex {
  return {
    ...style,
    options: readNames(options),
    verbs: verbs && new Map(Object.entries(verbs).map(([verb, own]) => [verb, readNames(own)])),
  };
}

function readNames(text: string): ReadonlyMap<string, OptionValue> {
  return new Map(
    nameList(text).map((word) => {
      const [, name = word, value = ''] = /^(.+?)([=?!])?$/.exec(word) ?? [];
      return [name, value as OptionValue];
    }),
  );
}
