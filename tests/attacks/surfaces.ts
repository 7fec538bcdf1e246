import { approvalAttempts } from './approvals.attempts.ts';
import type { Attempt, Surfaces } from './attempt.ts';
import { callAttempts } from './calls.attempts.ts';
import type { GatewayScene } from './gateway-scene.ts';
import { grantAttempts } from './grants.attempts.ts';
import type { GuardedScene } from './guarded-scene.ts';
import { hostileCodeAttempts } from './hostile-code.attempts.ts';
import { gatewayCallAttempts, ownToolAttempts, sessionAttempts } from './mcp.attempts.ts';
import { bodyAttempts, framingAttempts, pageAttempts, tokenAttempts } from './requests.attempts.ts';
import { agentRoleAttempts, personAttempts } from './roles.attempts.ts';
import {
  laneAttempts,
  queryAttempts,
  routerAttempts,
  telemetryAttempts,
} from './system.attempts.ts';
import type { SystemScene } from './system-scene.ts';
import { taskAttempts } from './tasks.attempts.ts';

/** Attempts against a daemon with a policy. */
export const daemonSurfaces: Surfaces<GuardedScene> = {
  tokens: tokenAttempts,
  'framing of requests': framingAttempts,
  'bodies of requests': bodyAttempts,
  'web pages': pageAttempts,
  roles: [...personAttempts, ...agentRoleAttempts],
  grants: grantAttempts,
  tasks: taskAttempts,
  approvals: approvalAttempts,
  calls: callAttempts,
};

/** Attempts against the gateway and Surety's own tools over MCP. */
export const gatewaySurfaces: Surfaces<GatewayScene> = {
  'sessions of MCP': sessionAttempts,
  'calls through the gateway': gatewayCallAttempts,
  "Surety's own tools": ownToolAttempts,
};

/** Attempts against running services, their lanes, the router and telemetry. */
export const systemSurfaces: Surfaces<SystemScene> = {
  lanes: laneAttempts,
  'queries of telemetry': queryAttempts,
  'the router': routerAttempts,
  'reports of telemetry': telemetryAttempts,
  'those who look at services': hostileCodeAttempts,
};

const inFile = <Scene>(file: string, surfaces: Surfaces<Scene>) =>
  Object.values(surfaces)
    .flat()
    .map(({ attack: _, ...attempt }) => ({ ...attempt, file }));

/** The attempts of all surfaces, with the test that makes them. */
export const attempts: readonly (Omit<Attempt<never>, 'attack'> & { readonly file: string })[] = [
  ...inFile('tests/attacks/daemon.test.ts', daemonSurfaces),
  ...inFile('tests/attacks/gateway.test.ts', gatewaySurfaces),
  ...inFile('tests/attacks/system.test.ts', systemSurfaces),
];
