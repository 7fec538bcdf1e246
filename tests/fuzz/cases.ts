import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256, tryOr } from '../../src/kernel/index.ts';
import type { Finding } from './fuzzing.ts';

const folder = join(import.meta.dirname, 'cases');

/** The inputs that fuzzing a target has found; each is tried again by the tests. */
export function casesOf(target: string): { readonly name: string; readonly input: Buffer }[] {
  const names = tryOr(() => readdirSync(join(folder, target)), []);
  return names.map((name) => ({ name, input: readFileSync(join(folder, target, name)) }));
}

/** Keeps a finding as a case, and returns its file. */
export function keepCase(target: string, { input }: Pick<Finding, 'input'>): string {
  const file = join(folder, target, `${sha256(input).slice(0, 12)}.bin`);
  mkdirSync(join(folder, target), { recursive: true });
  writeFileSync(file, input);
  return file;
}
