import { type Address, isLoopback, isOwnName } from './address.ts';
import type { Table } from './table.ts';

/** Whose address it is: a service of the baseline, a candidate of some lanes, or a third party. */
export type Resident =
  | { readonly kind: 'service'; readonly service: string }
  | { readonly kind: 'candidate'; readonly service: string; readonly keys: Set<string> }
  | { readonly kind: 'stranger' };

/** A table, prepared for finding by address: the cost of a request does not grow with lanes. */
export interface AddressBook {
  readonly table: Table;
  find(address: Address): Resident;
}

export function createAddressBook(table: Table): AddressBook {
  const names = new Map(Object.keys(table.services).map((name) => [name.toLowerCase(), name]));
  const ports = residents(table);
  return {
    table,
    find({ host, port }) {
      const service = names.get(host);
      if (isLoopback(host) && ports.has(port)) return ports.get(port) as Resident;
      if (service !== undefined) return { kind: 'service', service };
      // A name of this machine that we did not know would be taken for a third party's, and the
      // request would reach the baseline past its lane.
      return (isOwnName(host) && ports.get(port)) || { kind: 'stranger' };
    },
  };
}

function residents({ services, lanes }: Table): Map<number, Resident> {
  const ports = new Map<number, Resident>();
  for (const [service, { port }] of Object.entries(services)) {
    ports.set(port, { kind: 'service', service });
  }
  for (const [key, { overrides }] of Object.entries(lanes)) {
    for (const [service, { port }] of Object.entries(overrides)) {
      const known = ports.get(port);
      const keys = known?.kind === 'candidate' ? known.keys : new Set<string>();
      ports.set(port, { kind: 'candidate', service, keys: keys.add(key) });
    }
  }
  return ports;
}
