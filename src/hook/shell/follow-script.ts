import { type ExpandedWord, exact } from './field.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';

/** Text that a shell runs as a script. */
export interface ScriptText {
  readonly text: string;
  /** The file that it is in, which is `$0`. */
  readonly path?: string;
  readonly args: readonly ExpandedWord[];
}

/**
 * A script that was there before is code of the project. It is followed as far as possible, so
 * that it cannot hide an effect; what stays unknown in it counts as code of the project.
 */
export function followKnown(shell: Shell, script: ScriptText, scope: Scope): undefined {
  const { unresolved, unknownPrograms } = shell.settings.effects;
  const before = [new Set(unresolved), new Set(unknownPrograms)] as const;
  followScript(shell, script, scope);
  [unresolved, unknownPrograms].forEach((set, index) => {
    for (const value of set) if (!before[index]?.has(value)) set.delete(value);
  });
}

export function followScript(
  shell: Shell,
  { text, path, args }: ScriptText,
  scope: Scope,
): undefined {
  const inner = scope.copy();
  if (path !== undefined) inner.zero = exact(path);
  inner.positional = args;
  shell.script(text, inner);
}
