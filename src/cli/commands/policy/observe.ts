import type { Run } from '../../command.ts';
import { setMode } from './mode.ts';

export const run: Run = (invocation) => setMode('observe', invocation);
