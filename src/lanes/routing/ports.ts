import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fault } from '../../kernel/index.ts';

const triesMax = 2_000;
const usualEnd = 32_767;

export interface PortRange {
  readonly first: number;
  /** Without one, up to those that the operating system hands out to outgoing connections. */
  readonly last?: number;
}

/** Apart from one another: a door keeps its port also while the router is down. */
export const doorPorts: PortRange = { first: 18_000, last: 19_999 };
export const candidatePorts: PortRange = { first: 20_000 };

/**
 * Ports for candidates, and for doors. Below those that the operating system hands out to outgoing
 * connections, which would otherwise take one between our look and its use; and each is given to
 * one asker at a time, however many ask at once.
 */
export class Ports {
  readonly #taken = new Set<number>();
  readonly #first: number;
  #last: number | undefined;

  constructor({ first, last }: PortRange = candidatePorts) {
    this.#first = first;
    this.#last = last;
  }

  /** `inUse`: what is in use already, whether somebody listens there now or not. */
  async reserve(inUse: ReadonlySet<number>): Promise<number> {
    this.#last ??= firstEphemeral(this.#first) - 1;
    for (let turn = 0; turn < triesMax; turn++) {
      const port = randomInt(this.#first, this.#last + 1);
      if (inUse.has(port) || this.#taken.has(port)) continue;
      this.#taken.add(port);
      if (await isFree(port)) return port;
      this.#taken.delete(port);
    }
    throw fault('PORTS_EXHAUSTED', { first: this.#first, last: this.#last });
  }

  /** Once its lane is in the ledger, or came to nothing. */
  release(ports: readonly number[]): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

function firstEphemeral(first: number): number {
  try {
    const [low = ''] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/);
    return Number(low) > first + 1_000 ? Number(low) : usualEnd + 1;
  } catch {
    return usualEnd + 1;
  }
}

/** On every address: a candidate may also listen on all of them. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}
