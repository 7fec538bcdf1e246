import type { Tool } from '../tool.ts';
import { changeTools } from './changes.ts';
import { contractTools } from './contracts.ts';
import { incidentTools } from './incidents.ts';
import { laneTools } from './lanes.ts';
import { lockTools } from './locks.ts';
import { probeTools } from './probes.ts';
import { prometheusTools } from './prometheus.ts';
import { proposalTools } from './proposals.ts';
import { taskTools } from './tasks.ts';
import { telemetryTools } from './telemetry.ts';

/** All tools for agents. Adding one here is enough. */
export const tools: Readonly<Record<string, Tool>> = {
  ...contractTools,
  ...proposalTools,
  ...taskTools,
  ...lockTools,
  ...changeTools,
  ...laneTools,
  ...probeTools,
  ...incidentTools,
  ...telemetryTools,
  ...prometheusTools,
};
