import { reservePort } from '../../src/kernel/ports.ts';

/** Apart from those that Surety gives to doors and candidates. */
const range = { first: 10_000, last: 17_999 };

/** Ports that nobody else uses. */
export async function freePorts<const Name extends string>(
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const ports = names.map(async (name) => [name, await freePort()] as const);
  return Object.fromEntries(await Promise.all(ports)) as Record<Name, number>;
}

/**
 * A port that is leased until this process ends: however long a system needs to start, and however
 * often it is started anew, no other test and no other Surety gets it.
 */
export async function freePort(): Promise<number> {
  return (await reservePort(range)).port;
}
