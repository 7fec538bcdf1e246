import type { Instant, JsonObject } from '../../kernel/index.ts';
import { type UsableSchema, usableSchema } from './offered-schema.ts';
import { Sketch } from './sketch.ts';
import type { ToolOffer } from './tool-offer.ts';

export interface ObservedCall {
  readonly actor: string;
  readonly at: Instant;
  readonly arguments: JsonObject;
  /** The tools committed earlier in the same trajectory. */
  readonly before: ReadonlySet<string>;
}

const minuteMs = 60_000;

/** All recorded calls of one tool, and what its provider says about it. */
export class ToolUsage {
  readonly tool: string;
  readonly isNative: boolean;
  readonly offer: ToolOffer | undefined;
  readonly arguments = new Sketch();
  readonly agents = new Set<string>();
  /** The largest number of calls of one agent in one minute. */
  minuteMax = 0;
  /** The tools that came before every call. */
  before: ReadonlySet<string> | undefined;
  #offered: UsableSchema | undefined;
  readonly #minutes = new Map<string, number>();

  constructor(tool: string, isNative: boolean, offer?: ToolOffer) {
    this.tool = tool;
    this.isNative = isNative;
    this.offer = offer;
    this.#offered = offer && usableSchema(offer.schema);
  }

  get times(): number {
    return this.arguments.times;
  }

  /** The provider's schema; undefined if it has none that fits a contract and every call. */
  get offeredSchema(): JsonObject | undefined {
    return this.#offered?.schema;
  }

  add({ actor, at, arguments: given, before }: ObservedCall): void {
    this.arguments.add(given);
    if (this.#offered?.accepts(given) === false) this.#offered = undefined;
    this.agents.add(actor);
    this.before = new Set([...(this.before ?? before)].filter((tool) => before.has(tool)));
    const minute = `${actor} ${Math.floor(at / minuteMs)}`;
    const times = (this.#minutes.get(minute) ?? 0) + 1;
    this.#minutes.set(minute, times);
    this.minuteMax = Math.max(this.minuteMax, times);
  }
}
