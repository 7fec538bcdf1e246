import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../../kernel/index.ts';
import type { BranchRecord } from './store.ts';

/**
 * The data branches of lanes, one private file per lane. A branch is recorded before it is created
 * and removed from the record after it is dropped, so that nothing is lost in a crash.
 */
export class BranchRecords {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  lanes(): string[] {
    if (!existsSync(this.#directory)) return [];
    const names = readdirSync(this.#directory);
    return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5));
  }

  of(lane: string): readonly BranchRecord[] {
    const file = this.#file(lane);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  }

  /** Replaces an earlier record of the same branch. */
  note(lane: string, record: BranchRecord): void {
    const others = this.#others(lane, record);
    writePrivateFile(this.#file(lane), JSON.stringify([...others, record]));
  }

  strike(lane: string, record: BranchRecord): void {
    const others = this.#others(lane, record);
    if (others.length === 0) rmSync(this.#file(lane), { force: true });
    else writePrivateFile(this.#file(lane), JSON.stringify(others));
  }

  #others(lane: string, { store }: BranchRecord): readonly BranchRecord[] {
    return this.of(lane).filter((other) => other.store !== store);
  }

  #file(lane: string): string {
    return join(this.#directory, `${lane}.json`);
  }
}
