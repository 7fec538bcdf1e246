import { open, readFile } from 'node:fs/promises';

interface CodeRange {
  readonly start: number;
  readonly length: number;
  readonly offset: number;
}

const breakpointByte = 0xcc;

/**
 * Compares the code of a process with its file. A debugger writes breakpoints into the code, and
 * one that was killed leaves them there: the process would die at the next of them.
 */
export async function findBreakpointBytes(
  pid: number,
): Promise<readonly { readonly address: number; readonly original: number }[] | undefined> {
  const [memory, file] = await Promise.all([
    open(`/proc/${pid}/mem`).catch(() => undefined),
    open(`/proc/${pid}/exe`).catch(() => undefined),
  ]);
  try {
    if (!memory || !file) return undefined;
    const found: { address: number; original: number }[] = [];
    for (const { start, length, offset } of await readCodeRanges(pid)) {
      const [live, stored] = [Buffer.alloc(length), Buffer.alloc(length)];
      await Promise.all([
        memory.read(live, 0, length, start),
        file.read(stored, 0, length, offset),
      ]);
      for (let at = live.indexOf(breakpointByte); at !== -1; ) {
        const original = stored[at] as number;
        if (original !== breakpointByte) found.push({ address: start + at, original });
        at = live.indexOf(breakpointByte, at + 1);
      }
    }
    return found;
  } catch {
    return undefined;
  } finally {
    await Promise.all([memory?.close(), file?.close()]);
  }
}

/** Puts the code back as it is in the file. Gives whether no breakpoint is left. */
export async function restoreCode(pid: number): Promise<boolean> {
  const found = await findBreakpointBytes(pid);
  if (found === undefined) return false;
  if (found.length === 0) return true;
  const memory = await open(`/proc/${pid}/mem`, 'r+').catch(() => undefined);
  if (!memory) return false;
  try {
    for (const { address, original } of found) {
      await memory.write(Buffer.of(original), 0, 1, address);
    }
  } catch {
    return false;
  } finally {
    await memory.close();
  }
  return (await findBreakpointBytes(pid))?.length === 0;
}

/** Executable parts of the program's own file, in proc_pid_maps(5). */
async function readCodeRanges(pid: number): Promise<readonly CodeRange[]> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  const [, program] = /^\S+ \S+ \S+ \S+ [1-9]\d*\s+(\/.*)$/m.exec(maps) ?? [];
  const lines = maps.matchAll(/^(\w+)-(\w+) r-xp (\w+) \S+ \d+\s+(\/.*)$/gm);
  return [...lines]
    .filter(([, , , , path]) => path === program)
    .map(([, from = '', to = '', offset = '']) => ({
      start: Number.parseInt(from, 16),
      length: Number.parseInt(to, 16) - Number.parseInt(from, 16),
      offset: Number.parseInt(offset, 16),
    }));
}
