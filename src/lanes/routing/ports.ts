import { leasePort, type PortLease, portRanges, reservePort } from '../../kernel/index.ts';

/**
 * Ports of candidates, each leased for its lane: no other Surety on this machine takes one, also
 * not while a candidate that crashed is silent, whose router would send requests there.
 */
export class Ports {
  readonly #leases = new Map<string, PortLease[]>();

  /** `inUse`: ports that somebody will listen on, whether or not anybody does now. */
  async reserve(lane: string, inUse: ReadonlySet<number>): Promise<number> {
    const lease = await reservePort(portRanges.candidates, inUse);
    this.#keep(lane, lease);
    return lease.port;
  }

  /** For a lane that an earlier daemon opened: the leases have died with it. */
  async renew(lane: string, ports: readonly number[]): Promise<void> {
    const leases = await Promise.all(ports.map((port) => leasePort(port)));
    this.#keep(lane, ...leases.filter((lease) => lease !== undefined));
  }

  release(lane: string): void {
    for (const lease of this.#leases.get(lane) ?? []) lease.release();
    this.#leases.delete(lane);
  }

  #keep(lane: string, ...leases: PortLease[]): void {
    this.#leases.set(lane, [...(this.#leases.get(lane) ?? []), ...leases]);
  }
}
