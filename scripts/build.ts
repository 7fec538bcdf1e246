import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle, commandEntry, type Entries, gateEntries, suretyEntries } from './bundle.ts';
import { bundleTypes, compileTypes } from './declarations.ts';

const root = resolve(import.meta.dirname, '..');

interface Package {
  readonly home: string;
  /** What other programs import: it has types. */
  readonly imported: Entries;
  readonly programs?: Entries;
}

/** Builds both packages, here or in the copy of this folder that is named, ready for `npm pack`. */
const base = resolve(process.argv[2] ?? root);
const packages: readonly Package[] = [
  { home: base, imported: suretyEntries, programs: commandEntry },
  { home: join(base, 'packages/gate'), imported: gateEntries },
];
const types = mkdtempSync(join(tmpdir(), 'surety-types-'));
await compileTypes(types);
for (const { home, imported, programs } of packages) {
  const folder = join(home, 'dist');
  rmSync(folder, { recursive: true, force: true });
  await bundle(folder, { ...imported, ...programs });
  for (const [name, file] of Object.entries(imported))
    writeFileSync(join(folder, `${name}.d.ts`), bundleTypes(types, file));
  if (home === base) continue;
  for (const shared of ['docs', 'packs', 'LICENSE'])
    cpSync(join(root, shared), join(home, shared), { recursive: true });
}
rmSync(types, { recursive: true });
