import { fault } from '../../kernel/index.ts';
import type { Trees } from '../../lanes/index.ts';

interface LineOfVersion {
  readonly file: string;
  /** From 1, in the version `from`. */
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

/**
 * The same line in another version, by its text: what stands above it may have become longer. A
 * line that the other version does not have, or has several times, is refused: the wrong one would
 * show wrong values.
 */
export async function findLine(
  { file, line, from, to }: LineOfVersion,
  trees: Pick<Trees, 'read'>,
): Promise<number> {
  if (from === to) return line;
  const [before, after] = await Promise.all([trees.read(from, file), trees.read(to, file)]);
  // Not a file of the repository: what was built from it, or a package.
  if (before === null || after === null || before === after) return line;
  const text = before.split('\n')[line - 1]?.trim() ?? '';
  const all = after.split('\n').map((one) => one.trim());
  const first = all.indexOf(text);
  if (text !== '' && first >= 0 && first === all.lastIndexOf(text)) return first + 1;
  const reason = `line ${line} of ${file} is ${text === '' ? 'empty' : 'not in this version once'}`;
  throw fault('PROBE_REQUEST_INVALID', {
    field: 'line',
    reason,
    allowed: 'a function, or a line that both versions have',
  });
}
