import { existsSync } from 'node:fs';
import { type Client, createClient } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import { daemonSocket } from '../../../runtime/connect.ts';
import { agentTokenFile } from '../../../runtime/identities.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { readSecret } from '../../../runtime/state-files.ts';

/** A client that acts for the agent of the harness. */
export function connectAgent(place: WorkspacePlace, agent: string): Client {
  const socketPath = daemonSocket(place);
  const file = agentTokenFile(place, agent);
  if (!existsSync(file)) {
    const reason = `No agent "${agent}" is known here.`;
    throw fault('USAGE', { reason, help: 'agents in the policy, then run: surety up' });
  }
  return createClient({ socketPath, token: readSecret(file), directory: place.root });
}
