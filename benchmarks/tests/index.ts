import { spawnSync } from 'node:child_process';
import { atMost, type Benchmark, type BenchResult, type Say } from '../bench.ts';

/** A run that fails says nothing about how long the tests take: it throws. */
function measure(script: string, secondsMax: number, say: Say): BenchResult {
  say(`npm run ${script}`);
  const started = performance.now();
  const { status, stdout } = spawnSync('npm', ['run', script], { encoding: 'utf8' });
  const seconds = (performance.now() - started) / 1_000;
  if (status !== 0) throw new Error(`npm run ${script} failed:\n${stdout.slice(-4_000)}`);
  const [, passed = ''] = /(\d+) passed, 0 failed\s*$/.exec(stdout) ?? [];
  return {
    bars: [atMost(`tests.${script}`, `duration of npm run ${script}`, seconds, secondsMax, 's')],
    rows: [{ contender: `npm run ${script}`, seconds: Math.round(seconds), passed }],
  };
}

export const benchmark: Benchmark = {
  title: 'duration of the checks and of all tests',
  parts: {
    check: async (say) => measure('check', 20, say),
    test: async (say) => measure('test', 300, say),
  },
};
