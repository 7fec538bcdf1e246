import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  connectTelemetry,
  readTelemetryFile,
  type TelemetryStatus,
  telemetryMain,
} from '../../src/telemetry/index.ts';

/** The real process of telemetry, as a system has it: HTTP, rows, DuckDB. */
export interface ReceivingProcess {
  /** Sends a message, and tells the status of the answer. */
  send(message: Buffer): Promise<number>;
  status(): Promise<TelemetryStatus>;
  /** Seconds on all CPUs together, since it was started. */
  cpuSeconds(): number;
  /** The most memory that it ever had. */
  peakMegabytes(): number;
  stop(): Promise<void>;
}

export async function startReceiving(): Promise<ReceivingProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-telemetry-'));
  const args = ['--disable-warning=ExperimentalWarning', telemetryMain, directory];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const telemetry = connectTelemetry(directory);
  while (!(await telemetry.ask('GET /control/status').catch(() => undefined))) await delay(20);
  await telemetry.ask('PUT /control/secrets', { values: [] });
  const { port = 0 } = readTelemetryFile(directory) ?? {};
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const pid = child.pid ?? 0;
  return {
    send: (message) => post(port, message, agent),
    status: () => telemetry.ask('GET /control/status'),
    cpuSeconds: () => cpuSecondsOf(pid),
    peakMegabytes: () => Number(/VmHWM:\s*(\d+)/.exec(read(pid, 'status'))?.[1]) / 1024,
    async stop() {
      agent.destroy();
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(directory, { recursive: true });
    },
  };
}

function read(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8');
}

const ticksPerSecond = 100;

function cpuSecondsOf(pid: number): number {
  const [, rest = ''] = read(pid, 'stat').split(') ');
  const [user, system] = rest.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / ticksPerSecond;
}

function post(port: number, body: Buffer, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { 'content-type': 'application/x-protobuf', 'content-length': body.length };
  const to = { host: '127.0.0.1', port, method: 'POST', path: '/v1/traces', headers, agent };
  const sent = request(to, (answer) => {
    answer.resume();
    answer.on('end', () => resolve(answer.statusCode ?? 0));
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}
