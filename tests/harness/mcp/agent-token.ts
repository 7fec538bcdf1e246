import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../../src/http/index.ts';
import { connectWithToken } from '../../../src/runtime/connect.ts';
import { patient } from '../patient.ts';
import type { Workspace } from '../workspace.ts';

/** A client that is the agent, not the person at the machine. */
export function asAgent(workspace: Workspace, agent: string): Client {
  const file = join(workspace.place.state, 'agents', `${agent}.token`);
  const token = readFileSync(file, 'utf8').trim();
  return patient(connectWithToken(workspace.place, token));
}
