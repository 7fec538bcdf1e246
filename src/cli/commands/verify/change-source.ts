import { fault } from '../../../kernel/index.ts';
import type { Invocation } from '../../command.ts';
import { readPatch } from './patch-file.ts';

/** The source of a change, from flags; empty without such a flag. */
export function changeSource(
  command: string,
  { words: [path], options }: Pick<Invocation, 'words' | 'options'>,
): { patch?: string; ref?: string; worktree?: true; base?: string } {
  const given = [path, options.ref, options.worktree].filter((one) => one !== undefined);
  if (given.length > 1) {
    const reason = 'give one of a patch, --ref and --worktree';
    throw fault('USAGE', { reason, help: `surety ${command} --help` });
  }
  return {
    ...(path === undefined ? {} : { patch: readPatch(path) }),
    ...(options.ref === undefined ? {} : { ref: String(options.ref) }),
    ...(options.worktree ? { worktree: true } : {}),
    ...(options.base === undefined ? {} : { base: String(options.base) }),
  };
}
