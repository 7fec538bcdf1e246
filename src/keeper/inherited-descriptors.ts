import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '../kernel/index.ts';

/** Marks descriptors that a program which is started does not get. */
const closeOnExec = 0o2_000_000;

/**
 * Closes what the shell that started this process left open, so that no program that the keeper
 * starts can read or write it. Node marks its own descriptors, and of inherited ones the first 16.
 */
export function closeInheritedDescriptors(): void {
  const all = tryOr(() => readdirSync('/proc/self/fdinfo').map(Number), []);
  for (const descriptor of all) {
    if (descriptor > 2 && isInherited(descriptor)) tryOr(() => closeSync(descriptor), undefined);
  }
}

function isInherited(descriptor: number): boolean {
  const text = tryOr(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'), '');
  const [, flags] = /^flags:\s*(\d+)$/m.exec(text) ?? [];
  return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
}
