import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTokenFile } from '../../src/runtime/identities.ts';
import { findPlace, type WorkspacePlace } from '../../src/runtime/place.ts';
import { atLeast, type BenchResult, interleave, median, perSecond, type Say } from '../bench.ts';
import { Line } from '../line.ts';
import { cpuSecondsOf, Processes } from '../processes.ts';
import { policy, refund } from './workload.ts';

const agents = 64;
const proposalsPerRound = 3_200;
const rounds = 7;

/** From the request of an agent to the answer of its tool: one daemon, with everything it does. */
export async function measureOverHttp(say: Say): Promise<BenchResult> {
  const root = mkdtempSync(join(tmpdir(), 'surety-bench-http-'));
  const processes = new Processes();
  try {
    const tool = await processes.start('./gate/tool-process.ts');
    const place = layOut(root, tool.port);
    const daemon = await processes.startDaemon(place);
    say('POST /v1/proposals');
    const result = await measure(place, daemon, say);
    const calls = await (await fetch(`http://127.0.0.1:${tool.port}/`)).json();
    const expected = proposalsPerRound * (rounds + 1);
    if (calls !== expected) throw new Error(`${calls} calls instead of ${expected}`);
    return result;
  } finally {
    await processes.end();
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(
  place: WorkspacePlace,
  { port, pid }: { readonly port: number; readonly pid: number },
  say: Say,
): Promise<BenchResult> {
  const names = Array.from({ length: agents }, (_, index) => `agent-${index}`);
  const tokens = names.map((name) => readFileSync(agentTokenFile(place, name), 'utf8').trim());
  const lines = await Promise.all(tokens.map(() => Line.open(port)));
  const cpu: number[] = [];
  let next = 0;
  const round = async (): Promise<number> => {
    const before = cpuSecondsOf(pid);
    const end = next + proposalsPerRound;
    const propose = async (line: Line, index: number): Promise<void> => {
      while (next < end) {
        const body = await line.send(requestOf(port, tokens[index] as string, next++));
        if (!body.includes('"status":"committed"')) throw new Error(`it answered ${body}`);
      }
    };
    await Promise.all(lines.map(propose));
    cpu.push(((cpuSecondsOf(pid) - before) / proposalsPerRound) * 1_000_000);
    return proposalsPerRound;
  };
  const name = `POST /v1/proposals with a tool over HTTP, ${agents} agents`;
  const measured = (await interleave([{ name, round }], rounds, say)).get(name) ?? [];
  for (const line of lines) line.close();
  const rates = measured.map(perSecond);
  return {
    bars: [atLeast('gate.http', name, median(rates), 2_000, '/s')],
    rows: [
      {
        contender: name,
        'per second, median': Math.round(median(rates)),
        'slowest round': Math.round(Math.min(...rates)),
        'fastest round': Math.round(Math.max(...rates)),
        'CPU µs each': Number(median(cpu.slice(1)).toFixed(1)),
      },
    ],
  };
}

function layOut(root: string, port: number): WorkspacePlace {
  const place = findPlace(root, '.');
  mkdirSync(place.state, { mode: 0o700 });
  writeFileSync(place.configFile, JSON.stringify({ policy: 'policy.yaml' }));
  const run = { http: { method: 'POST' as const, url: `http://127.0.0.1:${port}/refunds` } };
  writeFileSync(join(root, 'policy.yaml'), JSON.stringify(policy(agents, run)));
  return place;
}

function requestOf(port: number, token: string, index: number): string {
  const { tool, arguments: given } = refund(index);
  const body = JSON.stringify({ tool, arguments: given });
  return [
    'POST /v1/proposals HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}
