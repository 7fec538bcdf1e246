import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, commandEntry, suretyEntries } from './bundle.ts';

const root = resolve(import.meta.dirname, '..');
const bundles = join(root, '.cache', 'bundles');
const keptMs = 24 * 60 * 60 * 1_000;

/**
 * The folder of a bundle of exactly these sources; made if there is none. Processes start from it
 * in a third of the time. Its name is the hash of what it was made of, so it is never stale, and
 * a run that started before an edit keeps its own.
 */
export async function freshBundle(): Promise<string> {
  const hash = sourceHash();
  const folder = join(bundles, hash);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${randomUUID()}`;
    mkdirSync(unfinished, { recursive: true });
    await bundle(unfinished, { ...commandEntry, ...suretyEntries }, root);
    if (sourceHash() !== hash) {
      // Somebody edited meanwhile: nobody knows which version was bundled.
      rmSync(unfinished, { recursive: true });
      return freshBundle();
    }
    adopt(unfinished, folder);
  }
  utimesSync(folder, new Date(), new Date());
  removeUnused();
  return folder;
}

function sourceHash(): string {
  const hash = createHash('sha256');
  const isShipped = (file: string): boolean => !/\.(?:test|contract|fixture)\.ts$/.test(file);
  const files = globSync('src/**/*.{ts,cjs,sql}', { cwd: root, exclude: ['**/fixtures/**'] });
  const others = ['scripts/bundle.ts', 'package-lock.json'];
  for (const file of [...files.filter(isShipped).sort(), ...others])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Whoever else made the same at this moment may have been first. */
function adopt(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

/** What nobody used for a day; younger ones may be those of a run that is under way. */
function removeUnused(): void {
  for (const name of readdirSync(bundles)) {
    const folder = join(bundles, name);
    const usedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedAt > keptMs) rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) process.stdout.write(`${await freshBundle()}\n`);
