import { behaviours } from '../../drift/index.ts';
import { gateProjections } from '../../gate/index.ts';
import { incidents, raisedAlerts } from '../../investigate/index.ts';
import {
  baselineServices,
  baselineVersion,
  closedLanes,
  lastPromotion,
  openLanes,
  overriddenChanges,
  recentDeployments,
  watchedPromotion,
} from '../../lanes/index.ts';
import { announcedKeys, type Projection } from '../../ledger/index.ts';
import { modelUsage } from '../../models/index.ts';
import {
  calibrations,
  disputedFindings,
  failedChanges,
  judgedChanges,
  knownFindings,
  passes,
  verifyCosts,
  verifyWeeks,
} from '../../verify/index.ts';
import { pinnedTools } from '../tools/mcp-pins.ts';

/** All projections; the rows of the ledger are exactly what these compute from its entries. */
export const projections: readonly Projection[] = [
  announcedKeys,
  ...gateProjections,
  behaviours,
  baselineServices,
  baselineVersion,
  lastPromotion,
  openLanes,
  closedLanes,
  overriddenChanges,
  recentDeployments,
  watchedPromotion,
  raisedAlerts,
  incidents,
  judgedChanges,
  failedChanges,
  passes,
  calibrations,
  knownFindings,
  disputedFindings,
  verifyCosts,
  verifyWeeks,
  pinnedTools,
  modelUsage,
];
