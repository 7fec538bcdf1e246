import { posix } from 'node:path';
import { maskCode } from './code-mask.ts';
import { findImports, importedPaths } from './imports.ts';
import { complaint, type SourceFile } from './source-files.ts';

/** Files whose result depends on their arguments alone: replay is worth nothing otherwise. */
const pureFiles = ['src/gate/decision/decide.ts'];

const effects =
  /(?<![\w$.])(?:async|await|Date|performance|process|globalThis|fetch|crypto|setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bMath\.random\b|\bimport\s*[.(]/g;

/** Also complains when a pure file is gone: one that was renamed would go unchecked. */
export function checkPurity(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return pureFiles.flatMap((path) =>
    byPath.has(path)
      ? reachable(path, byPath).flatMap(impurities)
      : [`${path}  is to be kept pure, but is not there`],
  );
}

/** The file and what it imports of its own folder, as work moves into helpers over time. */
function reachable(path: string, byPath: ReadonlyMap<string, SourceFile>): SourceFile[] {
  const reached = new Set([path]);
  for (const at of reached) {
    const file = byPath.get(at);
    for (const next of file ? importedPaths(file) : []) {
      if (posix.dirname(next) === posix.dirname(path)) reached.add(next);
    }
  }
  return [...reached].flatMap((at) => byPath.get(at) ?? []);
}

function impurities(file: SourceFile): string[] {
  const used = [...maskCode(file.text).matchAll(effects)].map((match) =>
    complaint(file, match.index, `must be pure, but uses ${match[0]}`),
  );
  const imported = findImports(file)
    .filter(({ specifier = '.' }) => !specifier.startsWith('.'))
    .map(({ specifier, offset }) =>
      complaint(file, offset, `must be pure, but imports ${specifier}`),
    );
  return [...used, ...imported];
}
