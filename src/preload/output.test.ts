import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../tests/harness/deep.ts';
import { until } from '../../tests/harness/until.ts';
import { tagEnvironment } from './index.ts';
import { serviceNodes } from './old-node.fixture.ts';
import { type ReceivedLine, Receiver } from './receiver.fixture.ts';
import { Service } from './service.fixture.ts';

const nodes = isDeep ? serviceNodes : [process.execPath];
const traceId = 'abcdef0123456789abcdef0123456789';
const headers = { traceparent: `00-${traceId}-0123456789abcdef-01`, baggage: 'surety-lane=k1' };

describe.each(nodes)('the log output of a service on %s', (node) => {
  let directory: string;
  let log: string;
  let receiver: Receiver;
  let service: Service;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'surety-output-'));
    log = join(directory, 'a.log');
    receiver = await Receiver.open();
    const tag = { telemetry: receiver.address };
    service = await Service.start({ node, file: 'output-service.cjs', tag, log });
  });

  afterAll(async () => {
    for (const one of [service, receiver]) await one?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });

  const say = (way: string, text: string): Promise<Response> =>
    service.ask(`/${way}?text=${encodeURIComponent(text)}`, undefined, { headers });
  const lineWith = (text: string): Promise<ReceivedLine> =>
    until(`${text} is reported`, () => receiver.lines.find((line) => line.text.includes(text)));
  const severities: Record<string, number> = { warn: 13, error: 17, debug: 5 };
  /** They write in a context of their own. */
  const untraced = ['child', 'thread'];

  test("leaves the properties of Node's functions unchanged", () => {
    const script = `require('node:util').promisify(require('node:fs').write)(2, '')
      .then((told) => require('node:fs').writeSync(1, Object.keys(told).join()));`;
    const tag = { service: 'a', instance: 'a/baseline/1', router: '127.0.0.1:1' };
    const env = { ...tagEnvironment({ ...tag, telemetry: receiver.address }) };
    const file = join(directory, 'functions.log');
    const end = openSync(file, 'w');
    spawnSync(node, ['-e', script], { env, stdio: ['ignore', end, end] });
    closeSync(end);
    expect(readFileSync(file, 'utf8')).toBe('bytesWritten,buffer');
  });

  // proves: telemetry.lines-traced
  test('is reported once, as it was written, with the trace and the lane of its request', async () => {
    const ways = (await (await service.ask('/ways')).json()) as string[];
    for (const way of ways.filter((one) => one !== 'flood')) {
      await say(way, `said by ${way}!`);
      const line = await lineWith(`said by ${way}!`);
      const written = await until('it is in the file', () =>
        readFileSync(log, 'utf8')
          .split('\n')
          .find((one) => one.includes(`said by ${way}!`)),
      );
      expect([way, line.text]).toEqual([way, written]);
      expect([way, line.severity]).toEqual([way, severities[way] ?? 0]);
      if (untraced.includes(way)) continue;
      expect([way, line.traceId, line.values['surety.lane']]).toEqual([way, traceId, 'k1']);
      const source = ['warn', 'error', 'stderr'].includes(way) ? 'stderr' : 'stdout';
      expect([way, line.values['log.iostream']]).toEqual([way, source]);
    }
    for (const way of ways.filter((one) => one !== 'flood')) {
      const times = receiver.lines.filter(({ text }) => text.includes(`said by ${way}!`)).length;
      expect([way, times]).toEqual([way, 1]);
    }
  });

  test('has the trace of its own gRPC call, not of an earlier one', async () => {
    const port = await (await service.ask('/grpc')).text();
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    for (const name of ['first', 'second']) {
      const metadata = new Metadata();
      const own = name === 'first' ? '1'.repeat(32) : '2'.repeat(32);
      metadata.set('traceparent', `00-${own}-0123456789abcdef-01`);
      metadata.set('baggage', `surety-lane=${name}`);
      const bytes = (value: Buffer): Buffer => value;
      await new Promise((resolve) =>
        client.makeUnaryRequest(
          '/output.Output/Say',
          bytes,
          bytes,
          Buffer.from(`${name} by gRPC`),
          metadata,
          resolve,
        ),
      );
      const line = await lineWith(`${name} by gRPC`);
      expect([line.traceId, line.values['surety.lane']]).toEqual([own, name]);
    }
    client.close();
  });

  test('is reported in part beyond a limit, with a count of the missing lines', async () => {
    await say('flood', 'flood');
    expect(
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('flood ')),
    ).toHaveLength(20_000);
    await lineWith('flood ');
    const dropped = await until('it is counted', () =>
      receiver.points.findLast(
        ({ name, values, value }) =>
          name === 'surety.reports.dropped' && values.signal === 'logs' && value > 0,
      ),
    );
    const told = receiver.lines.filter(({ text }) => text.startsWith('flood ')).length;
    expect(told).toBeGreaterThan(0);
    expect(told + dropped.value).toBeGreaterThanOrEqual(20_000);
    expect(told).toBeLessThan(10_000);
  });
});
