import type { ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Client } from '../http/index.ts';
import { outlineSchema } from './outline-schema.ts';
import type { Allowed, Tool } from './tool.ts';
import { tools } from './tools/index.ts';

type ListedTool = ListToolsResult['tools'][number];

/** The tools that the caller can use, by name. */
export function usableTools({ natives, contracts }: Allowed): string[] {
  const isUsable = ({ needs }: Tool): boolean => {
    if (needs === undefined) return true;
    if (needs === 'contracts') return contracts.length > 0;
    return needs.some((name) => natives.includes(name));
  };
  return Object.entries(tools).flatMap(([name, tool]) => (isUsable(tool) ? [name] : []));
}

/**
 * The tools that this agent may call under the policy in force. All tools while no daemon answers,
 * since each call then says why it fails.
 */
export async function listTools(connect: () => Client): Promise<ListedTool[]> {
  const names = await askUsable(connect).catch(() => Object.keys(tools));
  return names.map((name) => describeTool(name, tools[name] as Tool));
}

async function askUsable(connect: () => Client): Promise<string[]> {
  return usableTools(await connect().call('GET /v1/contracts', {}));
}

const described = new Map<string, ListedTool>();

function describeTool(name: string, { description, input, output, searched }: Tool) {
  const known = described.get(name);
  if (known) return known;
  const made: ListedTool = {
    name,
    title: titleOf(name),
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }) as ListedTool['inputSchema'],
    outputSchema: outlineSchema(output) as ListedTool['outputSchema'],
    annotations: { readOnlyHint: searched !== undefined, openWorldHint: false },
  };
  described.set(name, made);
  return made;
}

/** A title for people: `open_lane` is "Open lane". */
export function titleOf(name: string): string {
  return (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' ');
}
