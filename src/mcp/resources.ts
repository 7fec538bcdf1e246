import {
  type ListResourcesResult,
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Client } from '../http/index.ts';
import { mcpLimits } from './limits.ts';
import { type McpDeps, runTool } from './run-tool.ts';

/** A kind of resource: the answer of a tool, under an address. */
interface Kind {
  readonly title: string;
  readonly description: string;
  readonly tool: string;
  readonly parameter: string;
  /** Existing ids, if a client could not know them otherwise. */
  readonly list?: (client: Client) => Promise<readonly string[]>;
}

export const kinds: Readonly<Record<string, Kind>> = {
  contracts: {
    title: 'Contract of a tool',
    description: 'Arguments, rules, evidence, approval and recovery of a tool that is yours.',
    tool: 'get_contract',
    parameter: 'tool',
    list: async (client) =>
      (await client.call('GET /v1/contracts', {})).contracts.map(({ tool }) => tool),
  },
  tasks: {
    title: 'Task',
    description: 'Where a task stands, and what it has left.',
    tool: 'get_task',
    parameter: 'task',
    list: async (client) =>
      (await client.call('GET /v1/tasks', { query: {} })).tasks.map(({ task }) => task),
  },
  verdicts: {
    title: 'Verdict',
    description: 'A verdict with its findings.',
    tool: 'get_verdict',
    parameter: 'verdict',
    list: async (client) =>
      (await client.call('GET /v1/tasks', { query: {} })).tasks.flatMap(({ change }) =>
        change?.verdict ? [change.verdict] : [],
      ),
  },
  reports: {
    title: 'Report of an investigation',
    description: 'Captures, cause, remedy and regression case.',
    tool: 'get_report',
    parameter: 'report',
  },
  proposals: {
    title: 'Proposal',
    description: 'Why it was decided as it was, and what became of it.',
    tool: 'explain_proposal',
    parameter: 'proposal',
  },
};

export function registerResources(server: McpServer, deps: McpDeps): void {
  for (const [name, kind] of Object.entries(kinds)) {
    const { title, description, list } = kind;
    const listed = list && (() => listKind(name, kind, deps));
    const template = new ResourceTemplate(`surety://${name}/{id}`, { list: listed });
    const facts = { title, description, mimeType: 'application/json' };
    server.registerResource(name, template, facts, ({ href }, { id }, context) =>
      read(href, kind, String(id), context, deps),
    );
  }
}

/** Unlisted ones can be read as well: list_contracts and list_tasks name all of them. */
export async function listKind(
  name: string,
  { list, title }: Kind,
  { connect }: McpDeps,
): Promise<ListResourcesResult> {
  const ids = ((await list?.(connect())) ?? []).slice(0, mcpLimits.mcpResourcesMax);
  const resources = ids.map((id) => ({
    uri: `surety://${name}/${encodeURIComponent(id)}`,
    name: id,
    title: `${title} ${id}`,
    mimeType: 'application/json',
  }));
  return { resources };
}

async function read(
  uri: string,
  { tool, parameter }: Kind,
  id: string,
  context: ServerContext,
  deps: McpDeps,
) {
  const given = { [parameter]: decodeURIComponent(id) };
  const { isError, structuredContent = {}, content } = await runTool(tool, given, context, deps);
  if (isError) {
    const [first] = content;
    throw new ResourceNotFoundError(uri, first?.type === 'text' ? first.text : tool);
  }
  const text = JSON.stringify(structuredContent);
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}
