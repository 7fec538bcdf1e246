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

/** Success if there is no exit code. */
export type RunCommand = (invocation: Invocation) => Promise<ExitCode | undefined>;

/** One command as data: the help is made from it, and its code is loaded only when it runs. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** `<required>` or `[optional]`, with its meaning. */
  readonly arguments?: readonly (readonly [name: string, meaning: string])[];
  readonly options?: readonly (readonly [flags: string, meaning: string])[];
  readonly examples: readonly string[];
  /** The command runs services, lanes or probes, which needs Linux. */
  readonly needsLinux?: true;
  /** The command exits with 1 for a bad verdict, so no fault may exit with 1. */
  readonly judges?: true;
  readonly load: () => Promise<RunCommand>;
}

/** Checked before anything is started. */
export function checkPlatform({ name, needsLinux }: Command, platform: NodeJS.Platform): void {
  if (needsLinux && platform !== 'linux') {
    throw fault('NEEDS_LINUX', { what: `surety ${name}`, platform });
  }
}
