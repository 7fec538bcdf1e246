import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle, entries } from './bundle.ts';
import { declare } from './declarations.ts';

/** dist/, or the folder that is named: what the package ships. */
const folder = resolve(process.argv[2] ?? 'dist');
rmSync(folder, { recursive: true, force: true });
await bundle(folder);
const { cli: _, ...imported } = entries;
const declared = await declare(Object.values(imported), join(folder, 'types'));
process.exitCode = declared ? 0 : 1;
