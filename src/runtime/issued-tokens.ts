import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Actor,
  checkPrivate,
  fault,
  type MakeIdentifier,
  type Surface,
  sha256,
  writePrivateFile,
} from '../kernel/index.ts';
import { randomToken } from './state-files.ts';

/** A token besides the one in its holder's file: for one surface, and until a time. */
export interface IssuedToken {
  readonly id: string;
  readonly actor: Actor;
  readonly surface: Surface;
  readonly expiresAt: number;
  readonly token: string;
}

/** Tokens that were handed out, in a private file. */
export class IssuedTokens {
  readonly #file: string;
  #tokens: ReadonlyMap<string, IssuedToken>;

  constructor(stateDirectory: string) {
    this.#file = join(stateDirectory, 'tokens.json');
    this.#tokens = byHash(read(this.#file));
  }

  find(hash: string): IssuedToken | undefined {
    return this.#tokens.get(hash);
  }

  list(): IssuedToken[] {
    return [...this.#tokens.values()];
  }

  /** Expired ones are forgotten here, so that the file does not grow for ever. */
  issue(
    terms: Pick<IssuedToken, 'actor' | 'surface' | 'expiresAt'>,
    makeIdentifier: MakeIdentifier,
    now: number,
  ): IssuedToken {
    const made = { id: makeIdentifier('tok'), ...terms, token: randomToken() };
    this.#keep([...this.list().filter(({ expiresAt }) => expiresAt > now), made]);
    return made;
  }

  revoke(id: string): IssuedToken {
    const found = this.list().find((token) => token.id === id);
    if (!found) throw fault('NOT_FOUND', { what: `token ${id}` });
    this.#keep(this.list().filter((token) => token !== found));
    return found;
  }

  #keep(tokens: readonly IssuedToken[]): void {
    writePrivateFile(this.#file, `${JSON.stringify(tokens)}\n`);
    this.#tokens = byHash(tokens);
  }
}

function byHash(tokens: readonly IssuedToken[]): Map<string, IssuedToken> {
  return new Map(tokens.map((token) => [sha256(token.token), token]));
}

function read(file: string): readonly IssuedToken[] {
  if (!existsSync(file)) return [];
  checkPrivate(file);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as IssuedToken[];
  } catch (error) {
    throw fault('TOKEN_UNUSABLE', { path: file, reason: (error as Error).message }, error);
  }
}
