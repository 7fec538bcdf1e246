import { setTimeout as delay } from 'node:timers/promises';
import { createClock } from '../../src/kernel/index.ts';
import { KnownNames, LaneFinder, OtlpIntake } from '../../src/telemetry/otlp/index.ts';
import { readProtoTraces } from '../../src/telemetry/otlp/proto/proto-traces.ts';
import type { SpanRow, TelemetryRows } from '../../src/telemetry/rows.ts';
import {
  atLeast,
  atMost,
  type BenchResult,
  interleave,
  median,
  type Round,
  type Row,
  type Say,
} from '../bench.ts';
import { appendBare } from './bare-appender.ts';
import { makeMessages } from './otlp-messages.ts';
import { requestType } from './otlp-schema.ts';
import { type ReceivingProcess, startReceiving } from './receiving-process.ts';

const spansEach = 512;
const messagesCount = 160;
const spansCount = spansEach * messagesCount;
const rounds = 5;

/** What a span costs from the socket to the disk, beside what its parts cost by themselves. */
export async function measureIngest(say: Say): Promise<BenchResult> {
  const messages = makeMessages(messagesCount, spansEach, createClock().now());
  const rows = rowsOf(messages);
  say(
    `ingest: ${messagesCount} messages of ${spansEach} spans, ${bytesPerSpan(messages)} bytes each`,
  );
  const parts = await interleave(
    [
      { name: 'protobufjs, decoding only', round: async () => decodeBare(messages) },
      { name: 'OTLP into rows', round: async () => rowsOf(messages).length },
      { name: 'DuckDB appender, the same columns', round: () => appendBare(rows) },
    ],
    rounds,
    say,
  );
  const process = await startReceiving();
  try {
    const whole = await measureWhole(process, messages, say);
    const large = makeMessages(8, spansEach * 8, createClock().now());
    const overload = await overloadIt(process, large, say);
    return resultOf(parts, whole, overload);
  } finally {
    await process.stop();
  }
}

function bytesPerSpan(messages: readonly Buffer[]): number {
  return Math.round((messages[0]?.length ?? 0) / spansEach);
}

function decodeBare(messages: readonly Buffer[]): number {
  let spans = 0;
  for (const message of messages) {
    const decoded = requestType.decode(message) as unknown as Decoded;
    for (const { scopeSpans } of decoded.resourceSpans) spans += scopeSpans[0]?.spans.length ?? 0;
  }
  return checked(spans);
}

interface Decoded {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: object[] }[];
  }[];
}

function rowsOf(messages: readonly Buffer[]): SpanRow[] {
  const rows: SpanRow[] = [];
  const take = ({ spans = [] }: Partial<TelemetryRows>): { refused: number } => {
    for (const span of spans) rows.push(span);
    return { refused: 0 };
  };
  const names = new KnownNames();
  const lanes = new LaneFinder({ names, traceSecret: 'ab'.repeat(32) });
  const sink = { take, isFull: () => false };
  const intake = new OtlpIntake({ clock: createClock(), sink, names, lanes });
  for (const message of messages) intake.traces((to) => readProtoTraces(message, to), '');
  checked(rows.length);
  return rows;
}

function checked(spans: number): number {
  if (spans !== spansCount) throw new Error(`${spans} spans of ${spansCount} came out`);
  return spans;
}

/** CPU of the process that receives; ours, which sends, is not its business. */
async function measureWhole(
  process: ReceivingProcess,
  messages: readonly Buffer[],
  say: Say,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'the whole: warming up' : `the whole: round ${round} of ${rounds}`);
    const before = await storedBy(process);
    const cpu = process.cpuSeconds();
    const started = performance.now();
    for (const message of messages) await sendPatiently(process, message);
    // Asking costs it something, too.
    while ((await storedBy(process)) < before + spansCount) await delay(200);
    const seconds = (performance.now() - started) / 1_000;
    const cpuSeconds = process.cpuSeconds() - cpu;
    if (round > 0) measured.push({ operations: spansCount, seconds, cpuSeconds });
  }
  return measured;
}

async function sendPatiently(process: ReceivingProcess, message: Buffer): Promise<void> {
  for (;;) {
    const status = await process.send(message);
    if (status === 200) return;
    if (status !== 429 && status !== 503) throw new Error(`answered ${status}`);
    await delay(20);
  }
}

async function storedBy(process: ReceivingProcess): Promise<number> {
  return (await process.status()).sink.stored.spans;
}

interface Overload {
  readonly sent: number;
  readonly refused: number;
  readonly peakMegabytes: number;
}

const overloadMsMax = 20_000;
const refusedEnough = 50;

/** As fast as eight senders can, without waiting when they are told to. */
async function overloadIt(
  process: ReceivingProcess,
  messages: readonly Buffer[],
  say: Say,
): Promise<Overload> {
  say('overload: eight senders without pauses');
  const until = performance.now() + overloadMsMax;
  let [sent, refused] = [0, 0];
  const sender = async (): Promise<void> => {
    while (refused < refusedEnough && performance.now() < until) {
      const status = await process.send(messages[sent++ % messages.length] as Buffer);
      if (status !== 200) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  return { sent, refused, peakMegabytes: Math.round(process.peakMegabytes()) };
}

const perCore = ({ operations, cpuSeconds }: Round): number => operations / cpuSeconds;

function rowFor(contender: string, measured: readonly Round[]): Row {
  const rates = measured.map(perCore);
  return {
    contender,
    'spans per CPU second, median': Math.round(median(rates)),
    'slowest round': Math.round(Math.min(...rates)),
    'CPU µs per span': Number((1_000_000 / median(rates)).toFixed(1)),
  };
}

function resultOf(
  parts: Map<string, Round[]>,
  whole: readonly Round[],
  load: Overload,
): BenchResult {
  const rate = median(whole.map(perCore));
  const ratio = (name: string): number => {
    const bare = median((parts.get(name) ?? []).map(perCore));
    return Number((rate / bare).toFixed(2));
  };
  const rows = [...parts].map(([name, measured]) => rowFor(name, measured));
  const what = 'OTLP by HTTP, decoded and stored in DuckDB';
  return {
    bars: [
      atLeast('telemetry.ingest', `${what}, per core`, Math.round(rate), 50_000, 'spans/s'),
      atMost(
        'telemetry.ingest-memory',
        'peak memory of the process under overload',
        load.peakMegabytes,
        1_024,
        'MB',
      ),
    ],
    rows: [
      ...rows,
      {
        ...rowFor(what, whole),
        'ratio to bare decoding': ratio('protobufjs, decoding only'),
        'ratio to bare appending': ratio('DuckDB appender, the same columns'),
      },
      {
        contender: 'overload: eight senders without pauses',
        'messages sent': load.sent,
        refused: load.refused,
        'peak MB': load.peakMegabytes,
      },
    ],
  };
}
