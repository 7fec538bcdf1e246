import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchResult, Say } from '../bench.ts';
import { drive, median, type Phase, shareOf, sum } from './drive.ts';
import { installed } from './node-versions.ts';

const program = fileURLToPath(new URL('service.mjs', import.meta.url));
const version = '5.132.0';
const rounds = 3;
/** Fewer than in our own phases: each one that is captured stops the process. */
const requests = 500;

/**
 * dd-trace-js with a log probe on the line of the same service. It has to be in the process from
 * its start; a stub takes the place of its agent, and counts what arrives.
 */
export async function measureContender(say: Say): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'surety-bench-contender-'));
  const stub = await openStub();
  try {
    const probes = join(folder, 'probes.json');
    writeFileSync(probes, JSON.stringify([logProbe()]));
    await using plain = await start(stub.port, undefined);
    await using probed = await start(stub.port, probes);
    const phases = { none: [] as Phase[], log: [] as Phase[] };
    for (const one of [plain, probed]) await drive(one.port, 'warm up', requests);
    // It sets its breakpoint when no more scripts are loaded.
    for (let n = 0; stub.captures() === 0 && n < 20; n++) await drive(probed.port, 'wait', 100);
    const before = stub.captures();
    for (let round = 0; round < rounds; round++) {
      phases.none.push(await drive(plain.port, 'dd-trace', requests));
      phases.log.push(await drive(probed.port, 'dd-trace log', requests));
      say(`dd-trace ${version}: ${phases.log.at(-1)?.cpuUs.toFixed(1)} µs per request`);
    }
    const captures = stub.captures() - before;
    // A probe that saw nothing must not look cheap.
    if (captures === 0) throw new Error('the probe of dd-trace saw nothing');
    return {
      bars: [],
      rows: [
        rowOf('none', phases.none, phases.none, 0),
        rowOf('log', phases.log, phases.none, captures),
      ],
    };
  } finally {
    stub.close();
    rmSync(folder, { recursive: true });
  }
}

function rowOf(name: string, own: readonly Phase[], none: readonly Phase[], captures: number) {
  return {
    contender: `dd-trace ${version} ${name}, node ${process.version}`,
    'CPU µs per request': Number(median(own.map(({ cpuUs }) => cpuUs)).toFixed(1)),
    'share of a core': `${shareOf(own, none)} %`,
    'p99.9 ms': Number(median(own.map(({ p999Ms }) => p999Ms)).toFixed(1)),
    'captures per minute': Math.round((captures / sum(own.map((one) => one.seconds))) * 60),
  };
}

/** The same line and the same values as in our own phase. */
function logProbe(): object {
  const lines = readFileSync(program, 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('const amount = order.amount')) + 1;
  const read = (name: string): object => ({
    dsl: `order.${name}`,
    json: { getmember: [{ ref: 'order' }, name] },
  });
  return {
    id: 'log-1',
    version: 0,
    type: 'LOG_PROBE',
    language: 'javascript',
    where: { sourceFile: 'probes/service.mjs', lines: [String(line)] },
    tags: [],
    template: 'amount={order.amount} order={order.id}',
    segments: [{ str: 'amount=' }, read('amount'), { str: ' order=' }, read('id')],
    captureSnapshot: false,
    sampling: { snapshotsPerSecond: 5_000 },
    evaluateAt: 'EXIT',
  };
}

async function start(agentPort: number, probes: string | undefined) {
  const init = join(installed('dd-trace', version), 'init.js');
  const env = {
    ...process.env,
    DD_TRACE_AGENT_URL: `http://127.0.0.1:${agentPort}`,
    DD_DYNAMIC_INSTRUMENTATION_ENABLED: 'true',
    DD_REMOTE_CONFIGURATION_ENABLED: 'true',
    ...(probes ? { DD_DYNAMIC_INSTRUMENTATION_PROBE_FILE: probes } : {}),
  };
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, ['--require', init, program], { env, stdio: [...stdio] });
  const port = Number((await once(child.stdout, 'data'))[0]);
  return { port, [Symbol.asyncDispose]: async () => void child.kill('SIGKILL') };
}

/** Answers everything, and counts messages of the debugger. */
async function openStub() {
  let captures = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      if (request.url?.startsWith('/debugger/')) captures += countCaptures(text);
      const endpoints = ['/debugger/v1/input', '/debugger/v2/input', '/debugger/v1/diagnostics'];
      response.end(request.url === '/info' ? JSON.stringify({ endpoints }) : '{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, captures: () => captures, close };
}

function countCaptures(text: string): number {
  return text.split('"message":"amount=').length - 1;
}
