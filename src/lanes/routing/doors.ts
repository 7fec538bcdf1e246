import { existsSync, readFileSync } from 'node:fs';
import { leasePort, portRanges, reservePort, writePrivateFile } from '../../kernel/index.ts';
import type { Door } from '../../router/index.ts';
import type { Config } from '../../system/index.ts';
import { calledBy, callsByRouter } from './addresses.ts';

/** By this process, until it ends. */
const leased = new Set<number>();

/**
 * Ports of the router that stand for one service when another one calls it. Each door keeps its
 * port, because running programs have it in their environment.
 */
export class DoorPorts {
  readonly #file: string;
  readonly #config: Config;
  /** By caller and called service: also those that a running program may still have. */
  readonly #known = new Map<string, Door>();
  #opening: Promise<unknown> = Promise.resolve();

  constructor(file: string, config: Config) {
    this.#file = file;
    this.#config = config;
  }

  /** All that the system needs at present, with ports; the front door among them. */
  open(): Promise<readonly Door[]> {
    const opened = this.#opening.then(() => this.#open());
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  async #open(): Promise<readonly Door[]> {
    const { services, ingress, frontDoorPort } = this.#config;
    await this.#openMissing();
    const doors = [...this.#known.values()].filter(
      ({ from, to }) => Object.hasOwn(services, from ?? '') && Object.hasOwn(services, to),
    );
    const hasFront = ingress !== undefined && frontDoorPort !== undefined;
    return hasFront ? [...doors, { port: frontDoorPort, from: null, to: ingress }] : doors;
  }

  async #openMissing(): Promise<void> {
    const ports = this.#read();
    const before = this.#known.size;
    for (const [from, service] of Object.entries(this.#config.services)) {
      if (!callsByRouter(service)) continue;
      for (const to of calledBy(from, this.#config)) {
        const key = `${from} ${to}`;
        if (this.#known.has(key)) continue;
        const port = await this.#portOf(key, ports);
        ports[key] = port;
        this.#known.set(key, { port, from, to });
      }
    }
    if (this.#known.size === before) return;
    writePrivateFile(this.#file, `${JSON.stringify(ports, null, 2)}\n`);
  }

  /**
   * No other Surety takes a leased one while the router is down. A port that another took while
   * this daemon was down is given up.
   */
  async #portOf(key: string, ports: Readonly<Record<string, number>>): Promise<number> {
    const former = ports[key];
    if (former !== undefined && leased.has(former)) return former;
    const lease =
      (former === undefined ? undefined : await leasePort(former)) ??
      (await reservePort(portRanges.own, this.#inUse(ports)));
    leased.add(lease.port);
    return lease.port;
  }

  #inUse(doors: Readonly<Record<string, number>>): ReadonlySet<number> {
    const services = Object.values(this.#config.services).map(({ port }) => port);
    const { frontDoorPort } = this.#config;
    return new Set([
      ...services,
      ...Object.values(doors),
      ...(frontDoorPort ? [frontDoorPort] : []),
    ]);
  }

  #read(): Record<string, number> {
    return existsSync(this.#file) ? JSON.parse(readFileSync(this.#file, 'utf8')) : {};
  }
}
