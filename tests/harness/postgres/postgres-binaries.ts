import { findEmbedded } from './postgres-embedded.ts';
import type { Identity } from './postgres-identity.ts';
import type { Binaries, PostgresSource } from './postgres-probe.ts';
import { findSystem, systemPlaces } from './postgres-system.ts';

/** An installed PostgreSQL if there is one, else the one from npm; `source` insists on either. */
export async function findBinaries(
  source: PostgresSource | undefined,
  identity: Identity | undefined,
): Promise<Binaries> {
  if (source === 'embedded') return findEmbedded(identity);
  const system = await findSystem(identity);
  if (system) return system;
  if (source === undefined) return findEmbedded(identity);
  throw new Error(
    `No installed PostgreSQL that ${identity?.name ?? 'this user'} can run. ` +
      `Looked in ${systemPlaces}. Install one, or use SURETY_POSTGRES=embedded.`,
  );
}

export function sourceFromEnvironment(): PostgresSource | undefined {
  const wanted = process.env.SURETY_POSTGRES;
  if (!wanted) return undefined;
  if (wanted === 'system' || wanted === 'embedded') return wanted;
  throw new Error(`SURETY_POSTGRES is "${wanted}". Set it to system or embedded, or unset it.`);
}
