import { z } from 'zod';
import {
  contentSchema,
  entrySchema as entry,
  headSchema as head,
} from '../../ledger/api-schema.ts';
import { apiLimits } from '../limits.ts';
import { type Operation, readers } from './operation.ts';

const seq = z.coerce.number().int().min(0);

const telemetryStatus = z.object({
  pid: z.int(),
  port: z.int().describe('OTLP over HTTP, on 127.0.0.1.'),
  grpcPort: z.int().describe('OTLP over gRPC, on 127.0.0.1.'),
  rowsPerSecond: z.int(),
  rowsStored: z.int(),
  rowsWaiting: z.int().describe('What would be lost if it were killed now.'),
  rowsRefused: z.int().describe('What was not stored, because the queue or the disk was full.'),
  rowsLost: z.int().describe('At most so many were lost, in all the times when it was killed.'),
  bytes: z.int().describe('What it takes on the disk.'),
  counts: z.record(z.string(), z.int()).describe('What happened on the way in.'),
  trouble: z.string().nullable().describe('Why nothing can be stored at present.'),
});

const status = z.object({
  version: z.string(),
  node: z.string(),
  pid: z.int(),
  startedAt: z.int(),
  workspace: z.string(),
  directory: z.string(),
  ledger: z.object({
    store: z.enum(['sqlite', 'postgres']),
    head,
    problem: z
      .string()
      .nullable()
      .describe('Why nothing is written any more: somebody else changed the chain.'),
  }),
  policy: z.object({
    hash: z.string().nullable().describe('The one in force; null: none, and agents are denied.'),
    mode: z.enum(['enforce', 'observe']),
    problem: z
      .string()
      .nullable()
      .describe('Why what is on disk is not in force; null when it is.'),
  }),
  keeper: z.object({ pid: z.int(), processes: z.int() }).nullable(),
  telemetry: telemetryStatus
    .nullable()
    .describe('Null when it is off, or nothing has needed it yet.'),
  telemetryProblem: z
    .string()
    .nullable()
    .describe('Why it could not be started; the system runs without it.'),
  interrupted: z
    .array(z.string())
    .describe('Proposals whose outcome became unknown at this start.'),
});

const written = z.object({ seq: z.int() });

export const ledgerOperations = {
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
  'GET /v1/status': {
    summary: 'What is running, and where its ledger ends.',
    response: status,
    roles: readers,
  },
  'GET /v1/entries': {
    summary: 'A page of the ledger, in order.',
    query: z.strictObject({
      from: seq.default(1).describe('The first entry wanted.'),
      limit: z.coerce.number().int().min(1).max(apiLimits.apiPageEntriesMax).default(100),
    }),
    response: z.object({ entries: z.array(entry), head }),
    roles: readers,
  },
  'GET /v1/entries/stream': {
    summary: 'Every entry from a number on, then each new one, as server-sent events.',
    query: z.strictObject({ from: seq.default(1) }),
    response: entry,
    stream: true,
    roles: readers,
  },
  'GET /v1/entries/{seq}': {
    summary: 'One entry with the contents beside it.',
    path: z.strictObject({ seq }),
    response: z.object({ entry, contents: z.array(contentSchema) }),
    // Contents hold what callers sent, which may be about people.
    roles: ['operator', 'auditor'],
  },
  'POST /v1/notes': {
    summary: 'Leaves a remark in the ledger.',
    body: z.strictObject({
      text: z.string().min(1),
      subject: z.string().optional().describe('Whom it is about; shredding takes a subject.'),
    }),
    response: written,
    roles: ['developer', 'operator', 'approver', 'auditor'],
  },
  'POST /v1/shred': {
    summary: 'Destroys all contents about a subject; the chain stays whole.',
    body: z.strictObject({ subject: z.string() }),
    response: written,
    roles: [],
  },
} as const satisfies Record<string, Operation>;
