import { fault } from '../../../kernel/index.ts';
import { type ClusterCheck, checkCluster } from '../../../kubernetes/index.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { Config } from '../../../system/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';

const tones = { ok: 'good', warn: 'warn', bad: 'bad' } as const;

export const run: RunCommand = async ({ place, output }) => {
  const config = loadConfig(place);
  if (!config.kubernetes) throw fault('KUBERNETES_UNCONFIGURED', {});
  output.progress('asking the cluster …');
  const checks = await checkCluster({ ...config.kubernetes, deployments: deploymentsOf(config) });
  const isReady = checks.every(({ level }) => level !== 'bad');
  output.value({ ok: isReady, checks });
  for (const check of checks) printCheck(check, output);
  return isReady ? exitCodes.ok : exitCodes.bad;
};

function deploymentsOf({ services }: Config): Record<string, string> {
  const entries = Object.entries(services).flatMap(([name, { lane }]) =>
    lane.kubernetes ? [[name, lane.kubernetes.deployment]] : [],
  );
  return Object.fromEntries(entries);
}

function printCheck({ name, level, detail, remedy }: ClusterCheck, output: Output): void {
  output.line(`${output.tone(tones[level], level.padEnd(5))} ${name.padEnd(12)} ${detail}`);
  if (remedy !== undefined) output.line(`${''.padEnd(19)}try  ${remedy}`);
}
