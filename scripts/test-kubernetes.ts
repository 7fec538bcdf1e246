import { join } from 'node:path';
import { buildPrograms, missingPrograms } from './kubernetes/binaries.ts';
import { withNetwork } from './kubernetes/network.ts';
import { runSteps } from './steps.ts';

/**
 * `npm run test:kubernetes`: lanes in a real cluster. With KUBECONFIG in that one; otherwise on a
 * node whose programs are built here once. `--if-built` builds nothing, runs what the programs in
 * the cache allow, and says in its last line what is untested.
 */
const tests = ['vitest', 'run', '--project', 'integration', 'tests/kubernetes'];

async function main(): Promise<number> {
  if (process.env.KUBECONFIG) {
    process.env.SURETY_TEST_KUBERNETES = 'node';
    return run(tests);
  }
  if (process.argv.includes('--if-built')) return testWhatIsBuilt();
  buildPrograms((line) => process.stdout.write(`${line}\n`));
  return testOnOwnNode('node');
}

/** A control plane alone already shows which objects a cluster takes, and when it removes them. */
async function testWhatIsBuilt(): Promise<number> {
  const missing = missingPrograms('node');
  if (missing.length === 0) return testOnOwnNode('node');
  const hasControlPlane = missingPrograms('api').length === 0;
  const code = hasControlPlane ? await testOnOwnNode('api') : 0;
  const what = hasControlPlane ? 'pods are untested' : 'untested';
  process.stdout.write(`Kubernetes: ${what}, the cache lacks ${missing.join(', ')}\n`);
  return code;
}

function testOnOwnNode(level: 'api' | 'node'): Promise<number> {
  const inner = [process.execPath, join(import.meta.dirname, 'kubernetes/run-inside.ts'), level];
  return withNetwork((inside) => run(inside([...inner, ...tests])));
}

async function run(command: readonly string[]): Promise<number> {
  const [result] = await runSteps([{ name: 'lanes in Kubernetes', command, live: true }]);
  return result?.ok ? 0 : 1;
}

process.exitCode = await main();
