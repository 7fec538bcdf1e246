import type { Arguments } from './rules.ts';

export type Answer = 'allow' | 'deny';

/** One engine with one set of rules loaded, used as its own documentation says. */
export interface Decider {
  readonly name: string;
  decide(tool: string, args: Arguments): Answer;
}
