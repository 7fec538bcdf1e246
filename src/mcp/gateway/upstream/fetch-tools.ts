import {
  canonicalJson,
  isJsonObject,
  type Json,
  type JsonObject,
  type Log,
} from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ProtocolMessage } from '../clients/exchange.ts';
import { ownPrefix } from '../names.ts';
import type { ToolDefinition } from '../ports.ts';

export interface ToolsSource {
  readonly name: string;
  request(message: ProtocolMessage, options: object): Promise<JsonObject>;
  /** All that the server has answered so far. */
  answeredBytes(): number;
}

/** All pages of a server's tools. What is no tool is left out, and said. */
export async function fetchTools(
  source: ToolsSource,
  log: Log,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  const tools = new Map<string, ToolDefinition>();
  const leftOut = new LeftOut();
  const before = source.answeredBytes();
  let cursor: Json | undefined;
  for (let page = 0; page < mcpLimits.upstreamPagesMax; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await source.request({ method: 'tools/list', params }, {});
    if (source.answeredBytes() - before > mcpLimits.upstreamListBytesMax) throw tooLarge();
    for (const tool of Array.isArray(answer.tools) ? answer.tools : []) {
      const isFull = tools.size >= mcpLimits.upstreamToolsMax;
      if (isFull || !isDefinition(tool) || tools.has(tool.name)) leftOut.add(tool);
      else tools.set(tool.name, tool);
    }
    cursor = answer.nextCursor;
    if (typeof cursor !== 'string' || tools.size >= mcpLimits.upstreamToolsMax) break;
  }
  leftOut.tell((tool, count) =>
    log('warn', 'upstream-tool-left-out', { upstream: source.name, tool, count }),
  );
  return tools;
}

export class ListTooLarge extends Error {}

function tooLarge(): ListTooLarge {
  return new ListTooLarge(
    `its list of tools is larger than ${mcpLimits.upstreamListBytesMax} bytes`,
  );
}

const toldMax = 20;

/** Tools that are not offered: some by name, all by number. */
class LeftOut {
  readonly #names: string[] = [];
  #count = 0;

  add(tool: Json): void {
    this.#count += 1;
    if (this.#names.length >= toldMax) return;
    this.#names.push(isJsonObject(tool) ? String(tool.name).slice(0, 100) : typeof tool);
  }

  tell(say: (tool: string, count: number) => void): void {
    for (const name of this.#names) say(name, this.#count);
  }
}

function isDefinition(tool: Json): tool is ToolDefinition {
  if (!isJsonObject(tool) || typeof tool.name !== 'string') return false;
  const { name, inputSchema } = tool;
  if (!isStorable(tool)) return false;
  return (
    /^[\w./:@+-]{1,128}$/.test(name) && !name.startsWith(ownPrefix) && isJsonObject(inputSchema)
  );
}

/** It is pinned by its hash, and kept beside the entry that pins it. */
function isStorable(tool: JsonObject): boolean {
  try {
    return Buffer.byteLength(canonicalJson(tool)) <= mcpLimits.toolDefinitionBytesMax;
  } catch {
    return false;
  }
}
