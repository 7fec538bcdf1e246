import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { predictStallMs } from '../../src/probes/cost.ts';
import { attach } from '../../src/probes/node/attach.ts';
import { runSelfTest } from '../../src/probes/node/self-test.ts';
import { checkTarget } from '../../src/probes/target/target.ts';
import type { BenchResult, Say } from '../bench.ts';
import { joinResults } from './drive.ts';

const program = fileURLToPath(new URL('service.mjs', import.meta.url));
const versions = ['20', '22', '24', '26'];
/** Scripts of the application, in addition to those of Node. */
const scriptCounts = [130, 600];

/** A package of the npm registry, installed once below `.cache`, outside of the dependencies. */
export function installed(name: string, version: string): string {
  const folder = resolve('.cache', 'bench-packages', `${name}-${version}`);
  const path = join(folder, 'node_modules', name);
  if (!existsSync(path)) {
    const options = [
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
    ];
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { stdio: 'ignore' });
  }
  return path;
}

/** What holds on each version of Node that is supported: the self-test, the port, the stall. */
export async function measureVersions(say: Say): Promise<BenchResult> {
  const measured: BenchResult[] = [];
  for (const version of versions) {
    const node = join(installed(`node-${process.platform}-${process.arch}`, version), 'bin/node');
    for (const scripts of scriptCounts) measured.push(await measureVersion(node, scripts, say));
  }
  return joinResults(measured);
}

interface EnabledDebugger {
  readonly enableMs: number;
  readonly cpuMs: number;
  readonly scripts: number;
}

async function measureVersion(node: string, scripts: number, say: Say): Promise<BenchResult> {
  const child = spawn(node, [program, String(scripts)], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await once(child.stdout, 'data');
    const attachment = await attach(await checkTarget(child.pid as number));
    const { agent, version, inspector } = attachment;
    const selfTest = await runSelfTest(attachment, 1);
    const enabled = (await agent.call('enable')) as unknown as EnabledDebugger;
    await agent.call('close');
    agent.cut();
    const predictedMs = predictStallMs(enabled.scripts);
    say(`node ${version}: ${selfTest.mutations} of ${selfTest.expressions} changed something`);
    const { mutations, expressions } = selfTest;
    const bar = {
      id: `probes.mutations.${version}`,
      what: `mutations by ${expressions} expressions, on both paths, node ${version}`,
      value: mutations,
      unit: '',
      bar: '= 0',
      holds: mutations === 0 && expressions >= 200,
    };
    const ratio = Number((enabled.cpuMs / predictedMs).toFixed(2));
    const predicted = {
      id: `probes.stall.${version}.${scripts}`,
      what: `CPU time of the stall by its prediction, ${scripts} modules, node ${version}`,
      value: ratio,
      unit: '×',
      bar: '0.5 to 2',
      holds: ratio >= 0.5 && ratio <= 2,
    };
    const row = {
      contender: `node ${version}, ${scripts} modules`,
      expressions,
      mutations,
      scripts: enabled.scripts,
      'port open ms': inspector.openMs,
      'stall ms': Number(enabled.enableMs.toFixed(1)),
      'of it CPU ms': Number(enabled.cpuMs.toFixed(1)),
      'predicted ms': predictedMs,
    };
    return { bars: [...(scripts === scriptCounts[0] ? [bar] : []), predicted], rows: [row] };
  } finally {
    child.kill('SIGKILL');
  }
}
