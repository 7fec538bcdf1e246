import type { SourceFile } from './source-files.ts';

const mapFile = 'ARCHITECTURE.md';

/** Folders of src that the map does not name, as `kernel/`. */
export function checkMap(files: readonly SourceFile[]): string[] {
  const map = files.find(({ path }) => path === mapFile);
  if (!map) return [`${mapFile}  is missing`];
  const folders = files.flatMap(({ path }) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)]
    .filter((folder) => !new RegExp(`(?<![\\w-])${folder}/`).test(map.text))
    .map((folder) => `${mapFile}  does not name ${folder}/`);
}
