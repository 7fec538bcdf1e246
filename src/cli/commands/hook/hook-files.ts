import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { formatOpencodePlugin } from './opencode-plugin.ts';

/** Where a harness keeps its hooks, and what ours look like there. */
export interface HookFile {
  /** Relative to the workspace. */
  readonly file: string;
  readonly events: readonly string[];
  /** What is added for each event of a JSON file. */
  readonly entry?: (command: string) => object;
  /** The whole text of a file that is only ours. */
  readonly text?: (command: string) => string;
  /** Members that the file needs besides. */
  readonly more?: Readonly<Record<string, number>>;
  /** What a person has to do so that the harness runs them. */
  readonly note?: string;
}

const timeoutSeconds = 30;

/** Claude Code, Codex and Gemini group hooks under a pattern for tools. */
const group =
  (matcher: string, timeout: number) =>
  (command: string): object => ({
    matcher,
    hooks: [{ type: 'command', command, timeout }],
  });

export const hookFiles: Readonly<Record<string, HookFile>> = {
  claude: {
    file: join('.claude', 'settings.json'),
    events: ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    entry: group('*', timeoutSeconds),
  },
  codex: {
    file: join('.codex', 'hooks.json'),
    events: ['PreToolUse', 'PostToolUse'],
    entry: group('.*', timeoutSeconds),
    note: 'Codex runs hooks only if config.toml enables them, and asks you once to trust them.',
  },
  cursor: {
    file: join('.cursor', 'hooks.json'),
    events: ['preToolUse', 'postToolUse', 'postToolUseFailure'],
    entry: (command) => ({ command, timeout: timeoutSeconds, failClosed: true }),
    more: { version: 1 },
  },
  gemini: {
    file: join('.gemini', 'settings.json'),
    events: ['BeforeTool', 'AfterTool'],
    entry: group('.*', timeoutSeconds * 1_000),
  },
  opencode: {
    file: join('.opencode', 'plugin', 'surety.js'),
    events: ['tool.execute.before', 'tool.execute.after'],
    text: formatOpencodePlugin,
  },
};

/** Absolute, because a harness that was not started in a shell has another PATH. */
const program = fileURLToPath(new URL('../../../../bin/surety.js', import.meta.url));

export function hookCommand(
  harness: string,
  agent: string,
  { root }: WorkspacePlace,
  failOpen: boolean,
): string {
  const words = [process.execPath, program, 'hook', '--harness', harness, '--agent', agent];
  const more = failOpen ? ['--fail-open'] : [];
  return [...words, '--directory', root, ...more].map(quote).join(' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Recognises our entries, also those of another version or agent. */
export function isOurs(entry: unknown): boolean {
  return /surety(?:\.js)?'? hook --harness /.test(JSON.stringify(entry ?? null));
}
