import { createRequire } from 'node:module';
import { types } from 'node:util';
import type { Json } from '../../kernel/index.ts';
import { secretNamePatterns } from '../../kernel/index.ts';
import { agentSettings } from '../node/agent-settings.ts';

const require = createRequire(import.meta.url);
const { createValues } = require('./values.cjs');
const { createOperators } = require('./operators.cjs');
const { createInstruments } = require('./instruments.cjs');

const { isProxy, isNativeError } = types;
const isSecret = (name: string): boolean => secretNamePatterns.some((one) => one.test(name));

/** For tests: parts of the agent, in this process. */
export const values: {
  see(value: unknown): [string, Json];
  shapeOf(value: unknown): string;
  hide(value: unknown): object;
} = createValues({ isProxy, isNativeError, limits: agentSettings, isSecret });

export const operators: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> =
  createOperators({
    isProxy,
    globals: globalThis,
    limits: agentSettings,
    values,
  });

interface Reported {
  readonly event: string;
  readonly reason?: string;
  readonly capture?: { readonly hit: number };
  readonly summary?: { readonly error?: string };
}

/** Probes with a clock and a debugger that the test holds. */
export class AgentBench {
  nowUs = 0;
  /** What one look at the clock takes, in microseconds. */
  stepUs = 0;
  readonly armed = new Map<string, string>();
  readonly reported: Reported[] = [];
  readonly instruments: Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;
  #lastId = 0;

  constructor() {
    this.instruments = createInstruments({
      post: (method: string, params: { breakpointId: string; condition: string }) =>
        this.#post(method, params),
      send: (event: Reported | string) =>
        void this.reported.push(typeof event === 'string' ? JSON.parse(event) : event),
      now: () => {
        this.nowUs += this.stepUs;
        return this.nowUs;
      },
      stack: () => [],
      limits: agentSettings,
      values,
    });
  }

  place(spec: object = {}): void {
    const location = { scriptId: '1', lineNumber: 1, columnNumber: 0 };
    const points = [{ location, condition: 'agent.hit(1,[])' }];
    const own = { id: 1, kind: 'log', hasCondition: false, sampleRate: 1, hitsMax: 1e9, frames: 0 };
    this.instruments.place?.({ ...own, points, ...spec });
  }

  remove(): { tally: Record<string, number>; evaluated: number; estimatedHits: number } {
    const { summary } = (this.instruments.remove as (id: number) => { summary: never })(1);
    return summary;
  }

  /** Reaches the line, which does something only while it is armed. */
  hit(reader: () => unknown = () => 1): void {
    if (this.armed.size > 0) this.instruments.hit?.(1, '', reader);
  }

  #post(method: string, params: { breakpointId: string; condition: string }): object {
    if (method === 'Debugger.removeBreakpoint') this.armed.delete(params.breakpointId);
    if (method !== 'Debugger.setBreakpoint') return {};
    const breakpointId = String(++this.#lastId);
    this.armed.set(breakpointId, params.condition);
    return { breakpointId };
  }
}
