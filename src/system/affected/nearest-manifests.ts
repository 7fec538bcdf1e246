import { extname, join } from 'node:path/posix';
import { folderOf } from './manifests.ts';

interface Ecosystem {
  readonly extensions: readonly string[];
  /** Of each list the nearest one above a file counts. */
  readonly manifests: readonly (readonly string[])[];
}

const ecosystems: readonly Ecosystem[] = [
  {
    extensions: ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx', '.vue', '.svelte'],
    manifests: [
      ['package.json'],
      [
        ...['package-lock.json', 'npm-shrinkwrap.json', 'pnpm-lock.yaml', 'yarn.lock'],
        ...['bun.lock', 'bun.lockb'],
      ],
      ['tsconfig.json', 'jsconfig.json'],
      ['.npmrc'],
    ],
  },
  {
    extensions: ['.py'],
    manifests: [
      ['requirements.txt', 'pyproject.toml', 'Pipfile', 'setup.py', 'setup.cfg'],
      ['uv.lock', 'poetry.lock', 'Pipfile.lock'],
    ],
  },
  { extensions: ['.go'], manifests: [['go.mod'], ['go.sum'], ['go.work'], ['go.work.sum']] },
  {
    extensions: ['.java', '.kt', '.scala'],
    manifests: [
      ['pom.xml', 'build.gradle', 'build.gradle.kts'],
      ['settings.gradle', 'settings.gradle.kts'],
      ['gradle.properties'],
    ],
  },
  { extensions: ['.rs'], manifests: [['Cargo.toml'], ['Cargo.lock'], ['rust-toolchain.toml']] },
  {
    extensions: ['.cs', '.fs'],
    manifests: [
      ['Directory.Build.props'],
      ['Directory.Packages.props'],
      ['global.json'],
      ['nuget.config', 'NuGet.Config'],
    ],
  },
];

/** Pure: the manifests and lock files in force for a source file. */
export function nearestManifests(path: string, paths: ReadonlyMap<string, string>): string[] {
  const found = ecosystems.find(({ extensions }) => extensions.includes(extname(path)));
  if (!found) return [];
  const folders = foldersAbove(path);
  return found.manifests.flatMap((names) => {
    for (const folder of folders) {
      const present = names.map((name) => join(folder, name)).filter((one) => paths.has(one));
      if (present.length > 0) return present;
    }
    return [];
  });
}

/** From the folder of a file up to the top of the repository. */
export function foldersAbove(path: string): string[] {
  const folder = folderOf(path);
  return folder === '' ? [''] : [folder, ...foldersAbove(folder)];
}
