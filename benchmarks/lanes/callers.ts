import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../tests/harness/free-ports.ts';
import { commit, git } from '../../tests/harness/systems/small-system.ts';
import { Workspace } from '../../tests/harness/workspace.ts';
import { type BenchResult, median, type Row, type Say } from '../bench.ts';

const rounds = 5;
const copied = [0, 1, 3, 5] as const;
const names = ['s0', 's1', 's2', 's3', 's4', 's5'] as const;

/** Each calls the next one: as many callers as the number of the changed service says. */
const code = `import { createServer } from 'node:http';
createServer(async (_, response) => {
  const { NEXT_URL, NAME } = process.env;
  response.end(NAME + ' one ' + (NEXT_URL ? await (await fetch(NEXT_URL)).text() : ''));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** Lanes with copies of no, one, three and five unchanged callers, one behind the other. */
export async function measureCallers(say: Say): Promise<BenchResult> {
  await using workspace = await startChain();
  const opened = new Map(
    copied.map((count) => [count, { ms: [] as number[], kib: [] as number[] }]),
  );
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    for (const [count, seen] of opened) {
      const lane = await openLane(workspace, count);
      if (round === 0) continue;
      seen.ms.push(lane.ms);
      seen.kib.push(lane.kib);
    }
  }
  const rows = [...opened].map(
    ([count, { ms, kib }]): Row => ({
      contender: `a lane with ${count} copied ${count === 1 ? 'caller' : 'callers'}`,
      'ms until ready, median': Math.round(median(ms)),
      'PSS KiB of its processes': median(kib),
    }),
  );
  return { bars: [], rows };
}

async function startChain(): Promise<Workspace> {
  const ports = await freePorts(names);
  const workspace = new Workspace({ config: configuration(ports) });
  for (const name of names) writeFileSync(join(workspace.root, `${name}.mjs`), code);
  writeFileSync(join(workspace.root, '.gitignore'), '.surety/\n');
  git(workspace.root, 'init', '--quiet', '--initial-branch=main');
  commit(workspace.root, 'first');
  await workspace.up();
  await workspace.run('system', 'up');
  return workspace;
}

function configuration(ports: Readonly<Record<(typeof names)[number], number>>): string {
  const services = names.map((name, index) => {
    const next = names[index + 1];
    const url = next ? `, NEXT_URL: "http://127.0.0.1:${ports[next]}/"` : '';
    return `  ${name}:
    command: node ${name}.mjs
    port: ${ports[name]}
    environment: { NAME: ${name}${url} }
    paths: [${name}.mjs]
    dependsOn: [${next ?? ''}]
`;
  });
  return `ingress: s0\nservices:\n${services.join('')}`;
}

async function openLane(
  workspace: Workspace,
  count: number,
): Promise<{ readonly ms: number; readonly kib: number }> {
  const file = `s${count}.mjs`;
  const path = join(workspace.root, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace("' one '", "' two '"));
  const patch = git(workspace.root, 'diff', '--', file);
  git(workspace.root, 'checkout', '--quiet', '--', file);
  const client = workspace.client();
  const body = { patch, callers: 'own' as const };
  const started = performance.now();
  const { lane, address } = await client.call('POST /v1/lanes', { body });
  const ms = performance.now() - started;
  const headers = { baggage: `surety-lane=${lane.lane}` };
  const answer = await (await fetch(address, { headers })).text();
  if (!answer.includes(`s${count} two`)) throw new Error(`not the lane's answer: ${answer}`);
  const input = { path: { lane: lane.lane } };
  const { processes } = await client.call('GET /v1/lanes/{lane}', input);
  if (processes.length !== count + 1) throw new Error(`${processes.length} processes`);
  const kib = processes.map(({ pid }) => pssKib(pid)).reduce((sum, one) => sum + one, 0);
  await client.call('POST /v1/lanes/{lane}/close', input);
  return { ms, kib };
}

function pssKib(pid: number | null): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]);
}
