import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const shipped = [
  'package.json',
  'bin',
  'clients',
  'docs',
  'helpers',
  'packs',
  'README.md',
  'LICENSE',
];
const ofGate = ['package.json', 'README.md'].map((name) => `packages/gate/${name}`);

export interface Packed {
  readonly tarball: string;
  /** What is in it, by path. */
  readonly files: readonly string[];
}

/** Both packages, built from these sources and packed as they would be published. */
export async function packPackages(folder: string): Promise<{ surety: Packed; gate: Packed }> {
  const stage = join(folder, 'stage');
  for (const path of [...shipped, ...ofGate])
    cpSync(join(root, path), join(stage, path), { recursive: true });
  await run(process.execPath, ['scripts/build.ts', stage], { cwd: root });
  const [surety, gate] = await Promise.all([stage, join(stage, 'packages/gate')].map(pack));
  return { surety: surety as Packed, gate: gate as Packed };
}

async function pack(home: string): Promise<Packed> {
  const destination = join(home, 'packed');
  mkdirSync(destination);
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
  const { stdout } = await run('npm', words, { cwd: home });
  const [packed] = Object.values(JSON.parse(stdout)) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (!packed) throw new Error(`npm pack told nothing of ${home}`);
  return {
    tarball: join(destination, packed.filename.replace('@surety/', 'surety-')),
    files: packed.files.map(({ path }) => path),
  };
}
