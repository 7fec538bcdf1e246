import type { JsonObject } from '../../kernel/index.ts';
import { readCodingCall } from '../coding/index.ts';
import { codingSchema } from '../language/index.ts';

const codingTools = new Set(['shell.run', 'file.edit', 'file.read', 'web.fetch', 'harness.use']);

/** Calls that `surety hook` described. */
export function isCodingCall(tool: string, given: JsonObject): boolean {
  return codingTools.has(tool) && Array.isArray(given.effects);
}

/**
 * What coding agents reached and ran: the lists of the section `coding`. Rules stay as they are,
 * because a secret that was read once is no reason to allow it.
 */
export class CodingUsage {
  readonly agents = new Set<string>();
  readonly #hosts = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #tools = new Set<string>();
  times = 0;

  add(actor: string, given: JsonObject): void {
    this.times++;
    this.agents.add(actor);
    const { effects, unknown } = readCodingCall(given);
    for (const { kind, on } of effects) {
      const list = { 'network.connect': this.#hosts, 'tool.use': this.#tools }[kind];
      for (const value of list ? on : []) list?.add(value);
    }
    for (const program of unknown) this.#programs.add(program);
  }

  /** Members of the policy document; none without a call. */
  document(): JsonObject {
    if (this.times === 0) return {};
    const usual = codingSchema.parse({});
    const lists = {
      hosts: [...new Set([...usual.hosts, ...this.#hosts])],
      programs: [...this.#programs].sort(),
      tools: [...this.#tools].sort(),
    };
    const used = Object.entries(lists).filter(([, list]) => list.length > 0);
    return { include: ['pack:coding-agent'], coding: Object.fromEntries(used) };
  }
}
