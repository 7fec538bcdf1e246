import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Actor, sha256 } from '../kernel/index.ts';
import type { Config } from '../system/index.ts';
import type { Place } from './place.ts';
import { openSecret, openToken } from './state-files.ts';

/** Who may call: the user whose directory this is, and every agent that the policy names. */
export function openIdentities(
  place: Place,
  { agents }: Config,
): (token: string) => Actor | undefined {
  // Looked up by hash: finding one takes as long as not finding one, whatever was guessed.
  const actors = new Map<string, Actor>([[sha256(openToken(place)), localPerson()]]);
  for (const name of Object.keys(agents)) {
    actors.set(sha256(openAgentToken(place, name)), `agent:${name}`);
  }
  return (token) => actors.get(sha256(token));
}

export function agentTokenFile(place: Place, agent: string): string {
  return join(place.state, 'agents', `${agent}.token`);
}

function openAgentToken(place: Place, agent: string): string {
  return openSecret(agentTokenFile(place, agent));
}

/** Whoever may read the token in this directory is the user who owns it. */
export function localPerson(): Actor {
  return `person:${userInfo().username.replace(/[^\w.@+-]/g, '-')}`;
}
