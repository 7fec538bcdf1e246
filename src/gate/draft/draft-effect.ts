import type { EffectHints, ToolOffer } from './tool-offer.ts';
import { wordsOf } from './words.ts';

export interface EffectDraft {
  readonly effect: 'read' | 'idempotent' | 'mutating';
  readonly reason: string;
}

const reading = new Set(
  `check count describe diff explain fetch find get inspect list look lookup peek read retrieve
  screenshot search show snapshot status view`.split(/\s+/),
);
const writing = new Set(
  `add append apply approve archive assign cancel clear click close commit copy create delete deploy
  disable drop edit enable execute fill fork insert install invite kill make mark merge modify move
  patch pay post publish push put refund reject remove rename replace reply reset restart
  restore revoke run save send set start stop submit transfer trigger type uninstall update upload
  upsert write`.split(/\s+/),
);

/** The effect of a tool: by what its provider says, else by its name, else the safe choice. */
export function draftEffect(tool: string, offer: ToolOffer | undefined): EffectDraft {
  const named = effectByName(offer ? ownName(tool, offer) : tool);
  const hinted = offer && effectByHints(offer.hints);
  if (hinted?.effect === 'read' && named.effect === 'mutating' && named.isClear) {
    const reason = `${offer?.provider} says readOnlyHint: true, but its name says otherwise: mutating is the safe choice`;
    return { effect: 'mutating', reason };
  }
  if (!hinted) return named;
  const reason = `${offer?.provider} says ${hinted.reason}; Surety does not check that`;
  return { ...hinted, reason };
}

/** Without the provider, whose name may be a verb, such as `fetch`. */
function ownName(tool: string, { provider }: ToolOffer): string {
  return tool.startsWith(`${provider}.`) ? tool.slice(provider.length + 1) : tool;
}

function effectByHints({
  readOnly,
  destructive,
  idempotent,
}: EffectHints): EffectDraft | undefined {
  if (readOnly && !destructive) return { effect: 'read', reason: 'readOnlyHint: true' };
  if (idempotent) return { effect: 'idempotent', reason: 'idempotentHint: true' };
  if (readOnly === false) return { effect: 'mutating', reason: 'readOnlyHint: false' };
  if (destructive) return { effect: 'mutating', reason: 'destructiveHint: true' };
  return undefined;
}

/** The first verb decides, except that `get_or_create` may create. */
function effectByName(name: string): EffectDraft & { readonly isClear: boolean } {
  const words = wordsOf(name);
  const first = words.findIndex((word) => reading.has(word) || writing.has(word));
  const verb = words[first] ?? '';
  const mayWrite = /^(?:or|and)$/.test(words[first + 1] ?? '') && words[first + 2] !== undefined;
  if (reading.has(verb) && !mayWrite) {
    const reason = `by its name ("${verb}"), unchecked: write mutating if it changes anything`;
    return { effect: 'read', reason, isClear: true };
  }
  const careful = 'calls do not show whether it changes anything, so mutating is the safe choice';
  const reason = `${careful}; write read if it changes nothing, idempotent if repeating it has no further effect`;
  return { effect: 'mutating', reason, isClear: writing.has(verb) };
}
