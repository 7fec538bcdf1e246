import { posix } from 'node:path';
import {
  adapters,
  apiSchema,
  arrows,
  doors,
  packages,
  testPackages,
  typeArrows,
} from './import-table.ts';
import { findImports } from './imports.ts';
import { complaint, isCode, isTestCode, type SourceFile } from './source-files.ts';

interface Place {
  readonly folder: string;
  /** From src: `ledger/sqlite/store.ts`. */
  readonly path: string;
  readonly isTest: boolean;
}

/** Every import in src that the table does not allow. */
export function checkDirection(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => path.startsWith('src/') && isCode(path)).flatMap(checkFile);
}

function checkFile(file: SourceFile): string[] {
  const from = placeOf(file.path);
  if (!(from.folder in arrows))
    return [complaint(file, 0, 'is in a folder that is no part of src')];
  return findImports(file).flatMap(({ specifier, offset, isType = false }) => {
    const reason =
      specifier === undefined ? 'import() must name its module' : judge(from, specifier, isType);
    return reason ? [complaint(file, offset, reason)] : [];
  });
}

function judge(from: Place, specifier: string, isType: boolean): string | undefined {
  if (specifier.startsWith('node:')) return undefined;
  if (!specifier.startsWith('.')) return judgePackage(from, specifier);
  const target = posix.join('src', posix.dirname(from.path), specifier);
  if (!target.startsWith('src/')) return judgeOutside(from, target);
  const to = placeOf(target);
  if (isApiSchema(to) && !isType && !from.isTest && !speaksApi(from)) {
    return `may import only types from ${to.path}, or it loads a schema library`;
  }
  return judgeTest(from, to) ?? judgeAdapter(from, to) ?? judgeFolder(from, to, isType);
}

/** The surfaces that speak a feature's part of the API. */
const surfaces = ['http', 'mcp'];

function speaksApi(from: Place): boolean {
  return isApiSchema(from) || surfaces.includes(from.folder);
}

function isApiSchema({ path }: Place): boolean {
  return posix.basename(path) === apiSchema;
}

function judgePackage(from: Place, specifier: string): string | undefined {
  const depth = specifier.startsWith('@') ? 2 : 1;
  const name = specifier.split('/').slice(0, depth).join('/');
  if (from.isTest && testPackages.includes(name)) return undefined;
  if (isApiSchema(from) && name === 'zod') return undefined;
  const allowed = Object.entries(packages).some(
    ([below, names]) => isBelow(from, below) && names.includes(name),
  );
  return allowed ? undefined : `may not import the package ${name}`;
}

function judgeOutside({ isTest }: Place, target: string): string | undefined {
  return isTest && target.startsWith('tests/') ? undefined : `leaves src for ${target}`;
}

function judgeTest(from: Place, to: Place): string | undefined {
  return to.isTest && !from.isTest ? `is no test but imports ${to.path}` : undefined;
}

function judgeAdapter(from: Place, to: Place): string | undefined {
  const adapter = adapters.find((below) => isBelow(to, below));
  if (adapter === undefined || from.isTest || from.folder === 'runtime') return undefined;
  return isBelow(from, adapter) ? undefined : `only the runtime names the adapter ${adapter}`;
}

function judgeFolder(from: Place, to: Place, isType: boolean): string | undefined {
  if (from.folder === to.folder) return undefined;
  if (isApiSchema(to) && surfaces.includes(from.folder)) return undefined;
  const isContract = isType && to.path === `${to.folder}/index.ts`;
  if (isContract && typeArrows[from.folder]?.includes(to.folder)) return undefined;
  if (!arrows[from.folder]?.includes(to.folder)) {
    return `${from.folder} may not import ${to.folder}`;
  }
  // A table of limits loads nothing else, so nobody has to load a whole feature for a number.
  const entrances = [`${to.folder}/index.ts`, `${to.folder}/limits.ts`];
  if (entrances.includes(to.path) || doors[to.path]?.includes(from.folder)) return undefined;
  if (isApiSchema(to) && isApiSchema(from)) return undefined;
  // A test may use another folder's fixtures, and the real thing behind a port.
  if (from.isTest && (to.isTest || adapters.includes(posix.dirname(to.path)))) return undefined;
  return `${from.folder} may not enter ${to.folder} by ${to.path}`;
}

function placeOf(path: string): Place {
  const [, folder = ''] = path.split('/');
  const isTest = isTestCode(path);
  // A file of src itself stands for its own: only the package's surface is in the table.
  return { folder, path: path.slice('src/'.length), isTest };
}

function isBelow({ path }: Place, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
