import type { Run } from './command.ts';
import { setMode } from './policy-mode.ts';

export const run: Run = (invocation) => setMode('observe', invocation);
