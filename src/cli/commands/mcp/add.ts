import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fault } from '../../../kernel/index.ts';
import { agentTokenFile } from '../../../runtime/identities.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { readAgent } from '../../options/agent-name.ts';
import { confirm } from '../../options/confirm.ts';
import {
  type ConfigScope,
  type McpClient,
  mcpClients,
  readClientFile,
  replaceClientFile,
  type ServerEntry,
} from './clients/index.ts';

/**
 * The file belongs to another program: the change is shown, confirmed, and made in one place after
 * a backup.
 */
export const run: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  const request = readRequest(invocation);
  const { client, name, entry, path } = request;
  const before = options.print === true ? null : readClientFile(path);
  const after = edited(before ?? '', request);
  if (options.print === true) return print(after, request, output);
  const result = { client: request.clientName, path, name, entry, backup: null as string | null };
  if (after === before) {
    output.value({ ...result, changed: false });
    output.line(`${client.title} has it already, in ${path}`);
    return exitCodes.ok;
  }
  output.line(`${path} gets ${name}:\n${showEntry(request)}`);
  if (options.yes !== true && !(await confirm(`Add it to ${client.title}?`, '--yes or --print'))) {
    output.value({ ...result, changed: false });
    return exitCodes.bad;
  }
  const backup = replaceClientFile(path, before, after);
  output.value({ ...result, backup, changed: true });
  output.line(`${output.tone('good', 'added')}  ${name} to ${path}`);
  if (backup !== null) output.line(`    backup  ${backup}`);
  adviseAgent(place, request.agent, output);
};

interface AddRequest {
  readonly clientName: string;
  readonly client: McpClient;
  readonly agent: string;
  readonly name: string;
  readonly path: string;
  readonly entry: ServerEntry & Readonly<Record<string, unknown>>;
}

function readRequest({ place, words: [clientName = ''], options }: Invocation): AddRequest {
  const client = Object.hasOwn(mcpClients, clientName) ? mcpClients[clientName] : undefined;
  if (!client) {
    const reason = `"${clientName}" is none of ${Object.keys(mcpClients).join(', ')}.`;
    throw fault('USAGE', { reason, help: 'surety mcp add --help' });
  }
  const agent = readAgent('mcp add', options.agent);
  const file = client.files[readScope(options) ?? client.scope]();
  const words = options.gateway === true ? ['mcp', 'gateway'] : ['mcp'];
  const args = [program, ...words, '--agent', agent, '--directory', place.root];
  return {
    clientName,
    client,
    agent,
    name: readName(options.name, options.gateway === true ? 'surety-gateway' : 'surety'),
    path: file.startsWith('/') ? file : join(place.root, file),
    entry: { ...client.more, command: process.execPath, args },
  };
}

function readScope({ user, project }: Invocation['options']): ConfigScope | undefined {
  if (user !== true) return project === true ? 'project' : undefined;
  if (project !== true) return 'user';
  const reason = 'Say either --user or --project.';
  throw fault('USAGE', { reason, help: 'surety mcp add --help' });
}

/** Absolute, because a client that was not started in a shell has another PATH. */
const program = fileURLToPath(new URL('../../../../bin/surety.js', import.meta.url));

function readName(given: string | boolean | undefined, usual: string): string {
  if (given === undefined) return usual;
  if (typeof given === 'string' && /^[A-Za-z0-9_-]{1,60}$/.test(given)) return given;
  const reason = `"${given}" is no name: use letters, digits, dashes.`;
  throw fault('USAGE', { reason, help: 'surety mcp add --help' });
}

function edited(before: string, { client, name, entry, path }: AddRequest): string {
  try {
    return client.edit(before, [client.section, name], entry);
  } catch (error) {
    throw fault('CLIENT_FILE_INVALID', { path, reason: firstLine(error) }, error);
  }
}

function firstLine(error: unknown): string {
  const [first = ''] = (error as Error).message.split('\n');
  return first;
}

function showEntry({ client, name, entry }: AddRequest): string {
  return client.edit('', [client.section, name], entry).trimEnd();
}

async function print(
  text: string,
  { path, entry, name }: AddRequest,
  output: Output,
): Promise<undefined> {
  output.value({ path, name, entry, text });
  if (!output.json) await output.raw(text);
}

function adviseAgent(place: WorkspacePlace, agent: string, output: Output): void {
  if (existsSync(agentTokenFile(place, agent))) return;
  output.line(
    `${output.tone('warn', 'note')}  no agent ${agent} is known here yet: name it in the`,
  );
  output.line('      policy, or under agents in surety.yaml, then: surety up');
}
