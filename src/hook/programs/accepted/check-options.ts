import type { ExpandedWord } from '../../shell/field.ts';
import { isValue } from '../options.ts';
import type { ProgramCall, ShellPort } from '../program.ts';
import {
  type AcceptedOptions,
  indexOptions,
  type OptionIndex,
  type OptionValue,
} from './accepted-options.ts';
import { compiledOptions } from './compiled-options.ts';
import { developerOptions } from './developer-options.ts';
import { fileOptions } from './file-options.ts';
import { frameworkOptions } from './framework-options.ts';
import { gitOptions } from './git-options.ts';
import { languageOptions } from './language-options.ts';
import { packageOptions } from './package-options.ts';
import { pythonOptions } from './python-options.ts';
import { remoteOptions } from './remote-options.ts';

const tables: Readonly<Record<string, AcceptedOptions>> = {
  ...developerOptions,
  ...compiledOptions,
  ...pythonOptions,
  ...frameworkOptions,
  ...fileOptions,
  ...gitOptions,
  ...languageOptions,
  ...packageOptions,
  ...remoteOptions,
};

/** A call reads few of the tables, so each is split into names when it is first used. */
const indexes = new Map<string, OptionIndex>();

export function acceptedBy(name: string): OptionIndex | undefined {
  const table = Object.hasOwn(tables, name) ? tables[name] : undefined;
  const known = indexes.get(name);
  if (known || !table) return known;
  const index = indexOptions(table);
  indexes.set(name, index);
  return index;
}

/** Options of a program that take a value, for those that are listed. */
export function takingOf(name: string): readonly string[] {
  return [...(acceptedBy(name)?.options ?? [])].flatMap(([option, takes]) =>
    takes === '=' || takes === '!' ? [option] : [],
  );
}

/** Holds a call with a command or option that no description accounts for. */
export function checkOptions({ name, args, shell }: ProgramCall, isTool: boolean): undefined {
  const index = acceptedBy(name) ?? (isTool ? acceptedBy('project tool') : undefined);
  if (index) new OptionCheck(name, index, shell).run(args);
}

class OptionCheck {
  readonly #name: string;
  readonly #index: OptionIndex;
  readonly #shell: ShellPort;
  /** The words of the command so far: `compose up`. */
  #verb = '';
  #isVerbKnown: boolean;
  /** Operands until the arguments of another program begin. */
  #ownOperands = Number.POSITIVE_INFINITY;
  /** Options of the program, then those of its command. */
  readonly #accepted: ReadonlyMap<string, OptionValue>[];

  constructor(name: string, index: OptionIndex, shell: ShellPort) {
    this.#name = name;
    this.#index = index;
    this.#shell = shell;
    this.#accepted = [index.options];
    this.#isVerbKnown = index.verbs === undefined;
  }

  run(args: readonly ExpandedWord[]): undefined {
    for (let at = 0; at < args.length; at++) {
      const word = args[at] as ExpandedWord;
      if (word.text === '--' && word.kind === 'exact' && this.#isVerbKnown) return;
      if (this.#accepted.some((options) => options.has('*'))) return;
      if (couldBeOption(word))
        this.#shell.unresolved(`${this.#name} has an argument that could be any option`);
      else if (!isOption(word)) {
        if (this.#index.stopsAtOperand === true || !this.#operand(word)) return;
      } else {
        const rest = this.#option(word.text);
        if (rest === 'ends') return;
        if (rest === 'value' && isValue(args[at + 1])) at++;
      }
    }
  }

  /** Returns whether the rest is to be checked. */
  #operand({ kind, text }: ExpandedWord): boolean {
    const { verbs } = this.#index;
    if (this.#isVerbKnown || !verbs) return --this.#ownOperands > 0;
    const verb = this.#verb === '' ? text : `${this.#verb} ${text}`;
    const isPart = [...verbs.keys()].some((key) => key.startsWith(`${verb} `));
    const own = verbs.get(verb) ?? (isPart ? undefined : verbs.get(`${this.#verb} *`.trim()));
    if (kind !== 'exact' || (!own && !isPart && (this.#verb === '' || !verbs.has(this.#verb)))) {
      this.#shell.unresolved(`${this.#name} ${verb.slice(0, 80)} is not a command that is known`);
      return false;
    }
    if (own) this.#accepted.push(own);
    this.#verb = verb;
    this.#isVerbKnown = !isPart;
    const inner =
      this.#index.inner?.[verb] ?? this.#index.inner?.[own === verbs.get('*') ? '*' : ''];
    if (inner !== undefined) this.#ownOperands = inner;
    return this.#ownOperands > 0;
  }

  /** Returns whether the next word is its value, or another program's arguments begin. */
  #option(text: string): OptionEnd {
    if (this.#index.attached?.test(text)) return 'alone';
    const isLong = text.startsWith('--') || this.#index.singleDash === true;
    if (isLong) {
      const [, name = '', value] = /^--?([^=]*)(=.*)?$/s.exec(text) ?? [];
      const takes = this.#lookUp(name) ?? this.#lookUp(name.replace(/^no-/, ''));
      if (takes === undefined) return this.#refuse(text);
      return value === undefined && takes !== '?' ? endOf(takes) : 'alone';
    }
    if (/^-\d+$/.test(text) && this.#lookUp('#') !== undefined) return 'alone';
    for (let at = 1; at < text.length; at++) {
      const takes = this.#lookUp(text[at] as string);
      if (takes === undefined) return this.#refuse(text);
      if (takes === '?') return 'alone';
      if (takes !== '') return at === text.length - 1 || takes === '!' ? endOf(takes) : 'alone';
    }
    return 'alone';
  }

  #lookUp(name: string): OptionValue | undefined {
    return this.#accepted.map((options) => options.get(name)).find((takes) => takes !== undefined);
  }

  #refuse(text: string): 'alone' {
    const option = text.replace(/=.*$/s, '').slice(0, 60);
    this.#shell.unresolved(`the option ${option} of ${this.#name} is not known to be harmless`);
    return 'alone';
  }
}

type OptionEnd = 'alone' | 'value' | 'ends';

function endOf(takes: OptionValue): OptionEnd {
  if (takes === '!') return 'ends';
  return takes === '=' ? 'value' : 'alone';
}

function isOption({ text }: ExpandedWord): boolean {
  return text.startsWith('-') && text !== '-';
}

/** A word that is not known, and does not begin with a letter or a path. */
function couldBeOption({ kind, text }: ExpandedWord): boolean {
  return kind === 'unknown' && /^(?:$|[$`"*])/.test(text);
}
