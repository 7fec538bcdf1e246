import type { HandlersOf } from '../../http/api.ts';
import { committedValue, fault } from '../../kernel/index.ts';
import { type PinRow, pinPrefix, readDefinition } from '../tools/mcp-pins.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function mcpHandlers(deps: HandlerDeps): HandlersOf<'mcp'> {
  const { act, ledger, mcpTools } = deps;
  return {
    'GET /v1/mcp/tools': async () => ({
      tools: (await readPins(deps)).map((row) => showPin(row, deps)),
      servers: mcpTools.servers.map((server) => ({ ...server })),
    }),
    'GET /v1/mcp/tools/{tool}': ({ path }) => compare(path.tool, deps),
    'POST /v1/mcp/tools/{tool}/accept': async ({ path, body }, { actor }) => {
      const given = { ...path, ...body };
      const proposal = { actor, tool: 'mcp.accept', arguments: given };
      const work = () => mcpTools.accept({ ...given, actor }, ledger).then(() => null);
      committedValue(await act(proposal, work));
      return compare(path.tool, deps);
    },
  };
}

async function readPins({ ledger }: HandlerDeps): Promise<PinRow[]> {
  const rows: PinRow[] = [];
  for await (const { value } of ledger.rows<PinRow>(pinPrefix)) rows.push(value);
  return rows;
}

function showPin({ server, tool, accepted, offered }: PinRow, { mcpTools }: HandlerDeps) {
  const state = offered === null ? ('accepted' as const) : ('blocked' as const);
  return { tool: mcpTools.outside(server, tool), server, state, accepted, offered };
}

async function compare(wanted: string, deps: HandlerDeps) {
  const rows = await readPins(deps);
  const row = rows.find(({ server, tool }) => deps.mcpTools.outside(server, tool) === wanted);
  if (!row) throw fault('NOT_FOUND', { what: `tool ${wanted}` });
  const { acceptedSeq, offeredSeq, offered } = row;
  const read = (seq: number) => readDefinition(deps.ledger, seq);
  return {
    ...showPin(row, deps),
    acceptedDefinition: await read(acceptedSeq),
    offeredDefinition: offered === null ? null : await read(offeredSeq),
  };
}
