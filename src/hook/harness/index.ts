import { claude, codex } from './claude.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import type { Harness } from './harness-call.ts';
import { opencode } from './opencode.ts';

export type { Harness, HarnessCall } from './harness-call.ts';
export { readPayload } from './payload.ts';

export const harnesses: Readonly<Record<string, Harness>> = {
  claude,
  codex,
  cursor,
  gemini,
  opencode,
};
