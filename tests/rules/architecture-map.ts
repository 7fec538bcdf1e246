import { isCode, isTestCode, type SourceFile } from './source-files.ts';

const mapFile = 'ARCHITECTURE.md';

interface MapRow {
  readonly folders: readonly string[];
  readonly entries: readonly string[];
}

/** Folders of src with code that the map does not list, and entries that do not exist. */
export function checkMap(files: readonly SourceFile[]): string[] {
  const map = files.find(({ path }) => path === mapFile);
  if (!map) return [`${mapFile}  is missing`];
  const rows = readRows(map.text);
  const listed = new Set(rows.flatMap(({ folders }) => folders));
  const missing = codeFolders(files).filter((folder) => !listed.has(folder));
  const paths = new Set(files.map(({ path }) => path));
  return [
    ...missing.map((folder) => `${mapFile}  does not list ${folder}`),
    ...rows.flatMap((row) => missingEntries(row, paths)),
  ];
}

/** Rows whose first column holds folders in backquotes: `src/gate/`. */
function readRows(map: string): MapRow[] {
  return map
    .split('\n')
    .map((line) => line.split('|').map(quoted))
    .filter(([, folders = []]) => folders.some((folder) => folder.endsWith('/')))
    .map(([, folders = [], , entries = []]) => ({ folders, entries }));
}

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

function codeFolders(files: readonly SourceFile[]): string[] {
  const folders = files
    .map(({ path }) => path)
    .filter((path) => /^src\/.+\//.test(path) && isCode(path) && !isTestCode(path))
    .map((path) => path.slice(0, path.lastIndexOf('/') + 1));
  return [...new Set(folders)].filter((folder) => !folder.endsWith('/fixtures/'));
}

function missingEntries({ folders, entries }: MapRow, paths: ReadonlySet<string>): string[] {
  const sources = folders.filter((folder) => folder.startsWith('src/'));
  if (sources.length === 0) return [];
  if (entries.length === 0) return [`${mapFile}  names no entry of ${sources[0]}`];
  return entries
    .filter((entry) => !sources.some((folder) => paths.has(folder + entry)))
    .map((entry) => `${mapFile}  names ${entry} as an entry of ${sources[0]}, which has none`);
}
