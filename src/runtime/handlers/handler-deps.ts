import type { Instant } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { Features } from '../compose/features.ts';
import type { PolicyFile } from '../compose/policy-file.ts';
import type { ProbeDesk } from '../compose/probe-desk.ts';
import type { Identities } from '../identities.ts';
import type { WorkspacePlace } from '../place.ts';
import type { KeeperWatch } from '../processes/keeper-watch.ts';
import type { TelemetryDesk } from '../telemetry/telemetry-desk.ts';
import type { McpTools } from '../tools/mcp-gateway.ts';

export interface HandlerDeps extends Features {
  readonly keeper: KeeperWatch;
  readonly identities: Identities;
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly policyFile: Pick<PolicyFile, 'problem' | 'adoptFor'>;
  readonly mcpTools: McpTools;
  readonly probes: ProbeDesk;
  readonly telemetry: TelemetryDesk;
  readonly version: string;
  readonly startedAt: Instant;
  readonly interrupted: readonly string[];
  /** Aborts when the daemon is about to exit, so that streams end. */
  readonly leaving: AbortSignal;
}
