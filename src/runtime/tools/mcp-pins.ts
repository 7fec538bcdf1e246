import { type Actor, canonicalJson, fault, type JsonObject, sha256 } from '../../kernel/index.ts';
import type { Draft, Ledger, Projection } from '../../ledger/index.ts';
import type { PinState, ToolDefinition } from '../../mcp/gateway/index.ts';

/** A tool of a server behind the gateway, with its accepted definition. */
export type PinRow = {
  readonly server: string;
  readonly tool: string;
  readonly accepted: string;
  readonly acceptedSeq: number;
  /** The current definition of the server, if it differs. */
  readonly offered: string | null;
  readonly offeredSeq: number;
};

export const pinPrefix = 'mcp-tool/';

/** By hash, because a server may give its tools any names. */
export function pinKey(server: string, tool: string): string {
  return `${pinPrefix}${server}/${sha256(tool).slice(0, 32)}`;
}

export const pinnedTools: Projection = {
  kinds: ['tool-pinned', 'tool-changed', 'tool-accepted'],
  keys: ({ body }) => [pinKey(String(body.server), String(body.tool))],
  apply: (rows, { kind, body, seq }) => {
    const [server, tool, hash] = [String(body.server), String(body.tool), String(body.hash)];
    const key = pinKey(server, tool);
    const row = rows.get<PinRow>(key);
    if (kind === 'tool-changed' && row) {
      const offered = hash === row.accepted ? null : hash;
      rows.set(key, { ...row, offered, offeredSeq: seq });
      return;
    }
    // An accepted definition was offered before, and is stored with the entry of that offer.
    const acceptedSeq = kind === 'tool-accepted' && row ? row.offeredSeq : seq;
    rows.set(key, { server, tool, accepted: hash, acceptedSeq, offered: null, offeredSeq: seq });
  },
};

/** Everything that a model reads or that shapes a call, without icons and private metadata. */
function definitionHash({ _meta: _, icons: __, ...definition }: ToolDefinition): string {
  return sha256(canonicalJson(definition));
}

/** Records new tools, and definitions that changed since they were accepted. */
export async function pinTools(
  ledger: Ledger,
  server: string,
  tools: ReadonlyMap<string, ToolDefinition>,
): Promise<ReadonlyMap<string, PinState>> {
  const seen = [...tools].map(([name, definition]) => {
    const hash = definitionHash(definition);
    return { name, definition, hash, key: pinKey(server, definition.name) };
  });
  return ledger.transact({
    keys: seen.map(({ key }) => key),
    decide: (rows) => {
      const drafts: Draft[] = [];
      const states = new Map<string, PinState>();
      for (const { name, definition, hash, key } of seen) {
        const row = rows.get<PinRow>(key);
        states.set(name, !row || row.accepted === hash ? 'accepted' : 'blocked');
        const said = row ? (row.offered ?? row.accepted) : null;
        if (said !== hash) drafts.push(pinDraft(server, definition, hash, row !== undefined));
      }
      return { drafts, result: () => states };
    },
  });
}

function pinDraft(
  server: string,
  definition: ToolDefinition,
  hash: string,
  isKnown: boolean,
): Draft {
  const { name: tool } = definition;
  return {
    kind: isKnown ? 'tool-changed' : 'tool-pinned',
    actor: 'surety:gateway',
    body: { server, tool, hash },
    contents: [{ name: 'definition', subject: `mcp-tool:${server}/${tool}`, value: definition }],
  };
}

/** Accepts exactly the definition that was shown, not a newer one. */
export async function acceptTool(
  ledger: Ledger,
  { server, tool, hash, actor }: { server: string; tool: string; hash: string; actor: Actor },
): Promise<void> {
  await ledger.transact({
    keys: [pinKey(server, tool)],
    decide: (rows) => {
      const row = rows.get<PinRow>(pinKey(server, tool));
      if (!row) throw fault('NOT_FOUND', { what: `tool ${tool} of ${server}` });
      if (row.offered === null)
        throw fault('TOOL_NOT_BLOCKED', { tool, reason: 'it has not changed' });
      if (row.offered !== hash) {
        throw fault('TOOL_NOT_BLOCKED', { tool, reason: 'it has changed again since you looked' });
      }
      const body = { server, tool, hash };
      return { drafts: [{ kind: 'tool-accepted', actor, body }], result: () => undefined };
    },
  });
}

/** The definition of a tool in the entry that recorded it. */
export async function readDefinition(ledger: Ledger, seq: number): Promise<JsonObject | null> {
  const contents = await ledger.contents(seq);
  const found = contents.find(({ name }) => name === 'definition');
  return (found?.value ?? null) as JsonObject | null;
}
