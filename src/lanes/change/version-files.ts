import type { VersionFiles } from '../../system/index.ts';
import { git, gitBytes } from './git.ts';

/** A larger file is data, or was made by a program. */
const textBytesMax = 512 * 1024;
/** Together in one answer of git. */
const batchBytesMax = 16 * 1024 * 1024;

interface Blob {
  readonly id: string;
  readonly bytes: number;
}

/** The files of a version as git stores them: nothing is checked out. */
export async function readVersionFiles(top: string, version: string): Promise<VersionFiles> {
  const listed = await git(top, ['ls-tree', '-r', '-z', '-l', version]);
  const blobs = new Map(listed.split('\0').flatMap(blobOf));
  return {
    paths: new Map([...blobs].map(([path, { id }]) => [path, id])),
    read: async (paths) => {
      const wanted = paths.flatMap((path) => {
        const blob = blobs.get(path);
        return blob && blob.bytes <= textBytesMax ? [{ path, ...blob }] : [];
      });
      const texts = new Map<string, string>();
      for (const batch of batchesOf(wanted)) {
        const bytes = await gitBytes(top, ['cat-file', '--batch'], namesOf(batch));
        for (const [path, text] of textsIn(bytes, batch)) texts.set(path, text);
      }
      return texts;
    },
  };
}

/** `100644 blob <id> <bytes>\t<path>`; links and submodules are not read. */
function blobOf(line: string): [string, Blob][] {
  const [, id = '', bytes, path = ''] = /^100\d{3} blob (\w+)\s+(\d+)\t(.*)$/s.exec(line) ?? [];
  return path === '' ? [] : [[path, { id, bytes: Number(bytes) }]];
}

type Wanted = Blob & { readonly path: string };

function batchesOf(wanted: readonly Wanted[]): Wanted[][] {
  const batches: Wanted[][] = [];
  let free = 0;
  for (const one of wanted) {
    if (one.bytes > free || batches.length === 0) {
      batches.push([]);
      free = batchBytesMax;
    }
    batches.at(-1)?.push(one);
    free -= one.bytes;
  }
  return batches;
}

function namesOf(batch: readonly Wanted[]): string {
  return batch.map(({ id }) => `${id}\n`).join('');
}

/** Of each: `<id> blob <bytes>`, a newline, its bytes, a newline. */
function* textsIn(bytes: Buffer, batch: readonly Wanted[]): Generator<[string, string]> {
  let at = 0;
  for (const { path, bytes: length } of batch) {
    const start = bytes.indexOf(10, at) + 1;
    const content = bytes.subarray(start, start + length);
    if (!content.includes(0)) yield [path, content.toString('utf8')];
    at = start + length + 1;
  }
}
