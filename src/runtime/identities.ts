import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Actor, fault, type Identity, sha256 } from '../kernel/index.ts';
import type { Config } from '../system/index.ts';
import type { WorkspacePlace } from './place.ts';
import { openSecret } from './state-files.ts';

/** An identity and the file with its token. */
export interface TokenHolder extends Identity {
  readonly tokenFile: string;
}

interface KnownToken extends Identity {
  readonly token: string;
}

/** Who may call: the owner of the directory, people in surety.yaml, agents of the policy. */
export class Identities {
  readonly #place: WorkspacePlace;
  readonly #config: Config;
  #holders: ReadonlyMap<string, KnownToken> = new Map();

  constructor(place: WorkspacePlace, config: Config) {
    this.#place = place;
    this.#config = config;
    this.allow([]);
  }

  /** The agents of the policy in force, in addition to those in surety.yaml. */
  allow(agents: readonly string[]): void {
    const names = new Set([...Object.keys(this.#config.agents), ...agents]);
    const holders = new Map<string, KnownToken>();
    for (const { tokenFile, actor, roles } of tokenHolders(this.#place, this.#config, names)) {
      const token = openSecret(tokenFile);
      const hash = sha256(token);
      const other = holders.get(hash);
      if (other) {
        const reason = `${other.actor} has the same one`;
        throw fault('TOKEN_UNUSABLE', { path: tokenFile, reason });
      }
      holders.set(hash, { actor, roles, token });
    }
    this.#holders = holders;
  }

  /** Looked up by hash, so that the time reveals nothing about a guess. */
  find(token: string): Identity | undefined {
    return this.#holders.get(sha256(token));
  }

  /** The token with this hash: a client gets proof that we know it before it sends it. */
  tokenOf(hash: string): string | undefined {
    return this.#holders.get(hash)?.token;
  }
}

function tokenHolders(
  place: WorkspacePlace,
  config: Config,
  agents: Iterable<string>,
): TokenHolder[] {
  return [
    ...peopleOf(place, config),
    ...Array.from(
      agents,
      (name): TokenHolder => ({
        actor: `agent:${name}`,
        roles: ['agent'],
        tokenFile: agentTokenFile(place, name),
      }),
    ),
  ];
}

/** The owner of the directory comes first. */
export function peopleOf(place: WorkspacePlace, { people }: Config): TokenHolder[] {
  return [
    { actor: localPerson(), roles: ['admin'], tokenFile: place.tokenFile },
    ...Object.entries(people).map(
      ([name, { roles }]): TokenHolder => ({
        actor: `person:${name}`,
        roles,
        tokenFile: join(place.state, 'people', `${name}.token`),
      }),
    ),
  ];
}

export function agentTokenFile(place: WorkspacePlace, agent: string): string {
  return join(place.state, 'agents', `${agent}.token`);
}

/** The user who can read the token in this directory owns it. */
export function localPerson(): Actor {
  return `person:${userInfo().username.replace(/[^\w.@+-]/g, '-')}`;
}
