import type { ArgumentPosition } from './position.ts';
import type { TextValues } from './text-values.ts';

/** A rule that keeps an argument in the directories or at the hosts that were found. */
export interface PlaceRule {
  readonly argument: string;
  readonly rule: string;
  readonly that: string;
  readonly message: string;
  readonly remedy: string;
  /** Whether it compares with so many places that no length of the text could be allowed for. */
  readonly isLong: boolean;
}

/** Undefined if the values found have no place in common. */
export function placeRule(
  kind: 'path' | 'url',
  texts: TextValues,
  at: ArgumentPosition,
): PlaceRule | undefined {
  if (texts.times === 0 || at.place.isMixed) return undefined;
  return kind === 'path' ? pathRule(texts, at) : hostRule(texts, at);
}

function pathRule(texts: TextValues, at: ArgumentPosition): PlaceRule | undefined {
  const { directories, isRelative } = texts;
  const argument = at.name;
  if (isRelative) {
    const that = at.expression(
      (path) => `!${path}.startsWith("/") && ("/base/" + ${path}).within("/base")`,
    );
    const message = `${argument} is not a relative path that stays below its base.`;
    const remedy = 'Use a relative path without leading "..".';
    return { argument, rule: ruleName(at, 'relative'), that, message, remedy, isLong: false };
  }
  if (!directories || directories.includes('/')) return undefined;
  const [first = '', ...more] = directories.map((directory) => JSON.stringify(directory));
  const that = at.expression((path) =>
    more.length === 0
      ? `${path}.within(${first})`
      : `[${[first, ...more].join(', ')}].exists(directory, ${path}.within(directory))`,
  );
  const message = `${argument} is outside the directories that were in use.`;
  const remedy = `Use a path in ${directories.join(' or ')}.`;
  return { argument, rule: ruleName(at, 'within'), that, message, remedy, isLong: more.length > 1 };
}

/** Only a slash, a question mark or the end follows a host: otherwise it is another host. */
function hostRule({ origins }: TextValues, at: ArgumentPosition): PlaceRule | undefined {
  if (!origins) return undefined;
  const argument = at.name;
  const list = [...origins].sort();
  const that = at.expression((url) => {
    const begins = ['/', '?', '#'].map((mark) => `${url}.startsWith(origin + "${mark}")`);
    return `${JSON.stringify(list)}.exists(origin, ${url} == origin || ${begins.join(' || ')})`;
  });
  const message = `${argument} is at a host that was not in use.`;
  const remedy = `Use an address at ${list.join(' or ')}.`;
  return { argument, rule: ruleName(at, 'host'), that, message, remedy, isLong: false };
}

function ruleName({ place }: ArgumentPosition, end: string): string {
  const name = place.names
    .join('-')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase();
  const plain = name.replace(/[^a-z0-9.-]+/g, '-').replace(/^[^a-z0-9]+/, '');
  return `${plain.slice(0, 50) || 'argument'}-${end}`;
}
