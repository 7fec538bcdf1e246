import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenTestEnds } from './when-test-ends.ts';

/** A directory of one test, gone with everything in it when the test ends, however it ends. */
export class Scratch implements Disposable {
  readonly path: string;

  constructor(parent = tmpdir()) {
    this.path = realpathSync(mkdtempSync(join(parent, 'surety-scratch-')));
    whenTestEnds(() => this[Symbol.dispose]());
  }

  file(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
