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

/** Names that a pattern may stand for: those of the controls above, and of the repository. */
const guarded = [
  ...controlDirectories,
  '.git',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks/hook.sh',
  '.claude.json',
  '.mcp.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.cursor/hooks.json',
  '.gemini/settings.json',
  '.opencode/opencode.json',
  '.opencode/plugin/surety.js',
  'opencode.json',
  'surety.yaml',
  'surety.yml',
  'policy.yaml',
  'policy.cases.yaml',
  '.surety/daemon.json',
  '.git/config',
  '.git/hooks/pre-commit',
];

/** Whether a pattern could match one of them. What text searches list is taken for sources. */
function wildcardCovers(path: string): boolean {
  if (!path.includes('*') || /\/\*\*\/\*+$/.test(path)) return false;
  const names = path.split('/');
  if (names.some((name) => controlDirectories.includes(name))) return true;
  const base = names
    .slice(
      0,
      names.findIndex((name) => name.includes('*')),
    )
    .join('/');
  const shape = expressionOf(names.slice(names.findIndex((name) => name.includes('*'))));
  return guarded.some((name) => shape.test(name) || shape.test(`x/${name}`)) && base !== '/tmp';
}

/** `*` stands for characters of one name, without a leading dot; `**` for any path. */
function expressionOf(names: readonly string[]): RegExp {
  const parts = names.map((name, index) => {
    if (name === '**') return index === names.length - 1 ? '.+' : '(?:.+/)?';
    const text = name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '[^/]*');
    const isHidden = names[index - 1] === '**' || name.startsWith('.');
    return `${isHidden ? '' : '(?!\\.)'}${text}${index === names.length - 1 ? '' : '/'}`;
  });
  return new RegExp(`^${parts.join('')}$`);
}
