import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import {
  type Actor,
  type Clock,
  durationMs,
  fault,
  type Identity,
  type Log,
  type MakeIdentifier,
  type Surface,
  sha256,
} from '../kernel/index.ts';
import type { Config } from '../system/index.ts';
import { type IssuedToken, IssuedTokens } from './issued-tokens.ts';
import { runtimeLimits } from './limits.ts';
import type { WorkspacePlace } from './place.ts';
import { openSecret, replaceSecret } from './state-files.ts';

/** An identity and the file with its token. */
export interface TokenHolder extends Identity {
  readonly tokenFile: string;
}

export interface IdentityDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
  readonly log: Log;
}

interface TokenTerms {
  readonly holder: string;
  readonly surface: Surface;
  readonly lifetime: string;
}

interface KnownToken extends Identity {
  readonly token: string;
}

/** Who may call: the owner of the directory, people in surety.yaml, agents of the policy. */
export class Identities {
  readonly #deps: IdentityDeps;
  readonly #issued: IssuedTokens;
  #holders: ReadonlyMap<string, KnownToken> = new Map();
  #agents: readonly string[] = [];
  #lookAt = 0;

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.#issued = new IssuedTokens(deps.place.state);
    this.look(deps.clock.now());
    this.allow([]);
  }

  /** The agents of the policy in force, in addition to those in surety.yaml. */
  allow(agents: readonly string[]): void {
    this.#agents = agents;
    const holders = new Map<string, KnownToken>();
    for (const { tokenFile, actor, roles } of this.#tokenHolders()) {
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
  find(token: string, surface: Surface): Identity | undefined {
    const hash = sha256(token);
    const issued = this.#issued.find(hash);
    if (!issued) return this.#holders.get(hash);
    const { actor, expiresAt } = issued;
    if (expiresAt <= this.#deps.clock.now()) {
      throw fault('TOKEN_EXPIRED', { actor, time: new Date(expiresAt).toISOString() });
    }
    if (issued.surface !== surface) {
      throw fault('TOKEN_FOR_ANOTHER_SURFACE', {
        actor,
        surface: issued.surface,
        wanted: surface,
      });
    }
    // A holder who has left has no roles any more, whatever was issued.
    return [...this.#holders.values()].find((holder) => holder.actor === actor);
  }

  /** The token with this hash: a client gets proof that we know it before it sends it. */
  tokenOf(hash: string): string | undefined {
    return (this.#holders.get(hash) ?? this.#issued.find(hash))?.token;
  }

  issued(): IssuedToken[] {
    return this.#issued.list();
  }

  issue({ holder, surface, lifetime }: TokenTerms): IssuedToken {
    const { clock, makeIdentifier } = this.#deps;
    const { actor } = this.#holderNamed(holder);
    const ms = Math.min(durationMs(lifetime), runtimeLimits.tokenLifetimeMsMax);
    const now = clock.now();
    return this.#issued.issue({ actor, surface, expiresAt: now + ms }, makeIdentifier, now);
  }

  revoke(id: string): IssuedToken {
    return this.#issued.revoke(id);
  }

  rotate(name: string): { readonly actor: Actor; readonly tokenFile: string } {
    const { actor, tokenFile } = this.#holderNamed(name);
    replaceSecret(tokenFile);
    this.allow(this.#agents);
    return { actor, tokenFile };
  }

  /** Periodic: tokens in files are replaced when they are old. Clients read the file each time. */
  look(now: number): void {
    const { api } = this.#deps.config;
    if (api.tokenDays === 0 || now < this.#lookAt) return;
    this.#lookAt = now + lookEveryMs;
    const oldest = now - api.tokenDays * dayMs;
    const old = this.#tokenHolders().filter(({ tokenFile }) => isOlder(tokenFile, oldest));
    for (const { actor, tokenFile } of old) {
      replaceSecret(tokenFile);
      this.#deps.log('warn', 'token-replaced', { actor, tokenFile, olderThanDays: api.tokenDays });
    }
    if (old.length > 0) this.allow(this.#agents);
  }

  #holderNamed(name: string): TokenHolder {
    const [owner, ...others] = this.#tokenHolders();
    const found = name === 'owner' ? owner : [owner, ...others].find((one) => one?.actor === name);
    if (!found) throw fault('NOT_FOUND', { what: `holder of a token ${name}` });
    return found;
  }

  #tokenHolders(): TokenHolder[] {
    const { place, config } = this.#deps;
    const names = new Set([...Object.keys(config.agents), ...this.#agents]);
    const agents = Array.from(names, (name): TokenHolder => {
      const tokenFile = agentTokenFile(place, name);
      return { actor: `agent:${name}`, roles: ['agent'], tokenFile };
    });
    return [...peopleOf(place, config), ...agents];
  }
}

const lookEveryMs = 60_000;
const dayMs = 86_400_000;

function isOlder(file: string, than: number): boolean {
  return existsSync(file) && statSync(file).mtimeMs < than;
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
