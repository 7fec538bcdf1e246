import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
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
const { SURETY_TEST_DEBUGPY: python } = process.env;

afterEach(endServers);

describe.skipIf(!python)('probes in a Python process', () => {
  const file = join(fixtures, 'probes-python/handlers.py');
  const line = lineOf(file, '# PROBE');
  const end = 'probes-python/handlers.py';

  const start = async (...before: string[]): Promise<ProbedServer> => {
    vi.stubEnv('SURETY_DEBUGPY_PYTHON', python ?? '');
    return startServer('python3', [...before, file]);
  };

  test('log, snapshot and counter report hits, run nothing of the program and leave it serving', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const [log, snapshot, counter] = [new ProbeReports(), new ProbeReports(), new ProbeReports()];
    const texts = ['order.amount', 'order.total', 'order.missing', 'order.password', 'order == 1'];
    const plan = planOf(end, line, {
      template: ['amount=', 0, ' total=', 1],
      expressions: expressions(...texts),
      condition: { text: 'order.amount > 6 and order.amount < 50' },
    });
    const instrument = await attached.place(plan, log);
    expect(instrument.place).toMatchObject({ file, line, function: 'validate' });
    await attached.place(planOf(end, line, { kind: 'snapshot', hitsMax: 2 }), snapshot);
    await attached.place(planOf(file, line + 2, { kind: 'counter' }), counter);

    for (const amount of [5, 7, 99]) await server.get(amount);
    await expect
      .poll(() => log.messages)
      .toEqual(['amount=7 total=<total is computed by a property>']);
    expect(log.captures[0]?.values).toMatchObject({
      'order.amount': { type: 'int', value: 7 },
      'order.missing': { error: 'Order has no stored attribute missing' },
      'order.password': { value: '[redacted]' },
      'order == 1': { error: 'Order is compared by its own code' },
    });
    await expect.poll(() => snapshot.ends).toEqual(['hits']);
    const { values, stack } = snapshot.captures[0] as CaptureBatch['captures'][number];
    expect(values).toMatchObject({
      limit: { type: 'int', value: 100 },
      order: { type: 'Order', value: { amount: 5, self: '<cycle>', password: '[redacted]' } },
    });
    expect(stack.map((frame) => frame.function)).toContain('Handler.do_GET');
    await expect.poll(() => counter.hits).toBe(3);

    expect(await instrument.remove()).toMatchObject({ breakpoints: 'none' });
    const residue = await attached.detach();
    expect(residue).toMatchObject({ breakpoints: 'none', inspector: 'closed', agent: 'none' });
    expect(residue.notes).toContain('the modules of debugpy stay loaded until the process ends');
    expect(await server.get(7)).toBe('True');
    expect(await server.get('reads')).toBe('[]');
  });

  test('can be placed again after they were taken away', async () => {
    const server = await start();
    for (const amount of [1, 2]) {
      const attached = await attach(server.pid);
      const log = new ProbeReports();
      const plan = planOf(end, line, { template: [0], expressions: expressions('order.amount') });
      await attached.place(plan, log);
      await server.get(amount);
      await expect.poll(() => log.messages).toEqual([String(amount)]);
      await attached.detach();
    }
    expect(await server.get(7)).toBe('True');
  });

  test('attach to a process that was started with debugpy, and leave it listening', async () => {
    vi.stubEnv('SURETY_DEBUGPY_PYTHON', python ?? '');
    const { port, close } = await takePort();
    await close();
    const words = ['-m', 'debugpy', '--listen', `127.0.0.1:${port}`, file];
    const server = await startServer(python ?? '', words);
    const attached = await attach(server.pid);
    const log = new ProbeReports();
    const plan = planOf(end, line, { template: [0], expressions: expressions('limit') });
    await attached.place(plan, log);
    await server.get(3);
    await expect.poll(() => log.messages).toEqual(['100']);
    expect(await attached.detach()).toMatchObject({ inspector: 'open as it was found' });
    expect(await server.get(3)).toBe('True');
  });

  test('refuse a wrong line, a file that is not loaded, and what could change the process', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const codes = [
      await codeOf(attached.check(planOf(end, line + 1))),
      await codeOf(attached.check(planOf(end, 9_999))),
      await codeOf(attached.check(planOf('other/handlers.py', line))),
      await codeOf(attached.check(planOf(end, line, { expressions: expressions('order.save()') }))),
      await codeOf(attached.check(planOf(end, line, { kind: 'branch' }))),
      await codeOf(attached.check(planOf(end, line, { condition: { text: 'order.password' } }))),
    ];
    expect(codes).toEqual([
      'PROBE_LINE_REFUSED',
      'PROBE_LINE_REFUSED',
      'PROBE_SCRIPT_NOT_FOUND',
      'PROBE_NOT_READ_ONLY',
      'PROBE_KIND_UNSUPPORTED',
      'PROBE_EXPRESSION_INVALID',
    ]);
    expect(await server.get(7)).toBe('True');
  });

  test('report at most the captures of a second, and count the rest', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const log = new ProbeReports();
    await attached.place(planOf(end, line, { hitsMax: 10_000 }), log);
    const requests = 5 * dapLimits.dapCapturesPerSecondMax;
    for (let sent = 0; sent < requests; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => server.get(1)));
    }
    await expect.poll(() => log.hits).toBe(requests);
    const perSecond = Object.values(
      Object.groupBy(log.captures, ({ at }) => Math.floor(at / 1_000)),
    ).map((captures) => captures?.length ?? 0);
    // The process counts seconds of its own clock, which may begin in the middle of ours.
    expect(Math.max(...perSecond)).toBeLessThanOrEqual(2 * dapLimits.dapCapturesPerSecondMax);
    expect(log.captures.length + (log.summary?.dropped ?? 0)).toBe(requests);
  });

  test('end when the process dies', async () => {
    const server = await start();
    const attached = await attach(server.pid);
    const log = new ProbeReports();
    await attached.place(planOf(end, line), log);
    server.child.kill('SIGKILL');
    await expect.poll(() => log.ends).toEqual(['process-ended']);
    expect(await attached.detach()).toMatchObject({ breakpoints: 'gone with its process' });
  });

  test('refuse a stopped process and a missing debugger, and touch neither', async () => {
    const server = await start();
    await setStopped(server, true);
    expect(await codeOf(instrumenter.attach(server.pid))).toBe('PROBE_TARGET_REFUSED');
    await setStopped(server, false);
    vi.stubEnv('SURETY_DEBUGPY_PYTHON', '/nonexistent/python');
    expect(await codeOf(instrumenter.attach(server.pid))).toBe('PROBE_DEBUGGER_MISSING');
    expect(await server.get(7)).toBe('True');
  });
});

describe.skipIf(!python)('values in captures of a Python process', () => {
  /** What our module makes of a value in a process with the real limits. */
  const run = (code: string): unknown => {
    const limits = {
      depth: dapLimits.dapValueDepthMax,
      members: dapLimits.dapMembersMax,
      nodes: dapLimits.dapNodesMax,
      perSecond: dapLimits.dapCapturesPerSecondMax,
      locals: dapLimits.dapLocalsMax,
      frames: dapLimits.dapFramesMax,
      chars: 300,
    };
    const load = `import json, surety_probe as p; p.LIMITS.update(${JSON.stringify(limits)})`;
    const env = { ...process.env, PYTHONPATH: resolve('src/probes/dap/python') };
    const options = { env: { ...env, PYTHONDONTWRITEBYTECODE: '1' }, encoding: 'utf8' } as const;
    return JSON.parse(execFileSync('python3', ['-c', `${load}\n${code}`], options));
  };
  const copy = (value: string): unknown => run(`print(json.dumps(p.Copy().of(${value})))`);

  test('are as deep as the limit, and not deeper', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(copy(nested(dapLimits.dapValueDepthMax))).toEqual([[[]]]);
    expect(copy(nested(dapLimits.dapValueDepthMax + 1))).toEqual([[['<list>']]]);
  });

  test('have as many members as the limit, and say how many more there are', () => {
    const max = dapLimits.dapMembersMax;
    expect(copy(`[0] * ${max}`)).toHaveLength(max);
    expect(copy(`[0] * ${max + 1}`)).toEqual([...Array(max).fill(0), '<1 more>']);
    expect(copy(`{n: n for n in range(${max + 3})}`)).toMatchObject({ '<more>': 3 });
  });

  test('have as many values inside as the limit', () => {
    const rows = dapLimits.dapNodesMax / 10 - 1;
    expect(JSON.stringify(copy(`[[0] * 10] * ${rows}`))).not.toContain('more');
    expect(JSON.stringify(copy(`[[0] * 10] * ${rows - 1} + [[0] * 11]`))).toContain('1 more');
  });

  test('of a snapshot are as many local variables as the limit', () => {
    const locals = (count: number): unknown => {
      const names = Array.from({ length: count }, (_, number) => `v${number} = 0`).join('; ');
      const plan = `dict(id=1, kind='snapshot', expressions=[], condition=None, sampleRate=1, hitsMax=1)`;
      return run(
        `import sys\ndef f():\n  ${names}\n  return p.Probe(${plan}).hit(sys._getframe())\nprint(json.dumps(f()['values']))`,
      );
    };
    expect(locals(dapLimits.dapLocalsMax)).toHaveLength(dapLimits.dapLocalsMax);
    expect(locals(dapLimits.dapLocalsMax + 1)).toHaveLength(dapLimits.dapLocalsMax);
  });

  test('name what is cyclic, not a number, or too large', () => {
    const code = "a = []; a.append(a); print(json.dumps(p.Copy().of([a, float('nan'), 2**2000])))";
    expect(run(code)).toEqual([['<cycle>'], 'nan', '<2001 bits>']);
    expect(copy("'x' * 1_000_000")).toHaveLength(300);
  });
});

async function takePort(): Promise<{ port: number; close(): Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { port, close: () => once(server.close(), 'close') };
}
