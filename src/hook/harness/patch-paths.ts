import type { AgentAction } from '../action.ts';

const heading = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** A patch in the format of Codex names each file in a heading. */
export function patchAction(patch: string): AgentAction {
  const paths = [...patch.matchAll(heading)].map((found) => (found[1] as string).trim());
  return { kind: 'edit', paths, content: patch };
}
