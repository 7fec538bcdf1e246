import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tryOr } from '../../kernel/index.ts';

/** Whether this machine has a program of that name. */
export function hasTool(name: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) =>
    tryOr(() => {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    }, false),
  );
}
