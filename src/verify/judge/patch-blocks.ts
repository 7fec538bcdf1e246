import { fileDiffs } from '../../lanes/index.ts';

/** Changed lines of a patch that stand together. */
export interface PatchBlock {
  readonly file: string;
  /** Of its first line in the changed file. */
  readonly line: number;
  /** Each with its `+` or `-`. */
  readonly changed: readonly string[];
  /** The unchanged lines around it. */
  readonly around: readonly string[];
}

/** Pure, on a diff that git made. What is binary has no lines. */
export function patchBlocks(diff: string): PatchBlock[] {
  return fileDiffs(diff).flatMap(({ from, to, hunks }) =>
    hunks.flatMap((hunk) => blocksOf(hunk, to || from)),
  );
}

function blocksOf(hunk: string, file: string): PatchBlock[] {
  const [head = '', ...lines] = hunk.split('\n');
  const around = lines.filter((line) => line.startsWith(' ')).map((line) => line.slice(1));
  let line = Number(/\+(\d+)/.exec(head)?.[1] ?? 1);
  const blocks: { line: number; changed: string[] }[] = [];
  let open: { line: number; changed: string[] } | undefined;
  for (const text of lines) {
    if (/^[+-]/.test(text)) {
      if (!open) {
        open = { line, changed: [] };
        blocks.push(open);
      }
      open.changed.push(text);
    } else open = undefined;
    if (/^[+ ]/.test(text)) line++;
  }
  return blocks.map((block) => ({ file, ...block, around }));
}
