import { z } from 'zod';
import { limits } from '../kernel/index.ts';

/**
 * The HTTP API, as data: server, client, console and OpenAPI document are all made from this table.
 * A key is the method and path; `{name}` in a path is a parameter.
 */
export interface Operation {
  readonly summary: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType;
  /** Answers with server-sent events, one `response` each. */
  readonly stream?: true;
  /** Needs no token. */
  readonly open?: true;
}

const seq = z.coerce.number().int().min(0);

const entry = z.object({
  workspace: z.string(),
  seq: z.int(),
  at: z.int().describe('Milliseconds since the Unix epoch.'),
  kind: z.string(),
  actor: z.string(),
  digest: z.string(),
  prev: z.string(),
  hash: z.string(),
  body: z.record(z.string(), z.json()),
});

const content = z.object({
  name: z.string(),
  subject: z.string(),
  digest: z.string(),
  value: z.json().optional().describe('Absent once destroyed.'),
  shreddedBy: z.int().optional().describe('The entry that destroyed it.'),
});

const head = z.object({ seq: z.int(), at: z.int(), hash: z.string() });

const status = z.object({
  version: z.string(),
  node: z.string(),
  pid: z.int(),
  startedAt: z.int(),
  workspace: z.string(),
  directory: z.string(),
  ledger: z.object({ store: z.enum(['sqlite', 'postgres']), head }),
  keeper: z.object({ pid: z.int(), processes: z.int() }).nullable(),
  interrupted: z
    .array(z.string())
    .describe('Proposals whose outcome became unknown at this start.'),
});

const serviceStatus = z.object({
  service: z.string(),
  port: z.int(),
  state: z.enum(['running', 'stopped']),
  pid: z.int().nullable(),
  instance: z.string().nullable(),
  commit: z.string().nullable().describe('The version it runs.'),
});

const system = z.object({ services: z.array(serviceStatus) });

const written = z.object({ seq: z.int() });

export const operations = {
  'GET /v1/health': {
    summary: 'Whether the daemon answers.',
    response: z.object({ ok: z.literal(true) }),
    open: true,
  },
  'GET /v1/openapi.json': {
    summary: 'This description.',
    response: z.record(z.string(), z.json()),
    open: true,
  },
  'GET /v1/status': { summary: 'What is running, and where its ledger ends.', response: status },
  'GET /v1/entries': {
    summary: 'A page of the ledger, in order.',
    query: z.strictObject({
      from: seq.default(1).describe('The first entry wanted.'),
      limit: z.coerce.number().int().min(1).max(limits.apiPageEntriesMax).default(100),
    }),
    response: z.object({ entries: z.array(entry), head }),
  },
  'GET /v1/entries/stream': {
    summary: 'Every entry from a number on, then each new one, as server-sent events.',
    query: z.strictObject({ from: seq.default(1) }),
    response: entry,
    stream: true,
  },
  'GET /v1/entries/{seq}': {
    summary: 'One entry with the contents beside it.',
    path: z.strictObject({ seq }),
    response: z.object({ entry, contents: z.array(content) }),
  },
  'POST /v1/notes': {
    summary: 'Leaves a remark in the ledger.',
    body: z.strictObject({
      text: z.string().min(1),
      subject: z.string().optional().describe('Whom it is about; shredding takes a subject.'),
    }),
    response: written,
  },
  'POST /v1/shred': {
    summary: 'Destroys all contents about a subject; the chain stays whole.',
    body: z.strictObject({ subject: z.string() }),
    response: written,
  },
  'GET /v1/system': { summary: 'The services of the baseline.', response: system },
  'POST /v1/system/up': {
    summary: 'Starts the services that do not run, in the order of their dependencies.',
    response: system,
  },
  'POST /v1/system/down': { summary: 'Stops the services, dependants first.', response: system },
  'POST /v1/system/restart': {
    summary: 'Starts the same version of a service again.',
    body: z.strictObject({ service: z.string() }),
    response: system,
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationKey = keyof Operations;

type Part<Key extends OperationKey, Name extends string> = Operations[Key] extends {
  readonly [name in Name]: infer Schema extends z.ZodType;
}
  ? Schema
  : never;

/** What a caller gives: defaults may be left out. */
export type OperationInput<Key extends OperationKey> = {
  readonly [Name in 'path' | 'query' | 'body' as Part<Key, Name> extends never
    ? never
    : Name]: z.input<Part<Key, Name>>;
};

/** What a handler gets: checked, with defaults filled in. */
export type OperationRequest<Key extends OperationKey> = {
  readonly [Name in 'path' | 'query' | 'body' as Part<Key, Name> extends never
    ? never
    : Name]: z.output<Part<Key, Name>>;
};

export type OperationResponse<Key extends OperationKey> = z.output<Operations[Key]['response']>;
