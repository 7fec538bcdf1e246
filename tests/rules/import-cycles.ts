import { importedPaths } from './imports.ts';
import type { SourceFile } from './source-files.ts';

/** Each cycle of imports among these files, as the path that leads around it. */
export function findCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map((file) => [file.path, importedPaths(file)]));
  const done = new Set<string>();
  const trail: string[] = [];
  const cycles: string[] = [];
  const visit = (path: string): void => {
    const begin = trail.indexOf(path);
    if (begin >= 0) cycles.push([...trail.slice(begin), path].join(' → '));
    if (begin >= 0 || done.has(path)) return;
    trail.push(path);
    for (const next of graph.get(path) ?? []) visit(next);
    trail.pop();
    done.add(path);
  };
  for (const path of graph.keys()) visit(path);
  return cycles;
}
