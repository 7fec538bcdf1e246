import { type Handlers, openApiDocument } from '../http/api.ts';
import {
  type Act,
  committedValue,
  type Instant,
  type Json,
  type JsonObject,
} from '../kernel/index.ts';
import type { Baseline } from '../lanes/index.ts';
import { addNote, type Entry, type Ledger, shredSubject } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import type { KeeperWatch } from './keeper-watch.ts';
import type { Place } from './place.ts';

export interface HandlerDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly baseline: Baseline;
  readonly keeper: KeeperWatch;
  readonly place: Place;
  readonly config: Config;
  readonly version: string;
  readonly startedAt: Instant;
  readonly interrupted: readonly string[];
  /** Aborts when the daemon is about to leave; streams end then instead of holding it up. */
  readonly leaving: AbortSignal;
}

/** What each operation of the API does, by the features it calls. */
export function createHandlers(deps: HandlerDeps): Handlers {
  const { ledger, baseline, version } = deps;
  return {
    'GET /v1/health': async () => ({ ok: true }),
    'GET /v1/openapi.json': async () => mutable(openApiDocument(version)),
    'GET /v1/status': () => status(deps),
    'GET /v1/entries': async ({ query: { from, limit } }) => ({
      entries: (await ledger.entries(from, limit)).map(showEntry),
      head: await ledger.head(),
    }),
    'GET /v1/entries/stream': async function* ({ query }, { signal }) {
      const until = AbortSignal.any([signal, deps.leaving]);
      for await (const entry of ledger.tail(query.from, until)) yield showEntry(entry);
    },
    'GET /v1/entries/{seq}': async ({ path: { seq } }) => ({
      entry: showEntry(await ledger.entry(seq)),
      contents: (await ledger.contents(seq)).map((content) => ({
        ...content,
        value: content.value as never,
      })),
    }),
    'POST /v1/notes': async ({ body }, { actor, key }) =>
      committedValue(await addNote(deps, actor, body, key)),
    'POST /v1/shred': async ({ body }, { actor, key }) =>
      committedValue(await shredSubject(deps, actor, body.subject, key)),
    'GET /v1/system': async () => ({ services: await baseline.status() }),
    'POST /v1/system/up': async (_, { actor }) => ({ services: await baseline.up(actor) }),
    'POST /v1/system/down': async (_, { actor }) => ({ services: await baseline.down(actor) }),
    'POST /v1/system/restart': async ({ body }, { actor }) => ({
      services: await baseline.restart(actor, body.service),
    }),
  };
}

async function status(deps: HandlerDeps) {
  const { ledger, config, place, version, startedAt, interrupted } = deps;
  const { seq, at, hash } = await ledger.head();
  return {
    version,
    node: process.version,
    pid: process.pid,
    startedAt,
    workspace: config.workspace,
    directory: place.root,
    ledger: { store: config.ledger.store, head: { seq, at, hash } },
    keeper: await deps.keeper.status(),
    interrupted: [...interrupted],
  };
}

function showEntry(entry: Entry) {
  return { ...entry, body: mutable(entry.body) };
}

/** The contract's types are those of zod, which knows no read-only JSON. */
function mutable(body: JsonObject): Record<string, never> {
  return body as Record<string, Json> as Record<string, never>;
}
