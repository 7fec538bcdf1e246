import { type Fault, fault } from '../../kernel/index.ts';

/** Thrown by a function that cannot tell whether it had its effect, so that it is not run again. */
export function inDoubt(reason: string, cause?: unknown): Fault {
  return fault('TOOL_IN_DOUBT', { reason }, cause);
}
