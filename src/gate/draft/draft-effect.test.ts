import { expect, test } from 'vitest';
import { draftEffect } from './draft-effect.ts';
import type { EffectHints } from './tool-offer.ts';

const offered = (tool: string, hints: EffectHints) =>
  draftEffect(tool, { tool, provider: 'fetch', schema: {}, hints });

test.each([
  ['order.get', 'read'],
  ['slack_list_channels', 'read'],
  ['listIssues', 'read'],
  ['puppeteer_screenshot', 'read'],
  ['get_or_create_user', 'mutating'],
  ['refund.issue', 'mutating'],
  ['update_get_cache', 'mutating'],
  ['sequentialthinking', 'mutating'],
])('drafts the effect of %s by its name: %s', (tool, effect) => {
  expect(draftEffect(tool, undefined).effect).toBe(effect);
});

test.each<[string, EffectHints, string]>([
  ['fetch.graph', { readOnly: true }, 'read'],
  ['fetch.graph', { readOnly: true, destructive: true }, 'mutating'],
  ['fetch.graph', { readOnly: false, idempotent: true, destructive: true }, 'idempotent'],
  ['fetch.get_graph', { readOnly: false }, 'mutating'],
  ['fetch.get_graph', {}, 'read'],
  ['fetch.delete_graph', { readOnly: true }, 'mutating'],
  // The provider's own name is no verb of its tools.
  ['fetch.graph', {}, 'mutating'],
])('drafts the effect of %s with the hints %j: %s', (tool, hints, effect) => {
  expect(offered(tool, hints).effect).toBe(effect);
});
