import { readFileSync } from 'node:fs';
import { cliLimits } from '../../src/cli/limits.ts';
import { confinementLimits } from '../../src/confinement/limits.ts';
import { gateLimits } from '../../src/gate/limits.ts';
import { hookLimits } from '../../src/hook/index.ts';
import { apiLimits } from '../../src/http/limits.ts';
import { alertLimits } from '../../src/investigate/limits.ts';
import { rankLimits } from '../../src/investigate/rank/limits.ts';
import { keeperLimits } from '../../src/keeper/limits.ts';
import { sharedLimits } from '../../src/kernel/index.ts';
import { kubernetesLimits } from '../../src/kubernetes/limits.ts';
import { laneLimits } from '../../src/lanes/limits.ts';
import { ledgerLimits } from '../../src/ledger/limits.ts';
import { mcpLimits } from '../../src/mcp/limits.ts';
import { modelLimits } from '../../src/models/limits.ts';
import { dapLimits } from '../../src/probes/dap/limits.ts';
import { probeLimits } from '../../src/probes/limits.ts';
import { routerLimits } from '../../src/router/limits.ts';
import { runtimeLimits } from '../../src/runtime/limits.ts';
import { systemLimits } from '../../src/system/limits.ts';
import { telemetryLimits } from '../../src/telemetry/limits.ts';
import { verifyLimits } from '../../src/verify/limits.ts';
import { grantLimits } from '../../src/verify-grant/limits.ts';

export interface LimitTable {
  readonly title: string;
  /** The table is `src/<folder>/limits.ts`. */
  readonly folder: string;
  readonly limits: Readonly<Record<string, number>>;
}

/** Every table of limits, in the order of docs/limits.md. */
export const limitTables: readonly LimitTable[] = [
  { title: 'Shared', folder: 'kernel', limits: sharedLimits },
  { title: 'Configuration', folder: 'system', limits: systemLimits },
  { title: 'Gate', folder: 'gate', limits: gateLimits },
  { title: 'Models', folder: 'models', limits: modelLimits },
  { title: 'Grants', folder: 'verify-grant', limits: grantLimits },
  { title: 'Hooks', folder: 'hook', limits: hookLimits },
  { title: 'Ledger', folder: 'ledger', limits: ledgerLimits },
  { title: 'Lanes', folder: 'lanes', limits: laneLimits },
  { title: 'Router', folder: 'router', limits: routerLimits },
  { title: 'Verification', folder: 'verify', limits: verifyLimits },
  { title: 'Probes', folder: 'probes', limits: probeLimits },
  { title: 'Probes in other languages', folder: 'probes/dap', limits: dapLimits },
  { title: 'Alerts', folder: 'investigate', limits: alertLimits },
  { title: 'Ranking', folder: 'investigate/rank', limits: rankLimits },
  { title: 'Telemetry', folder: 'telemetry', limits: telemetryLimits },
  { title: 'MCP', folder: 'mcp', limits: mcpLimits },
  { title: 'API', folder: 'http', limits: apiLimits },
  { title: 'Daemon', folder: 'runtime', limits: runtimeLimits },
  { title: 'Confinement', folder: 'confinement', limits: confinementLimits },
  { title: 'Keeper', folder: 'keeper', limits: keeperLimits },
  { title: 'Kubernetes', folder: 'kubernetes', limits: kubernetesLimits },
  { title: 'Command line', folder: 'cli', limits: cliLimits },
];

/** The comment above a limit in its table. */
export function readMeanings({ folder }: LimitTable): ReadonlyMap<string, string> {
  const path = new URL(`../../src/${folder}/limits.ts`, import.meta.url);
  const pattern = /\/\*\* ([^\n]*) \*\/\n {2}(\w+):/g;
  const found = readFileSync(path, 'utf8').matchAll(pattern);
  return new Map([...found].map(([, meaning = '', name = '']) => [name, meaning]));
}
