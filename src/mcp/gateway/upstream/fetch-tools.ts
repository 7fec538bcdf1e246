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

interface ToolsRequest {
  request(message: ProtocolMessage, options: object): Promise<JsonObject>;
}

/** All pages of a server's tools. What is no tool is left out, and said. */
export async function fetchTools(
  name: string,
  session: ToolsRequest,
  log: Log,
): Promise<ReadonlyMap<string, ToolDefinition>> {
  const tools = new Map<string, ToolDefinition>();
  let cursor: Json | undefined;
  for (let page = 0; page < mcpLimits.upstreamPagesMax; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await session.request({ method: 'tools/list', params }, {});
    for (const tool of Array.isArray(answer.tools) ? answer.tools : []) {
      const isFull = tools.size >= mcpLimits.upstreamToolsMax;
      if (isFull || !isDefinition(tool) || tools.has(tool.name)) {
        const named = isJsonObject(tool) ? String(tool.name).slice(0, 100) : typeof tool;
        log('warn', 'upstream-tool-left-out', { upstream: name, tool: named });
      } else tools.set(tool.name, tool);
    }
    cursor = answer.nextCursor;
    if (typeof cursor !== 'string') break;
  }
  return tools;
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
