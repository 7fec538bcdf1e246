import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { fault } from '../../kernel/index.ts';
import { laneLabel } from '../lane-key.ts';

/**
 * The query, restricted to series of these lanes and series without a lane: every selector gets
 * one more matcher, and a series must fit all matchers of its selector. This is a security
 * boundary, so that a query with any syntax error is refused instead of guessed at.
 */
export function narrowPromql(query: string, lanes: readonly string[]): string {
  const matcher = `lane=~${JSON.stringify(['', ...lanes.map(laneLabel)].join('|'))}`;
  let narrowed = '';
  let copiedTo = 0;
  for (const { from, to, text } of findEdits(query, matcher)) {
    narrowed += query.slice(copiedTo, from) + text;
    copiedTo = to;
  }
  return narrowed + query.slice(copiedTo);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** In the order of the text, which is the order in which the tree is walked. */
function findEdits(query: string, matcher: string): Edit[] {
  const edits: Edit[] = [];
  // For Prometheus a comment ends at a carriage return, for this grammar it does not.
  if (query.includes('\r')) throw fault('PROMETHEUS_NOT_NARROWED', { query });
  parser.parse(query).iterate({
    enter({ type, node }) {
      // `info` reads series that no selector names.
      if (type.isError || type.name === 'Info') throw fault('PROMETHEUS_NOT_NARROWED', { query });
      if (type.name === 'LineComment') edits.push({ from: node.from, to: node.to, text: '' });
      if (type.name === 'VectorSelector') edits.push(matcherEdit(node, matcher));
    },
  });
  return edits.toSorted((left, right) => left.from - right.from);
}

/** First inside the braces, since PromQL allows a comma after the last matcher. */
function matcherEdit(selector: SyntaxNode, matcher: string): Edit {
  const matchers = selector.getChild('LabelMatchers');
  const at = matchers ? matchers.from + 1 : selector.to;
  return { from: at, to: at, text: matchers ? `${matcher},` : `{${matcher}}` };
}
