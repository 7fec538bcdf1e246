import { readdir, readFile } from 'node:fs/promises';

/** All processes below one, nearest first. */
export async function descendantsOf(pid: number): Promise<readonly number[]> {
  const parents = await readParents();
  const found: number[] = [];
  for (let level = [pid]; level.length > 0; ) {
    level = level.flatMap((parent) => parents.get(parent) ?? []);
    found.push(...level);
  }
  return found;
}

async function readParents(): Promise<ReadonlyMap<number, readonly number[]>> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const children = new Map<number, number[]>();
  await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      if (Number.isInteger(parent)) children.set(parent, [...(children.get(parent) ?? []), pid]);
    }),
  );
  return children;
}
