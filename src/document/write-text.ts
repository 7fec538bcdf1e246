import { Document, isMap, isScalar, type Node, type Pair } from 'yaml';
import type { Path } from './document-text.ts';

/** What stands above a key, and is for people only. */
export interface Remark {
  readonly path: Path;
  readonly text: string;
}

/** A value as YAML, with remarks above the keys that they are about. */
export function writeText(
  value: unknown,
  { heading, remarks }: { readonly heading: string; readonly remarks: readonly Remark[] },
): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  document.commentBefore = comment(heading);
  for (const { path, text } of remarks) {
    const node = keyNode(document, path);
    if (node) node.commentBefore = comment(text);
  }
  return document.toString({ lineWidth: 0 });
}

function comment(text: string): string {
  return text
    .split('\n')
    .map((line) => ` ${line}`)
    .join('\n');
}

/** Of an item of a list the item itself: it has no key. */
function keyNode(document: Document, path: Path): Node | undefined {
  const parent = document.getIn(path.slice(0, -1) as string[], true);
  const last = path.at(-1);
  if (!isMap(parent)) return document.getIn(path as string[], true) as Node | undefined;
  const pair = parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === last);
  return (pair as Pair<Node> | undefined)?.key;
}
