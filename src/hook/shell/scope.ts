import type { Function as FunctionNode } from 'unbash';
import { type ExpandedWord, exact, isSame, token, unknown } from './field.ts';

/** What a shell knows while it runs: it changes from command to command. */
export class Scope {
  /** Possible working directories: after a `cd` that may have failed there are two. */
  directories: readonly string[];
  readonly variables: Map<string, ExpandedWord>;
  readonly arrays: Map<string, readonly ExpandedWord[]>;
  readonly functions: Map<string, FunctionNode>;
  readonly aliases: Map<string, string>;
  positional: readonly ExpandedWord[] = [];
  /** `$0`: the file of a script, or a word behind the text of `sh -c`. */
  zero: ExpandedWord = unknown('$0');
  /** Whether an unset positional parameter is empty, and not just unknown. */
  hasPositional = true;

  constructor(directories: readonly string[], variables: Map<string, ExpandedWord>) {
    this.directories = directories;
    this.variables = variables;
    this.arrays = new Map();
    this.functions = new Map();
    this.aliases = new Map();
  }

  copy(): Scope {
    const copy = new Scope(this.directories, new Map(this.variables));
    for (const [name, value] of this.arrays) copy.arrays.set(name, value);
    for (const [name, value] of this.functions) copy.functions.set(name, value);
    for (const [name, value] of this.aliases) copy.aliases.set(name, value);
    copy.positional = this.positional;
    copy.zero = this.zero;
    copy.hasPositional = this.hasPositional;
    return copy;
  }

  /** After commands that ran only perhaps: what differs is not known. */
  mergeWith(before: Scope): void {
    this.directories = [...new Set([...before.directories, ...this.directories])];
    for (const name of new Set([...this.variables.keys(), ...before.variables.keys()])) {
      const [one, other] = [this.variables.get(name), before.variables.get(name)];
      if (!isSame(one, other)) this.variables.set(name, merged(name, one, other));
    }
    for (const [name, fields] of this.arrays) {
      const older = before.arrays.get(name);
      if (older !== fields) this.arrays.set(name, [unknown(`$${name}`)]);
    }
  }

  assign(name: string, value: ExpandedWord): void {
    this.arrays.delete(name);
    this.variables.set(name, value);
  }

  read(name: string): ExpandedWord | undefined {
    return this.variables.get(name) ?? this.arrays.get(name)?.[0];
  }
}

/** One of two values: a number or a bare word, if both are. */
function merged(
  name: string,
  one: ExpandedWord | undefined,
  other: ExpandedWord | undefined,
): ExpandedWord {
  const isBare = (word: ExpandedWord | undefined): boolean =>
    word === token || (word?.kind === 'exact' && /^\d+$/.test(word.text));
  return isBare(one) && isBare(other) ? token : unknown(`$${name}`);
}

/** The variables of the environment whose values are known, or known to be harmless. */
export function firstVariables(home: string, directory: string): Map<string, ExpandedWord> {
  return new Map([
    ['HOME', exact(home)],
    ['PWD', exact(directory)],
    ['IFS', exact(' \t\n')],
    ['TMPDIR', exact('/tmp')],
  ]);
}
