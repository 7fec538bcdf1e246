import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSteps } from '../steps.ts';
import { importImage, pauseImage } from './images.ts';
import { startNode } from './node.ts';

/** In the network of the node: starts it, runs the command that follows, and stops it. */
const [level = 'node', ...command] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), 'surety-kube-'));
const node = await startNode(root, { isBare: level === 'api' });
try {
  if (level === 'node') importImage(pauseImage, node.files.containerdSocket);
  process.env.SURETY_TEST_KUBERNETES = level;
  process.env.SURETY_TEST_CONTAINERD = node.files.containerdSocket;
  const [result] = await runSteps([{ name: 'Kubernetes', command, live: true }]);
  process.exitCode = result?.ok ? 0 : 1;
} finally {
  await node.stop();
  if (!process.env.SURETY_TEST_KEEP) rmSync(root, { recursive: true, force: true });
}
