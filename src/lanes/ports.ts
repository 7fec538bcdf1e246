import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fault } from '../kernel/index.ts';

const first = 20_000;
const usualEnd = 32_767;
const triesMax = 2_000;

/**
 * Ports for candidates. Below those that the operating system hands out to outgoing connections,
 * which would otherwise take one between our look and the candidate's; and each is given to one
 * lane at a time, however many are opened at once.
 */
export class Ports {
  readonly #taken = new Set<number>();
  #end: number | undefined;

  /** `inUse`: what open lanes and the baseline have, whether somebody listens there now or not. */
  async reserve(inUse: ReadonlySet<number>): Promise<number> {
    this.#end ??= firstEphemeral() - 1;
    for (let turn = 0; turn < triesMax; turn++) {
      const port = randomInt(first, this.#end + 1);
      if (inUse.has(port) || this.#taken.has(port)) continue;
      this.#taken.add(port);
      if (await isFree(port)) return port;
      this.#taken.delete(port);
    }
    throw fault('PORTS_EXHAUSTED', { first, last: this.#end });
  }

  /** Once its lane is in the ledger, or came to nothing. */
  release(ports: readonly number[]): void {
    for (const port of ports) this.#taken.delete(port);
  }
}

function firstEphemeral(): number {
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
