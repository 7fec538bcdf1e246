import { type ExpandedWord, exact, unknown } from '../shell/field.ts';

export interface Option {
  /** Without dashes. */
  readonly name: string;
  readonly value: ExpandedWord | undefined;
}

/** The arguments of a program, sorted. */
export interface SortedArguments {
  readonly options: readonly Option[];
  readonly operands: readonly ExpandedWord[];
  /** An argument that could be anything, also an option. */
  readonly isUnclear: boolean;
  /** Whether one of these options is given. Long ones may be abbreviated, as usual. */
  has(...names: readonly string[]): boolean;
  valuesOf(...names: readonly string[]): readonly ExpandedWord[];
}

/** Names of the options that take a value, without dashes: `['o', 'output']`. */
export function sortArguments(
  args: readonly ExpandedWord[],
  taking: readonly string[] = [],
  style: { readonly singleDash?: boolean; readonly stopsAtOperand?: boolean } = {},
): SortedArguments {
  const takes = new Set(taking);
  const options: Option[] = [];
  const operands: ExpandedWord[] = [];
  let isUnclear = false;
  for (let index = 0; index < args.length; index++) {
    const field = args[index] as ExpandedWord;
    const { text, kind } = field;
    if (kind === 'unknown') isUnclear = true;
    if (text === '--' && kind === 'exact') {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!text.startsWith('-') || text === '-') {
      operands.push(...(style.stopsAtOperand ? args.slice(index) : [field]));
      if (style.stopsAtOperand) break;
      continue;
    }
    const next = args[index + 1];
    const [found, usesNext] = readOption(field, next, takes, style.singleDash === true);
    options.push(...found);
    if (usesNext) index++;
  }
  return { options, operands, isUnclear, ...lookup(options) };
}

function lookup(options: readonly Option[]): Pick<SortedArguments, 'has' | 'valuesOf'> {
  const isNamed = (name: string, wanted: string): boolean =>
    name === wanted || (name.length > 2 && wanted.startsWith(name));
  return {
    has: (...names) => options.some(({ name }) => names.some((wanted) => isNamed(name, wanted))),
    valuesOf: (...names) =>
      options
        .filter(({ name }) => names.some((wanted) => isNamed(name, wanted)))
        .flatMap(({ value }) => (value ? [value] : [])),
  };
}

function readOption(
  { text, kind }: ExpandedWord,
  next: ExpandedWord | undefined,
  takes: ReadonlySet<string>,
  isSingleDash: boolean,
): [Option[], usesNext: boolean] {
  const valueIs = (value: string): ExpandedWord =>
    kind === 'exact' ? exact(value) : { kind, text: value };
  const isLong = text.startsWith('--') || isSingleDash;
  if (isLong) {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    if (value !== undefined) return [[{ name, value: valueIs(value) }], false];
    return takes.has(name)
      ? [[{ name, value: next ?? unknown() }], isValue(next)]
      : [[{ name, value: undefined }], false];
  }
  const found: Option[] = [];
  for (let at = 1; at < text.length; at++) {
    const name = text[at] as string;
    if (!takes.has(name)) {
      found.push({ name, value: undefined });
      continue;
    }
    const attached = text.slice(at + 1);
    if (attached !== '') return [[...found, { name, value: valueIs(attached) }], false];
    return [[...found, { name, value: next ?? unknown() }], isValue(next)];
  }
  return [found, false];
}

/**
 * Whether a word behind an option is only its value. Programs differ in which options take one, so
 * a word that looks like an option is read as both.
 */
export function isValue(word: ExpandedWord | undefined): boolean {
  return !word || !/^-[^\d]/.test(word.text);
}

/** A long list of names, written as text. */
export function nameList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
