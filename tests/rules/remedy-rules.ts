import type { FaultTexts } from './fault-rules.ts';
import { splitWords } from './surety-lines.ts';

/** What a remedy names, by the kind of thing that has to exist. */
export interface RemedyNames {
  /** Words after `surety`. */
  readonly commands: readonly (readonly string[])[];
  /** Flags that stand apart from a command. */
  readonly flags: readonly string[];
  /** Keys of surety.yaml, with dots. */
  readonly keys: readonly string[];
  /** Tools of Surety's own MCP server. */
  readonly tools: readonly string[];
  /** Operations of the API: a path, perhaps with a method. */
  readonly paths: readonly string[];
  readonly variables: readonly string[];
}

/** What exists, as the surfaces themselves know it. */
export interface KnownNames {
  readonly commands: readonly { readonly name: string }[];
  readonly flags: ReadonlySet<string>;
  readonly hasKey: (key: string) => boolean;
  readonly topKeys: readonly string[];
  readonly tools: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  readonly hasVariable: (name: string) => boolean;
  readonly complaintAbout: (words: readonly string[]) => Promise<string | undefined>;
}

export async function remediesNameWhatExists(
  faults: FaultTexts,
  known: KnownNames,
): Promise<string[]> {
  const complaints: string[] = [];
  for (const [code, { remedy }] of Object.entries(faults)) {
    const names = namesIn(remedy, known);
    for (const words of names.commands) {
      const complaint = await known.complaintAbout(words);
      if (complaint) complaints.push(`${code} names surety ${words.join(' ')}: ${complaint}`);
    }
    const missing = [
      ...names.flags.filter((flag) => !known.flags.has(flag)),
      ...names.keys.filter((key) => !known.hasKey(key)),
      ...names.tools.filter((tool) => !known.tools.has(tool)),
      ...names.paths.filter((path) => !known.paths.has(path)),
      ...names.variables.filter((name) => !known.hasVariable(name)),
    ];
    complaints.push(...missing.map((name) => `${code} names ${name}, which does not exist`));
  }
  return complaints;
}

export function namesIn(remedy: string, known: KnownNames): RemedyNames {
  const calls = [...remedy.matchAll(/\bsurety (?=[a-z])(.*?)(?=[.;](?:\s|$)|, |\)|$)/g)];
  const commands = calls.map(([, rest = '']) => commandWords(rest, known));
  const apart = calls.reduce((text, [call]) => text.replace(call, ''), remedy);
  const first = known.topKeys.join('|');
  return {
    commands,
    flags: [...apart.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag),
    keys: [
      ...remedy.matchAll(
        new RegExp(`(?<![\\w.\`/])(?:${first})(?:\\.(?:[\\w-]+|<\\w+>|\\{\\w+\\}))+`, 'g'),
      ),
      ...[...remedy.matchAll(/\bunder (\w+) in surety\.yaml/g)].map(([, key]) => [key ?? '']),
    ]
      .map(([key = '']) => key)
      .filter((key) => !key.endsWith('.yaml')),
    tools: [...remedy.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([tool]) => tool),
    paths: [...remedy.matchAll(/\/v1\/[\w./{}-]*\w/g)].map(([path]) => path),
    variables: [...remedy.matchAll(/\bSURETY_[A-Z_]+/g)].map(([name]) => name),
  };
}

/** The longest command of the table, and what a reader would type after it. */
function commandWords(rest: string, { commands }: KnownNames): string[] {
  const words = splitWords(rest.replaceAll(/`|…/g, ''));
  const [first = '', second = ''] = words;
  const isFamily = commands.some(({ name }) => name === `${first} ${second}`);
  const length = isFamily ? 2 : 1;
  const typed = words.slice(length);
  const end = typed.findIndex((word) => !/^(?:[-<{/]|\d)/.test(word) && !/^[A-Z"']/.test(word));
  const followed = end < 0 ? typed : typed.slice(0, end);
  return [...words.slice(0, length), ...followed.filter((word) => !/^[A-Z][a-z]/.test(word))];
}
