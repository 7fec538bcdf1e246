import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { dapLimits } from '../src/probes/dap/limits.ts';
import type { CaptureBatch } from '../src/probes/port.ts';
import {
  attach,
  codeOf,
  endServers,
  expressions,
  fixtures,
  instrumenter,
  lineOf,
  type ProbedServer,
  ProbeReports,
  planOf,
  setStopped,
  startServer,
} from './harness/probed-servers.ts';

// Set by `npm run test:languages`, which installs the debugger.
const { SURETY_TEST_DLV: delve, SURETY_TEST_GO: go } = process.env;

afterEach(endServers);

describe.skipIf(!(delve && go))('probes in a Go process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'surety-probes-go-'));
  const file = join(folder, 'main.go');
  const program = join(folder, 'server');
  const stripped = join(folder, 'stripped');
  let line = 0;

  beforeAll(() => {
    for (const name of ['main.go', 'go.mod']) {
      copyFileSync(join(fixtures, 'probes-go', name), join(folder, name));
    }
    line = lineOf(file, '// PROBE');
    const build = (...args: string[]): unknown =>
      execFileSync(go ?? '', ['build', ...args, '.'], { cwd: folder, stdio: 'inherit' });
    build('-o', program);
    build('-ldflags=-s -w', '-o', stripped);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (): Promise<ProbedServer> => {
    vi.stubEnv('SURETY_DLV', delve ?? '');
    return startServer(program, []);
  };

  test('log, snapshot and counter report hits and leave the process serving', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const [log, snapshot, counter] = [new ProbeReports(), new ProbeReports(), new ProbeReports()];
    const plan = planOf('main.go', line, {
      template: ['amount=', 0, ' limit=', 1],
      expressions: expressions('order.Amount', 'limit', 'order.Password', 'missing'),
      condition: { text: 'order.Amount > 6 && order.Amount < 50' },
    });
    const instrument = await attached.place(plan, log);
    expect(instrument.place).toMatchObject({ file, line, function: 'validate' });
    await attached.place(planOf(file, line + 2, { kind: 'snapshot', hitsMax: 2 }), snapshot);
    const answer = lineOf(file, 'fmt.Fprint(');
    await attached.place(planOf(file, answer, { kind: 'counter' }), counter);

    for (const amount of [5, 7, 99]) await server.get(amount);
    await expect.poll(() => log.messages).toEqual(['amount=7 limit=100']);
    expect(log.captures[0]?.values).toMatchObject({
      'order.Amount': { value: 7 },
      'order.Password': { value: '[redacted]' },
      missing: { error: expect.stringContaining('missing') },
    });
    await expect.poll(() => snapshot.ends).toEqual(['hits']);
    const { values, stack } = snapshot.captures[0] as CaptureBatch['captures'][number];
    expect(values).toMatchObject({ limit: { type: 'int', value: 100 } });
    expect(JSON.stringify(values)).not.toContain('hunter2secret');
    expect(stack.map((frame) => frame.function)).toContain('main.handle');
    await expect.poll(() => counter.hits).toBe(3);

    expect(await attached.detach()).toEqual({
      breakpoints: 'none',
      inspector: 'closed',
      agent: 'none',
    });
    expect(await server.get(7)).toBe('true');
  });

  test('refuse a wrong line, a file that is not there, a second probe on a line, and calls', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    await attached.place(planOf(file, line), new ProbeReports());
    const codes = [
      await codeOf(attached.check(planOf(file, line + 1))),
      await codeOf(attached.check(planOf(file, line))),
      await codeOf(attached.check(planOf('other/main.go', line))),
      await codeOf(attached.check(planOf(file, line, { expressions: expressions('panic(1)') }))),
      await codeOf(attached.check(planOf(file, line, { kind: 'types' }))),
    ];
    expect(codes).toEqual([
      'PROBE_LINE_REFUSED',
      'PROBE_LINE_REFUSED',
      'PROBE_SCRIPT_NOT_FOUND',
      'PROBE_NOT_READ_ONLY',
      'PROBE_KIND_UNSUPPORTED',
    ]);
    expect(await server.get(7)).toBe('true');
  });

  test('end on a line that is hit too often', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const counter = new ProbeReports();
    await attached.place(planOf(file, line, { kind: 'counter', hitsMax: 100_000 }), counter);
    const sendMany = async (): Promise<string[]> => {
      const requests = Array.from({ length: dapLimits.dapStopsPerSecondMax }, () => server.get(1));
      await Promise.all(requests);
      return counter.ends;
    };
    await expect.poll(sendMany).toEqual(['breaker']);
    expect(counter.hits).toBeGreaterThan(dapLimits.dapStopsPerSecondMax);
    expect(await server.get(7)).toBe('true');
  });

  test('leave the process unharmed when the debugger is killed', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const log = new ProbeReports();
    await attached.place(planOf(file, line), log);
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    process.kill(Number(/^TracerPid:\s*(\d+)/m.exec(status)?.[1]), 'SIGKILL');
    await expect.poll(() => log.ends).toEqual(['connection-lost']);
    expect(await server.get(7)).toBe('true');
    expect(await attached.detach()).toMatchObject({ breakpoints: 'none' });
  });

  test('end when the process dies', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const log = new ProbeReports();
    await attached.place(planOf(file, line), log);
    server.child.kill('SIGKILL');
    await expect.poll(() => log.ends).toEqual(['process-ended']);
  });

  test('refuse a program without debug information, a stopped one and a missing debugger', async () => {
    const server = await start();
    const bare = await startServer(stripped, []);
    expect(await instrumenter.find(bare.pid)).toEqual([bare.pid]);
    expect(await codeOf(instrumenter.attach(bare.pid))).toBe('PROBE_TARGET_REFUSED');
    await setStopped(server, true);
    expect(await codeOf(instrumenter.attach(server.pid))).toBe('PROBE_TARGET_REFUSED');
    await setStopped(server, false);
    vi.stubEnv('SURETY_DLV', '/nonexistent/dlv');
    expect(await codeOf(instrumenter.attach(server.pid))).toBe('PROBE_DEBUGGER_MISSING');
    expect([await server.get(7), await bare.get(7)]).toEqual(['true', 'true']);
  });
});
