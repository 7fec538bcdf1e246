import type { CommandEffect } from './effect.ts';

/** Where harnesses keep their hooks, and Surety its policy: an agent must not change them. */
const controls =
  /(?:^|\/)(?:\.surety(?:\/.*)?|surety\.ya?ml|policy(?:\.cases)?\.ya?ml|\.claude\/settings(?:\.local)?\.json|\.claude\/hooks(?:\/.*)?|\.claude\.json|\.mcp\.json|\.codex\/(?:config\.toml|hooks\.json|rules(?:\/.*)?)|\.cursor\/(?:hooks\.json|hooks\/.*|mcp\.json|cli\.json)|\.gemini\/(?:settings\.json|hooks(?:\/.*)?|trustedFolders\.json)|\.opencode(?:\/plugins?(?:\/.*)?|\/opencode\.jsonc?)?|opencode\.jsonc?|\.config\/opencode(?:\/.*)?|managed-settings\.json)$/;

/** Directories whose loss would also lose what is inside of them. */
const controlDirectories = ['.claude', '.codex', '.cursor', '.gemini', '.opencode', '.surety'];

/** Effects that writing or deleting a path has besides the file itself. */
export function guardedBy(path: string, home: string, verb: 'write' | 'delete'): CommandEffect[] {
  const effects: CommandEffect[] = [];
  const isDirectory = controlDirectories.some(
    (name) => path === `${home}/${name}` || path.endsWith(`/${name}`),
  );
  if (controls.test(path) || isDirectory || wildcardCovers(path)) {
    effects.push({ kind: 'surety.control', values: { operations: [`${verb} ${path}`] } });
  }
  const inside = /\/\.git(?:\/(.*))?$/.exec(path);
  if (inside && !/^(?:info\/exclude|COMMIT_EDITMSG|index\.lock)$/.test(inside[1] ?? '')) {
    effects.push({ kind: 'git.history', values: { operations: [`${verb} ${path}`] } });
  }
  return effects;
}

function isControlDirectory(name: string): boolean {
  return controlDirectories.includes(name);
}

function wildcardCovers(path: string): boolean {
  const names = path.split('/');
  const at = names.findIndex((name) => name.startsWith('.') && name.includes('*'));
  const name = names[at];
  if (name === undefined) return names.some(isControlDirectory) && path.includes('*');
  const [start = '', ...ends] = name.split('*');
  return [...controlDirectories, '.git'].some(
    (control) => control.startsWith(start) && control.endsWith(ends.at(-1) ?? ''),
  );
}
