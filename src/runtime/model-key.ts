import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { tryOr } from '../kernel/index.ts';
import type { ModelProvider } from '../system/index.ts';
import type { WorkspacePlace } from './place.ts';

/** Read for each request, so that a new key in the file counts at once. */
export function readModelKey(
  { keyVariable, keyFile }: ModelProvider,
  { root }: WorkspacePlace,
): string | undefined {
  if (keyVariable !== undefined) return process.env[keyVariable];
  const file = resolve(root, keyFile ?? '');
  return tryOr(() => readFileSync(file, 'utf8').trim(), undefined);
}
