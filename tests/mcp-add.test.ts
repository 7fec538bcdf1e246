import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readClientFile, replaceClientFile } from '../src/cli/commands/mcp/clients/index.ts';
import { cliLimits } from '../src/cli/limits.ts';
import { tools } from '../src/mcp/tools/index.ts';
import { isDeep } from './harness/deep.ts';
import { negotiation } from './harness/mcp/gateway-client.ts';
import { Workspace } from './harness/workspace.ts';

interface Entry {
  readonly command: string;
  readonly args: string[];
  readonly type?: string;
}

type Servers = Readonly<Record<string, Entry>>;

interface Case {
  readonly client: string;
  /** Where it is by default, in the workspace or at home. */
  readonly file: (workspace: string, home: string) => string;
  readonly there: string;
  readonly servers: (text: string) => Servers;
}

const json = '{\n  "mcpServers": {\n    "other": { "command": "other" }\n  },\n  "mine": 1\n}\n';
const toml = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "other"\n';

const cases: readonly Case[] = [
  {
    client: 'claude',
    file: (workspace) => join(workspace, '.mcp.json'),
    there: json,
    servers: (text) => JSON.parse(text).mcpServers,
  },
  {
    client: 'cursor',
    file: (workspace) => join(workspace, '.cursor', 'mcp.json'),
    there: json,
    servers: (text) => JSON.parse(text).mcpServers,
  },
  {
    client: 'vscode',
    file: (workspace) => join(workspace, '.vscode', 'mcp.json'),
    there: json.replace('mcpServers', 'servers').replace('{\n', '{\n  // mine\n'),
    servers: (text) => parseJson(text).servers,
  },
  {
    client: 'codex',
    file: (_, home) => join(home, '.codex', 'config.toml'),
    there: toml,
    servers: (text) => parseToml(text).mcp_servers as unknown as Servers,
  },
];

let workspace: Workspace;
let home: string;
beforeAll(() => {
  workspace = new Workspace();
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'surety-home-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('CODEX_HOME', '');
  return () => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true, force: true });
  };
});
afterAll(() => workspace[Symbol.asyncDispose]());

const add = (...words: string[]) => workspace.surety('mcp', 'add', ...words);

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Starts what a client would start, and asks it for its tools. */
async function toolsOf({ command, args }: Entry): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' }, negotiation('legacy'));
  await client.connect(new StdioClientTransport({ command, args, stderr: 'inherit' }));
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

// proves: mcp.add
describe('surety mcp add', () => {
  test.each(cases)('$client: adds an entry that starts, and keeps the rest', async (one) => {
    const path = one.file(workspace.root, home);
    write(path, one.there);
    const { code, value } = await add(one.client, '--agent', 'coder', '--yes');
    expect([code, value]).toMatchObject([0, { path, name: 'surety', changed: true }]);
    const text = readFileSync(path, 'utf8');
    for (const line of one.there.split('\n')) expect(text).toContain(line);
    const servers = one.servers(text);
    expect(servers).toMatchObject({ other: { command: 'other' } });
    expect(readFileSync(String(value.backup), 'utf8')).toBe(one.there);
    if (isDeep || one.client === 'claude')
      expect(await toolsOf(servers.surety as Entry)).toEqual(Object.keys(tools));

    const again = await add(one.client, '--agent', 'coder', '--yes');
    expect(again.value).toMatchObject({ changed: false, backup: null });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('creates a missing file, also for the gateway', async () => {
    const words = ['cursor', '--user', '--agent', 'coder', '--gateway', '--yes'];
    const { value } = await add(...words);
    const path = join(home, '.cursor', 'mcp.json');
    expect(value).toMatchObject({ path, name: 'surety-gateway', backup: null, changed: true });
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8'));
    expect(mcpServers['surety-gateway'].args.slice(1, 3)).toEqual(['mcp', 'gateway']);
    expect(readdirSync(dirname(path))).toEqual(['mcp.json']);
  });

  test('changes nothing with --print', async () => {
    const { code, value } = await add('codex', '--agent', 'coder', '--print');
    expect(code).toBe(0);
    expect(parseToml(String(value.text))).toMatchObject({ mcp_servers: { surety: value.entry } });
    expect(readdirSync(home)).toEqual([]);
  });

  test('asks first, and changes nothing if nobody can answer', async () => {
    const path = join(home, '.claude.json');
    write(path, json);
    const { code, value } = await add('claude', '--user', '--agent', 'coder');
    expect([code, value.fault?.code]).toEqual([2, 'USAGE']);
    expect(value.fault?.message).toContain('--yes or --print');
    expect(readFileSync(path, 'utf8')).toBe(json);
    expect(readdirSync(home)).toEqual(['.claude.json']);
  });

  test.each([
    ['codex', 'config.toml', 'model = \n'],
    ['vscode', 'mcp.json', '{"servers": {'],
  ])('%s: refuses a %s that it cannot read', async (client, file, text) => {
    const folder = client === 'codex' ? '.codex' : '.vscode';
    const path = join(workspace.root, folder, file);
    write(path, text);
    const { code, value } = await add(client, '--project', '--agent', 'coder', '--yes');
    expect([code, value.fault?.code]).toEqual([2, 'CLIENT_FILE_INVALID']);
    expect(value.fault?.remedy).toContain('--print');
    expect(readFileSync(path, 'utf8')).toBe(text);
    rmSync(dirname(path), { recursive: true });
  });
});

describe('the file of another program', () => {
  test('is read up to cliLimits.clientFileBytesMax', () => {
    const path = join(home, 'large.json');
    write(path, '');
    truncateSync(path, cliLimits.clientFileBytesMax);
    expect(readClientFile(path)).toHaveLength(cliLimits.clientFileBytesMax);
    truncateSync(path, cliLimits.clientFileBytesMax + 1);
    expect(() => readClientFile(path)).toThrow(/at most/);
  });

  test('stays a link, and keeps its mode', () => {
    const [real, link] = [join(home, 'real.json'), join(home, 'link.json')];
    writeFileSync(real, 'a', { mode: 0o640 });
    symlinkSync(real, link);
    const backup = replaceClientFile(link, 'a', 'b');
    expect(readFileSync(real, 'utf8')).toBe('b');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readFileSync(String(backup), 'utf8')).toBe('a');
  });

  test('is left alone if it changed in the meantime', () => {
    const path = join(home, 'busy.json');
    write(path, 'newer');
    expect(() => replaceClientFile(path, 'older', 'ours')).toThrow(/Another program changed/);
    expect(readFileSync(path, 'utf8')).toBe('newer');
  });

  test('gets an error message if it cannot be written', () => {
    const path = join(home, 'file', 'mcp.json');
    writeFileSync(join(home, 'file'), '');
    expect(() => replaceClientFile(path, null, '{}')).toThrow(/cannot be written/);
  });
});
