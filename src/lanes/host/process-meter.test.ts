import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { meterProcesses } from './process-meter.ts';

/** Burns 30 ms when it is told to, in its own process or in a child's. */
const code = `
const { spawn } = require('node:child_process');
const burn = () => { const end = process.cpuUsage().user + 30_000; while (process.cpuUsage().user < end); };
const child = process.argv[1] === 'child' ? null : spawn(process.execPath, ['-e', process.env.CODE, 'child'], { stdio: ['pipe', 'pipe', 'inherit'] });
child?.stdout.once('data', () => process.stdout.write('ready'));
child?.stdout.on('data', (text) => String(text) === 'done' && process.stdout.write('done'));
process.stdin.on('data', (whom) => {
  if (child && String(whom) === 'child') return child.stdin.write('child');
  burn();
  process.stdout.write('done');
});
process.stdin.on('end', () => { child?.stdin.end(); process.exit(); });
if (!child) process.stdout.write('ready');
`;

test('measures the CPU time of a process and its children, and of no other process', async () => {
  const env = { ...process.env, CODE: code };
  const start = () => spawn(process.execPath, ['-e', code], { env, stdio: 'pipe' });
  const [busy, idle] = [start(), start()];
  onTestFinished(() => {
    for (const child of [busy, idle]) child.stdin.end();
  });
  await Promise.all([busy, idle].map(({ stdout }) => once(stdout, 'data')));
  const meter = meterProcesses([busy.pid ?? 0, idle.pid ?? 0]);
  meter.read();
  for (const whom of ['itself', 'child']) {
    const before = meter.read();
    busy.stdin.write(whom);
    await once(busy.stdout, 'data');
    const after = meter.read();
    const [used = 0, other = 0] = after.map(({ cpuNs }, at) => cpuNs - (before[at]?.cpuNs ?? 0));
    expect(used).toBeGreaterThan(25e6);
    expect(other).toBeLessThan(used / 2);
    expect(after[0]?.residentBytes).toBeGreaterThan(1e7);
  }
});

test('reports nothing for a process that does not exist', () => {
  expect(meterProcesses([2 ** 30]).read()).toMatchObject([{ cpuNs: 0, residentBytes: 0 }]);
});
