import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectGateway } from '../../tests/harness/mcp/gateway-client.ts';
import { fixtureServer, openGateway } from '../../tests/harness/mcp/gateway-workspace.ts';
import type { Workspace } from '../../tests/harness/workspace.ts';
import { say } from '../steps.ts';

const harness = (file: string): string =>
  fileURLToPath(new URL(`../../tests/harness/mcp/${file}`, import.meta.url));

const overStdio = [
  ...['notifications', 'requests', 'garbage', 'large-messages', 'deep-messages', 'tool-changes'],
  ...['answers', 'endless-line', 'error-output', 'endless-pages', 'many-tools', 'silent'],
  ...['silent-list', 'crash', 'deaf'],
];
const overHttp = ['notifications', 'large-messages', 'silent'];

interface Phase {
  readonly ms: readonly number[];
  /** CPU time of the daemon, per second. */
  readonly cpuMs: number;
  readonly failed: number;
  readonly rssMb: readonly number[];
}

/**
 * `npm run campaign -- hostile-servers 60`: two daemons at the same time, so that other load on the
 * machine slows both alike. Both have two good tool servers; one also has hostile ones of every
 * kind. Tells how long the good ones' calls take in either case, and the daemons' memory.
 */
export async function hostileServersCampaign(words: readonly string[]): Promise<number> {
  const minutes = Number(words[0] ?? '10');
  const good = await startHttp([harness('modern-server.ts')]);
  const hostile = await Promise.all(
    overHttp.map((kind) => startHttp([harness('hostile-server.ts'), kind, 'http'])),
  );
  const goodServers = { shop: fixtureServer(), modern: { url: good.url } };
  const hostileServers = Object.fromEntries([
    ...overStdio.map((kind) => {
      const command = [process.execPath, harness('hostile-server.ts'), kind];
      return [`bad-${kind}`, { command }] as const;
    }),
    ...overHttp.map((kind, index) => [`far-${kind}`, { url: hostile[index]?.url }] as const),
  ]);
  try {
    const [alone, beside] = await Promise.all([
      measure(goodServers, minutes),
      measure({ ...goodServers, ...hostileServers }, minutes),
    ]);
    return report(alone, beside, Object.keys(hostileServers).length);
  } finally {
    for (const { child } of [good, ...hostile]) child.kill('SIGKILL');
  }
}

async function startHttp(
  options: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [
    Buffer,
  ];
  return { child, url: `http://127.0.0.1:${line.toString().trim()}/mcp` };
}

const policy = { version: 1, mode: 'observe', agents: { ada: { tools: ['*'] } } };
const pauseMs = 20;

async function measure(servers: Record<string, object>, minutes: number): Promise<Phase> {
  const workspace = await openGateway({ policy, servers, config: { api: noLimit } });
  const phase = { ms: [] as number[], failed: 0, cpuMs: 0, rssMb: [] as number[] };
  try {
    const clients = await Promise.all(
      (['legacy', 'modern'] as const).map((revision) => connectGateway(workspace, 'ada', revision)),
    );
    const attempt = (number: number): Promise<boolean> => {
      const [name, given] =
        number % 4 < 2
          ? (['shop.search', { query: `q${number}` }] as const)
          : (['modern.add', { a: number, b: 1 }] as const);
      const client = clients[number % 2] as (typeof clients)[number];
      const called = client.callTool({ name, arguments: given });
      return called.then(
        ({ isError }) => isError !== true,
        () => false,
      );
    };
    // Until everybody is there: how long servers take to start is not what is measured.
    for (let number = 0; number < 4; number++) await attempt(number);
    const from = performance.now();
    const cpuFrom = cpuMsOf(workspace);
    let told = from;
    for (let number = 0; performance.now() < from + minutes * 60_000; number++) {
      const begun = performance.now();
      const isGood = await attempt(number);
      phase.ms.push(performance.now() - begun);
      if (!isGood) phase.failed += 1;
      if (performance.now() - told > 1_000) {
        told = performance.now();
        phase.rssMb.push(residentMb(workspace));
      }
      await delay(pauseMs);
    }
    const seconds = (performance.now() - from) / 1_000;
    phase.cpuMs = (cpuMsOf(workspace) - cpuFrom) / seconds;
    await Promise.all(clients.map((client) => client.close()));
  } finally {
    sayCutOffs(workspace);
    await workspace[Symbol.asyncDispose]();
  }
  return phase;
}

const noLimit = { requestsPerMinute: 1_000_000 };

function processFile({ root }: Workspace, file: string): string {
  const text = readFileSync(join(root, '.surety', 'daemon.json'), 'utf8');
  const { pid } = JSON.parse(text) as { pid: number };
  return readFileSync(`/proc/${pid}/${file}`, 'utf8');
}

function residentMb(workspace: Workspace): number {
  return Number(/VmRSS:\s+(\d+)/.exec(processFile(workspace, 'status'))?.[1]) / 1_024;
}

const tickMs = 10;

function cpuMsOf(workspace: Workspace): number {
  const fields = processFile(workspace, 'stat')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function sayCutOffs({ root }: Workspace): void {
  const lines = readFileSync(join(root, '.surety', 'logs', 'daemon.log'), 'utf8').split('\n');
  const reasons = new Map<string, number>();
  for (const line of lines.filter((one) => one.includes('"upstream-cut-off"'))) {
    const { upstream, reason } = JSON.parse(line) as Record<string, string>;
    const key = `${upstream}: ${reason}`;
    reasons.set(key, (reasons.get(key) ?? 0) + 1);
  }
  for (const [reason, count] of reasons) say(`cut off ${count} times: ${reason}`);
}

function report(alone: Phase, beside: Phase, hostile: number): number {
  say('\n| good servers | calls | failed | p50 | p99 | longest | CPU of the daemon | its memory |');
  say('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const [title, phase] of [
    ['alone', alone],
    [`beside ${hostile} hostile ones`, beside],
  ] as const) {
    const { ms, failed, rssMb, cpuMs } = phase;
    const times = [0.5, 0.99, 1].map((share) => `${quantile(ms, share).toFixed(1)} ms`);
    const memory = `${Math.max(...rssMb).toFixed(0)} MB, at the end ${(rssMb.at(-1) ?? 0).toFixed(0)}`;
    say(
      `| ${[title, ms.length, failed, ...times, `${cpuMs.toFixed(0)} ms/s`, memory].join(' | ')} |`,
    );
  }
  const ratio = quantile(beside.ms, 0.99) / quantile(alone.ms, 0.99);
  say(`\np99 beside hostile servers is ${ratio.toFixed(2)} times that without them.`);
  return ratio <= 2 && beside.failed === 0 ? 0 : 1;
}

function quantile(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
