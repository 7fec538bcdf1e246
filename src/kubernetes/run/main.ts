import { createClock, fault, toFault } from '../../kernel/index.ts';
import { connectCluster } from '../cluster/cluster.ts';
import { removeInstance } from './lane-objects.ts';
import { formatPodReport, type PodRun, podRunVariable } from './pod-run.ts';
import { runPod } from './run-pod.ts';

/** A process that stands for a pod: it ends with the pod, and the pod ends with it. */
const run = readRun(process.env[podRunVariable]);
const cluster = await connectCluster(run.context);

async function end(code: number): Promise<never> {
  await removeInstance(run, cluster).catch(() => undefined);
  process.exit(code);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(0));

try {
  const problem = await runPod(run, { cluster, clock: createClock(), output: process.stdout });
  process.stdout.write(`${formatPodReport(problem)}\n`);
} catch (error) {
  const { code, message, remedy } = toFault(error).report();
  process.stdout.write(`${formatPodReport({ kind: code, reason: message, advice: remedy })}\n`);
}
await end(1);

function readRun(text: string | undefined): PodRun {
  if (text !== undefined) return JSON.parse(text) as PodRun;
  throw fault('USAGE', {
    reason: `${podRunVariable} is missing.`,
    help: 'src/kubernetes/run/main.ts',
  });
}
