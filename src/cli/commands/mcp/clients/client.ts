import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConfigEdit } from './edit.ts';
import { editJson } from './edit-json.ts';
import { editToml } from './edit-toml.ts';

/** How a client starts a server; all clients use the same names for these two. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

export type ConfigScope = 'project' | 'user';

/** A program in which agents run, and where it keeps its servers. */
export interface McpClient {
  readonly title: string;
  /** The member with the servers, by their names. */
  readonly section: string;
  readonly edit: ConfigEdit;
  /** The default scope. */
  readonly scope: ConfigScope;
  /** Relative to the workspace, or absolute. */
  readonly files: Readonly<Record<ConfigScope, () => string>>;
  /** Members that it needs in addition to command and args. */
  readonly more?: Readonly<Record<string, string>>;
}

const home = (...parts: string[]): string => join(homedir(), ...parts);

const codeProfile = (): string =>
  process.platform === 'darwin'
    ? home('Library', 'Application Support', 'Code', 'User')
    : join(process.env.XDG_CONFIG_HOME || home('.config'), 'Code', 'User');

export const mcpClients: Readonly<Record<string, McpClient>> = {
  claude: {
    title: 'Claude Code',
    section: 'mcpServers',
    edit: editJson,
    scope: 'project',
    files: { project: () => '.mcp.json', user: () => home('.claude.json') },
    more: { type: 'stdio' },
  },
  cursor: {
    title: 'Cursor',
    section: 'mcpServers',
    edit: editJson,
    scope: 'project',
    files: { project: () => join('.cursor', 'mcp.json'), user: () => home('.cursor', 'mcp.json') },
  },
  vscode: {
    title: 'Visual Studio Code',
    section: 'servers',
    edit: editJson,
    scope: 'project',
    files: {
      project: () => join('.vscode', 'mcp.json'),
      user: () => join(codeProfile(), 'mcp.json'),
    },
    more: { type: 'stdio' },
  },
  codex: {
    title: 'Codex',
    section: 'mcp_servers',
    edit: editToml,
    scope: 'user',
    files: {
      project: () => join('.codex', 'config.toml'),
      user: () => join(process.env.CODEX_HOME || home('.codex'), 'config.toml'),
    },
  },
};
