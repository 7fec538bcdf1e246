import { isMap, isScalar, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';
import type { Path } from './document-text.ts';

/** One plain word that shall stand at a place. */
export interface Edit {
  readonly path: Path;
  readonly value: string;
}

/** A line that an edit changed, as people are shown it. */
export interface EditedLine {
  readonly line: number;
  readonly key: string;
  /** undefined: the key is new. */
  readonly before: string | undefined;
  readonly after: string;
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * A YAML text with some values changed. Cut and pasted instead of written anew: comments, quotes
 * and spaces stay as somebody wrote them, and a diff shows the change and nothing else.
 */
export function editText(
  text: string,
  edits: readonly Edit[],
): { readonly text: string; readonly lines: readonly EditedLine[] } {
  const counter = new LineCounter();
  const root = parseDocument(text, { lineCounter: counter }).contents;
  const lines: EditedLine[] = [];
  const splices: Splice[] = [];
  for (const { path, value } of edits) {
    const parent = path.slice(0, -1).reduce<Node | null>(memberAt, root);
    if (!isMap(parent)) throw new Error(`there is nothing at ${path.slice(0, -1).join('.')}`);
    const node = memberAt(parent, path.at(-1) as PropertyKey);
    const before = isScalar(node) ? String(node.value) : undefined;
    if (before === value) continue;
    const splice = node ? replacement(node, value) : insertion(parent, path, value, text);
    splices.push(splice);
    const { line } = counter.linePos(splice.from);
    lines.push({ line, key: path.join('.'), before, after: value });
  }
  return { text: spliced(text, splices), lines };
}

/** From the end to the beginning, so that places further up stay where they are. */
function spliced(text: string, splices: readonly Splice[]): string {
  return [...splices]
    .sort((one, other) => other.from - one.from)
    .reduce((all, { from, to, text: put }) => all.slice(0, from) + put + all.slice(to), text);
}

function replacement({ range }: Node, value: string): Splice {
  const [from = 0, to = 0] = range ?? [];
  return { from, to, text: value };
}

function insertion(parent: YAMLMap, path: Path, value: string, text: string): Splice {
  const pair = `${String(path.at(-1))}: ${value}`;
  const [first] = parent.items;
  const start = (first?.key as Node | undefined)?.range?.[0];
  if (parent.flow) {
    const from = start ?? (parent.range?.[0] ?? 0) + 1;
    return { from, to: from, text: start === undefined ? pair : `${pair}, ` };
  }
  const version = memberAt(parent, 'version')?.range?.[1];
  if (version !== undefined) {
    const end = text.indexOf('\n', version);
    const from = end < 0 ? text.length : end;
    return { from, to: from, text: `\n${pair}` };
  }
  const from = start ?? 0;
  const indent = ' '.repeat(from - (text.lastIndexOf('\n', from - 1) + 1));
  return { from, to: from, text: `${pair}\n${indent}` };
}

function memberAt(node: Node | null, key: PropertyKey): Node | null {
  if (!isMap(node)) return null;
  const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
  return (pair?.value ?? null) as Node | null;
}
