import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClock, rememberSecret, sharedLimits } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { logRow } from '../row.fixture.ts';
import type { LogRow } from '../rows.ts';
import { lineBytesRead } from './line-splitter.ts';
import { ReportedLines } from './reported-lines.ts';
import { Tail } from './tail.ts';

let directory: string;
let stored: LogRow[];
let counts: Record<string, number>;
let nowMs: number;
let lines: ReportedLines;
let tail: Tail;
let isOpen = true;

const sink = {
  take: ({ logs = [] }: { logs?: readonly LogRow[] }) => {
    stored.push(...logs);
    return { refused: 0 };
  },
  isFull: () => false,
};

function open(): Tail {
  const count = (what: string, more: number): void => {
    counts[what] = (counts[what] ?? 0) + more;
  };
  lines = new ReportedLines({ sink, nowMs: () => nowMs, count });
  const places = join(directory, 'places.json');
  const logs = join(directory, 'logs');
  return new Tail({ logs, places, lines, clock: createClock(), isOpen: () => isOpen, count });
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'surety-tail-'));
  mkdirSync(join(directory, 'logs'));
  stored = [];
  counts = {};
  nowMs = 1_000_000;
  tail = open();
});

afterEach(() => {
  tail.close();
  rmSync(directory, { recursive: true });
});

const pathOf = (name: string): string => join(directory, 'logs', name);
const write = (name: string, text: string | Buffer): void => appendFileSync(pathOf(name), text);

/** In the same file, as the keeper does it. */
function cutToNewerHalf(path: string): void {
  const newer = readFileSync(path).subarray(-sharedLimits.logFileBytesMax / 2);
  writeFileSync(path, newer.subarray(newer.indexOf(10)), { flag: 'r+' });
  truncateSync(path, newer.length - newer.indexOf(10));
}

/** All that was written by now, however long it waited for a report. */
function texts(): string[] {
  for (let look = 0; look < 3; look++) tail.look();
  nowMs += 3_000;
  tail.look();
  return stored.splice(0).map(({ text }) => text);
}

describe('the lines of a log file', () => {
  test('belong to the service and the lane in its name', () => {
    write('pricing.log', '{"level":50,"msg":"a"}\n');
    write('lane_7.pricing.log', 'b\n');
    for (const own of ['daemon', 'keeper', 'router', 'telemetry']) write(`${own}.log`, 'ours\n');
    write('notes.txt', 'no log\n');
    tail.look();
    nowMs += 3_000;
    tail.look();
    expect(stored.map(({ service, lane, severity }) => [service, lane, severity])).toEqual(
      expect.arrayContaining([
        ['pricing', '', 'error'],
        ['pricing', 'lane_7', ''],
      ]),
    );
    expect(stored).toHaveLength(2);
    expect(Number(stored[0]?.atNs ?? 0n) / 1e6).toBeCloseTo(Date.now(), -5);
  });

  test('get the signature of the message inside a structured line', () => {
    write('a.log', '{"level": "info", "message": "paid order 7", "took": 3}\npaid order 8\n');
    tail.look();
    nowMs += 3_000;
    tail.look();
    expect(stored.map(({ signature }) => signature)).toEqual(['paid order *', 'paid order *']);
  });

  test('are stored whole, however the writes are split', () => {
    write('a.log', 'one\ntw');
    expect(texts()).toEqual(['one', 'tw']);
    write('a.log', 'o of which we have told\nthree\r\n\n');
    expect(texts()).toEqual(['three']);
  });

  test('are stored as text, whatever bytes they contain', () => {
    write('a.log', Buffer.from([0x61, 0xff, 0xfe, 0x00, 0x62, 0x0a]));
    write('a.log', `${'x'.repeat(telemetryLimits.telemetryTextCharsMax + 10)}\nafter\n`);
    const [binary, long, after] = texts();
    expect(binary).toBe('a\ufffd\ufffd\u0000b');
    expect(long).toHaveLength(telemetryLimits.telemetryTextCharsMax);
    expect(after).toBe('after');
  });

  test('are stored without secrets', () => {
    write('a.log', 'authorization: Bearer abcdefghijklmnopqrstuvwxyz123456\n');
    expect(texts().join()).not.toContain('abcdefghijklmnopqrstuvwxyz123456');
  });

  test('are stored without half a secret where the line is truncated', () => {
    const secret = 'one-half-of-it-and-the-other';
    rememberSecret(secret);
    for (const end of [telemetryLimits.telemetryTextCharsMax, lineBytesRead]) {
      const most = `${'x'.repeat(end - 14)} ${secret}`;
      write(
        'a.log',
        `${most}
${`${secret} `.repeat(300)}${most}
`,
      );
    }
    const said = texts();
    expect(said).toHaveLength(4);
    expect(said.join()).not.toContain('one-half');
  });

  test('are read from the beginning once the secrets are known', () => {
    isOpen = false;
    write('a.log', 'early\n');
    expect(texts()).toEqual([]);
    isOpen = true;
    write('a.log', 'late\n');
    expect(texts()).toEqual(['early', 'late']);
  });

  test('are read on after the file was truncated to its newer half', () => {
    writeFileSync(pathOf('a.log'), '');
    for (let written = 0; written < sharedLimits.logFileBytesMax; written += 1_000_000) {
      texts();
      write('a.log', `${'x'.repeat(999_999)}\n`);
    }
    texts();
    write('a.log', 'last before\n');
    expect(texts()).toEqual(['last before']);
    cutToNewerHalf(pathOf('a.log'));
    write('a.log', 'first after\n');
    expect(texts()).toEqual(['first after']);
    expect(counts).not.toHaveProperty('log files cut before they were read');
  });

  test('are read from the start of a file that replaced another', () => {
    write('a.log', 'old\n');
    expect(texts()).toEqual(['old']);
    renameSync(pathOf('a.log'), pathOf('a.log.1'));
    write('a.log', 'new\n');
    expect(texts()).toEqual(['new']);
    rmSync(pathOf('a.log'));
    expect(texts()).toEqual([]);
    write('a.log', 'newest\n');
    expect(texts()).toEqual(['newest']);
  });

  test('are read once, also across processes', () => {
    write('a.log', 'before\n');
    expect(texts()).toEqual(['before']);
    tail.close();
    write('a.log', 'meanwhile\n');
    tail = open();
    expect(texts()).toEqual(['meanwhile']);
  });

  test('are sampled and counted when they come too fast', () => {
    const at = (bytes: number): string => `${'y'.repeat(bytes - 1)}\n`;
    writeFileSync(pathOf('a.log'), '');
    texts();
    write('a.log', at(telemetryLimits.telemetryTailBehindBytesMax));
    texts();
    expect(counts).not.toHaveProperty('bytes of lines skipped');
    for (let read = 0; read < 8; read++) texts();
    write('a.log', at(telemetryLimits.telemetryTailBehindBytesMax + 1));
    write('a.log', 'newest\n');
    expect(texts()).toEqual([
      expect.stringContaining('of the output of a were not stored'),
      'newest',
    ]);
    expect(counts['bytes of lines skipped']).toBe(
      telemetryLimits.telemetryTailBehindBytesMax + 8 - telemetryLimits.telemetryTailBytesMax,
    );
    const max = telemetryLimits.telemetryTailLinesPerSecondMax;
    write('a.log', 'z\n'.repeat(max));
    expect(texts()).toHaveLength(max);
    write('a.log', 'z\n'.repeat(max * 2));
    expect(texts()[0]).toContain('lines of the output of a were not stored');
    expect(counts['lines skipped']).toBeGreaterThanOrEqual(max);
  });
});

describe('a log line that is also reported', () => {
  const report = (text: string, more: Partial<LogRow> = {}): void => {
    const attributes = '{"log.iostream":"stderr"}';
    const row = {
      service: 'a',
      instance: 'a/baseline/r1',
      lane: '',
      atNs: 1n,
      traceId: 't'.repeat(32),
      spanId: '',
      severity: 'warn',
      text,
      signature: text,
      source: 'otlp',
      attributes,
      ...more,
    };
    lines.take({ logs: [row as LogRow] });
  };

  // proves: telemetry.lines-once
  test.each(['report', 'line'])('is stored once when the %s comes first', (first) => {
    if (first === 'report') report('said');
    write('a.log', 'said\n');
    tail.look();
    if (first === 'line') report('said');
    expect(texts()).toEqual(['said']);
  });

  test('is stored from the report, which knows the trace', () => {
    write('a.log', 'said\nsaid\n');
    tail.look();
    report('said');
    nowMs += 11_000;
    tail.look();
    expect(stored.map(({ traceId, source, instance }) => [traceId, source, instance])).toEqual([
      ['t'.repeat(32), 'stderr', 'a/baseline/r1'],
      ['', 'stdout', ''],
    ]);
  });

  test('is stored once, however late its report is on a busy machine', () => {
    report('another');
    write('a.log', 'another\nsaid\n');
    tail.look();
    nowMs += 9_000;
    tail.look();
    expect(stored.splice(0).map(({ text }) => text)).toEqual(['another']);
    nowMs += 2_000;
    tail.look();
    nowMs += 50_000;
    tail.look();
    report('said');
    expect(stored.map(({ text, traceId }) => [text, traceId])).toEqual([['said', '']]);
    expect(counts).toEqual({ 'reports of lines that were stored without': 1 });
    // The next one is another line.
    report('said');
    expect(stored).toHaveLength(2);
  });

  test('is stored once, however long its service was silent', () => {
    report('another');
    write('a.log', 'another\n');
    tail.look();
    nowMs += 600_000;
    write('a.log', 'said\n');
    tail.look();
    report('said');
    expect(texts()).toEqual(['another', 'said']);
  });

  test('belongs to the lane whose candidate wrote it, not to the lane of the request', () => {
    report('for a lane', { lane: 'lane_1' });
    report('by a candidate', { instance: 'a/lane_1/r1', lane: 'lane_1' });
    write('a.log', 'for a lane\n');
    write('lane_1.a.log', 'by a candidate\n');
    expect(texts().toSorted()).toEqual(['by a candidate', 'for a lane']);
  });

  test('does not wait if its service reports nothing', () => {
    write('a.log', 'first\n');
    tail.look();
    expect(stored).toEqual([]);
    nowMs += 20_000;
    write('a.log', 'second\n');
    tail.look();
    expect(stored.map(({ text }) => text).toSorted()).toEqual(['first', 'second']);
  });

  test('adds the facts that its reporter did not know', () => {
    report('{"level":50,"trace_id":"abcdef0123456789abcdef0123456789"}', {
      severity: '',
      traceId: '',
    });
    expect(stored).toMatchObject([
      { severity: 'error', traceId: 'abcdef0123456789abcdef0123456789' },
    ]);
  });

  const line = (text: string, service = 'a'): LogRow => logRow({ service, text });
  const offer = (text: string, service = 'a'): void =>
    lines.offer(line(text, service), { service, lane: '' });
  const fits = (bytes: number): string => 'x'.repeat((bytes - 2_000) / 2);

  test('waits for a report up to a number of waiting lines', () => {
    for (let count = 0; count < telemetryLimits.telemetryHeldLinesMax; count++)
      offer(`line ${count}`);
    expect(stored).toHaveLength(0);
    offer('one more');
    expect(stored.map(({ text }) => text)).toEqual(['one more']);
  });

  test('waits for a report up to a weight of waiting lines', () => {
    offer(fits(telemetryLimits.telemetryHeldBytesMax));
    offer('still');
    expect(stored).toHaveLength(0);
    offer('y'.repeat(1_000));
    offer('one more');
    expect(stored.map(({ text }) => text)).toEqual(['one more']);
  });

  const notRemembered = () => counts['reported lines not remembered'];

  test('is remembered as reported up to a number of lines', () => {
    for (let count = 0; count < telemetryLimits.telemetryReportedLinesMax; count++) report('same');
    expect(notRemembered()).toBeUndefined();
    report('one more');
    expect(notRemembered()).toBe(1);
    const before = stored.length;
    offer('same');
    lines.release(true);
    expect(stored).toHaveLength(before);
  });

  test('is remembered as reported up to a weight of lines', () => {
    const bytes = telemetryLimits.telemetryReportedBytesMax;
    const each = 2 * 1_000 + 128;
    for (let count = 0; count < Math.ceil(bytes / each); count++) report('x'.repeat(1_000));
    expect(notRemembered()).toBeUndefined();
    report('one more');
    expect(notRemembered()).toBe(1);
  });

  test('is stored when its service is evicted for another', () => {
    for (let count = 0; count < telemetryLimits.telemetryOutputsMax; count++)
      offer('said', `s${count}`);
    expect(stored).toHaveLength(0);
    offer('said again', 's0');
    offer('said', 'one more');
    expect(stored.map(({ service }) => service)).toEqual(['s1']);
  });
});
