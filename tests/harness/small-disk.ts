import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenTestEnds } from './when-test-ends.ts';

/** A file system of its own, in memory, that can be filled and made read-only. */
export class SmallDisk implements Disposable {
  readonly path: string;
  readonly #filler: string;

  constructor(bytes: number) {
    this.path = mkdtempSync(join(tmpdir(), 'surety-disk-'));
    this.#filler = join(this.path, 'filler');
    whenTestEnds(() => this[Symbol.dispose]());
    mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.path);
  }

  /** Until `bytesLeft` are free. */
  fill(bytesLeft = 0): void {
    const { bavail, bsize } = statfsSync(this.path);
    writeFileSync(this.#filler, Buffer.alloc(Math.max(0, bavail * bsize - bytesLeft)));
  }

  free(): void {
    rmSync(this.#filler);
  }

  makeReadOnly(): void {
    mount('-o', 'remount,ro', this.path);
  }

  [Symbol.dispose](): void {
    if (!existsSync(this.path)) return;
    try {
      unmount(this.path);
    } catch (error) {
      // A test that failed may have left files open; the disk goes with the last of them.
      unmount('--lazy', this.path);
      throw error;
    } finally {
      rmdirSync(this.path);
    }
  }
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
}

function unmount(...args: string[]): void {
  execFileSync('umount', args, { stdio: 'pipe' });
}

/** Why there can be none here, to be told where tests are left out; null if there can. */
export const noSmallDisk: string | null = (() => {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'only root may mount';
  try {
    new SmallDisk(65_536)[Symbol.dispose]();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
})();
