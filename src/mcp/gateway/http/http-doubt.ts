import { type Fault, fault } from '../../../kernel/index.ts';

/** Somebody answered, and so has got the call; what it says cannot be read. */
export function notUnderstood(reason: string): Fault {
  return fault('TOOL_IN_DOUBT', { reason: `its answer was not understood: ${reason}` });
}

export function tooLarge(bytesMax: number): Fault {
  return fault('TOOL_IN_DOUBT', { reason: `its answer is larger than ${bytesMax} bytes` });
}
