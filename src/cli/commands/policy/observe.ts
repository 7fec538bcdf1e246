import type { RunCommand } from '../../command.ts';
import { setMode } from './mode.ts';

export const run: RunCommand = (invocation) => setMode('observe', invocation);
