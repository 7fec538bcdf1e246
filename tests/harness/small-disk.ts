import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';
import { whenTestEnds } from './when-test-ends.ts';

/** A file system of its own, in memory, that can be filled and made read-only. */
export class SmallDisk implements AsyncDisposable {
  readonly path: string;
  readonly #filler: string;

  constructor(bytes: number) {
    this.path = mkdtempSync(join(tmpdir(), 'surety-disk-'));
    this.#filler = join(this.path, 'filler');
    try {
      mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.path);
    } catch (error) {
      rmdirSync(this.path);
      throw error;
    }
    whenTestEnds(() => this[Symbol.asyncDispose]());
  }

  /** Until `bytesLeft` are free. */
  fill(bytesLeft = 0): void {
    const { bavail, bsize } = statfsSync(this.path);
    const filling = Buffer.alloc(Math.max(0, bavail * bsize - bytesLeft));
    try {
      writeFileSync(this.#filler, filling);
    } catch (error) {
      // Others wrote meanwhile, so it is full before all of it is written.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  free(): void {
    rmSync(this.#filler);
  }

  makeReadOnly(): void {
    mount('-o', 'remount,ro', this.path);
  }

  /** A process that has just ended may still be about to close its files. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!existsSync(this.path)) return;
    try {
      await until('the disk is no longer in use', () => isUnmounted(this.path));
    } catch (error) {
      // A test that failed has files open; the disk goes with the last of them.
      execFileSync('umount', ['--lazy', this.path]);
      throw error;
    } finally {
      rmdirSync(this.path);
    }
  }
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
}

function isUnmounted(path: string): boolean {
  return spawnSync('umount', [path]).status === 0;
}

/** Why there can be none here, to be told where tests are left out; null if there can. */
export const noSmallDisk: string | null = await findObstacle();

async function findObstacle(): Promise<string | null> {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'only root may mount';
  try {
    await using _ = new SmallDisk(65_536);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
