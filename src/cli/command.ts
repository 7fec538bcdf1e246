import { fault } from '../kernel/index.ts';
import type { WorkspacePlace } from '../runtime/place.ts';
import type { Output } from './format/output.ts';

export const exitCodes = {
  /** Success. */
  ok: 0,
  /** The command worked, and the result is bad: a verdict `fail`, a broken chain. */
  bad: 1,
  /** Wrong usage (a flag, an argument, a file), or nothing could be judged. */
  usage: 2,
  /** Surety, or something it depends on, failed. */
  failed: 3,
  /** A verdict is `inconclusive`. */
  unclear: 4,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface Invocation {
  readonly place: WorkspacePlace;
  readonly output: Output;
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** Without an exit code, it succeeded. */
export type RunCommand = (invocation: Invocation) => Promise<ExitCode | undefined>;

/** One command, as data: the help is made from it, and its code is loaded only when it is run. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** `<needed>` or `[optional]`, with what it means. */
  readonly arguments?: readonly (readonly [name: string, meaning: string])[];
  readonly options?: readonly (readonly [flags: string, meaning: string])[];
  readonly examples: readonly string[];
  /** It runs services, lanes or probes, which only Linux can do. */
  readonly needsLinux?: true;
  /** It ends with 1 for a verdict that is bad: no fault may be taken for one. */
  readonly judges?: true;
  readonly load: () => Promise<RunCommand>;
}

/** Said before anything is started, rather than found out halfway. */
export function checkPlatform({ name, needsLinux }: Command, platform: NodeJS.Platform): void {
  if (needsLinux && platform !== 'linux') {
    throw fault('NEEDS_LINUX', { what: `surety ${name}`, platform });
  }
}
