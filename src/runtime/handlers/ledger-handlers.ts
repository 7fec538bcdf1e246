import { type HandlersOf, openApiDocument } from '../../http/api.ts';
import { committedValue } from '../../kernel/index.ts';
import { addNote, shredSubject } from '../../ledger/index.ts';
import { policySummary } from '../views/policy-view.ts';
import { telemetryView } from '../views/telemetry-view.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function ledgerHandlers(deps: HandlerDeps): HandlersOf<'ledger'> {
  const { ledger, version } = deps;
  return {
    'GET /v1/health': async () => ({ ok: true }),
    'GET /v1/openapi.json': async () => openApiDocument(version),
    'GET /v1/status': () => status(deps),
    'GET /v1/entries': async ({ query: { from, limit } }) => ({
      entries: await ledger.entries(from, limit),
      head: await ledger.head(),
    }),
    'GET /v1/entries/stream': async function* ({ query }, { signal }) {
      const until = AbortSignal.any([signal, deps.leaving]);
      for await (const entry of ledger.tail(query.from, until)) yield entry;
    },
    'GET /v1/entries/{seq}': async ({ path: { seq } }) => ({
      entry: await ledger.entry(seq),
      contents: await ledger.contents(seq),
    }),
    'POST /v1/notes': async ({ body }, { actor, key }) =>
      committedValue(await addNote(deps, actor, body, key)),
    'POST /v1/shred': async ({ body }, { actor, key }) =>
      committedValue(await shredSubject(deps, actor, body.subject, key)),
  };
}

async function status(deps: HandlerDeps) {
  const { ledger, config, place, version, startedAt, interrupted } = deps;
  const { seq, at, hash } = await ledger.head();
  const [keeper, telemetry] = await Promise.all([
    inTime(deps.keeper.status()),
    inTime(deps.telemetryProcess.status()),
  ]);
  return {
    version,
    node: process.version,
    pid: process.pid,
    startedAt,
    workspace: config.workspace,
    directory: place.root,
    ledger: {
      store: config.ledger.store,
      head: { seq, at, hash },
      problem: ledger.divergence()?.message ?? null,
    },
    policy: policySummary(deps),
    keeper: keeper === late ? null : keeper,
    telemetry: telemetry === late ? null : telemetryView(telemetry),
    telemetryProblem: telemetry === late ? unanswered : deps.telemetryProcess.problem(),
    interrupted: [...interrupted],
  };
}

const answerMsMax = 1_000;
const unanswered = `It did not answer within ${answerMsMax / 1_000} s. Its process may be paused or overloaded.`;
const late = Symbol('late');

/** The daemon says how it is, whatever has become of the processes around it. */
async function inTime<Value>(asked: Promise<Value>): Promise<Value | typeof late> {
  const { promise, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), answerMsMax);
  try {
    return await Promise.race([asked, promise]);
  } finally {
    clearTimeout(timer);
    asked.catch(() => undefined);
  }
}
