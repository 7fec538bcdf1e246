import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshBundle } from '../../scripts/fresh-bundle.ts';
import { atMost, type Benchmark, type BenchResult, median, quantile, type Say } from '../bench.ts';

const rounds = 40;
const tickMs = 10;

export const benchmark: Benchmark = {
  title: 'the hook of a coding agent, from its start to its end',
  parts: { hook: measureHook },
};

const policy = `version: 1
mode: enforce
include: [pack:coding-agent]
agents:
  coder: { roles: [coding-agent] }
`;

/** What one process took. */
interface Run {
  readonly ms: number;
  readonly cpuMs: number;
}

interface Contender {
  readonly name: string;
  run(round: number): Run;
}

/** In turns with a Node that reads the same input and ends: what is beyond that is ours. */
async function measureHook(say: Say): Promise<BenchResult> {
  const bundle = await freshBundle();
  // The daemon starts from the same bundle.
  process.env.SURETY_TEST_BUNDLE = bundle;
  const { Workspace } = await import('../../tests/harness/workspace.ts');
  await using workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  const { root } = workspace;
  writeFileSync(join(root, 'policy.yaml'), policy);
  await workspace.up();
  const hook = [
    join(bundle, 'cli.js'),
    'hook',
    '--harness',
    'claude',
    '--agent',
    'coder',
    '-C',
    root,
  ];
  const bare = ['--eval', 'process.stdin.resume()'];
  const contenders: readonly Contender[] = [
    {
      name: 'node that only reads its input',
      run: (round) => runOnce(bare, payload(root, 'ls src', round), ''),
    },
    {
      name: 'surety --version',
      run: () => runOnce([join(bundle, 'cli.js'), '--version'], '', undefined),
    },
    {
      name: 'surety hook, allowed',
      run: (round) => runOnce(hook, payload(root, 'ls src', round), ''),
    },
    {
      name: 'surety hook, denied',
      run: (round) => runOnce(hook, payload(root, 'sh -c "touch /srv/x"', round), 'deny'),
    },
  ];
  const measured = contenders.map((): Run[] => []);
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    contenders.forEach(({ run }, index) => {
      const taken = run(round * 10 + index);
      if (round > 0) measured[index]?.push(taken);
    });
  }
  return resultOf(contenders, measured);
}

function resultOf(contenders: readonly Contender[], measured: readonly Run[][]): BenchResult {
  const [bare = [], , allowed = []] = measured;
  const beyond = allowed.map(({ ms }, index) => ms - (bare[index]?.ms ?? 0));
  const ratio = allowed.map(({ ms }, index) => ms / (bare[index]?.ms ?? Number.NaN));
  return {
    bars: [
      atMost(
        'hooks.end-to-end',
        '`surety hook` for an allowed command, p50',
        median(allowed.map(({ ms }) => ms)),
        60,
        'ms',
      ),
      atMost(
        'hooks.over-start',
        'the same beyond an empty Node process, p50',
        median(beyond),
        15,
        'ms',
      ),
    ],
    rows: contenders.map(({ name }, index) => {
      const runs = measured[index] ?? [];
      return {
        contender: name,
        'ms, p50': Math.round(median(runs.map(({ ms }) => ms))),
        'ms, fastest': Math.round(Math.min(...runs.map(({ ms }) => ms))),
        'ms, p90': Math.round(
          quantile(
            runs.map(({ ms }) => ms),
            0.9,
          ),
        ),
        'CPU ms, mean': Math.round(runs.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / runs.length),
        'times the empty process': index === 2 ? Number(median(ratio).toFixed(2)) : '',
      };
    }),
  };
}

function payload(root: string, command: string, round: number): string {
  return JSON.stringify({
    session_id: 'bench',
    cwd: root,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: `call-${round}`,
  });
}

/** An allowed call has no answer; another answer than the expected one is no measurement. */
function runOnce(words: readonly string[], input: string, expected: string | undefined): Run {
  const cpu = childrenCpuMs();
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    input,
    encoding: 'utf8',
  });
  const ms = performance.now() - started;
  const isRight =
    expected === undefined || (expected === '' ? stdout === '' : stdout.includes(expected));
  if (status !== 0 || !isRight)
    throw new Error(`${words.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  return { ms, cpuMs: childrenCpuMs() - cpu };
}

/** Of processes that have ended. The kernel counts in ticks, so only the mean tells something. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}
