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

/** Pure, on the text of a unified diff. What is binary has no lines. */
export function patchBlocks(patch: string): PatchBlock[] {
  return patch.split(/^(?=diff --git )/m).flatMap((part) => {
    const [head = '', ...hunks] = part.split(/^(?=@@ )/m);
    const file = fileOf(head);
    return file === '' ? [] : hunks.flatMap((hunk) => blocksOf(hunk, file));
  });
}

function fileOf(head: string): string {
  const named = (pattern: RegExp): string => pattern.exec(head)?.[1]?.trimEnd() ?? '';
  const [to, from] = [named(/^\+\+\+ "?(?:b\/)?(.*?)"?$/m), named(/^--- "?(?:a\/)?(.*?)"?$/m)];
  return to === '/dev/null' || to === '' ? from : to;
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
