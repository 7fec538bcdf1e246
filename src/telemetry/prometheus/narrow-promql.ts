import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { fault } from '../../kernel/index.ts';

/**
 * The query, restricted to series of these lanes and series without a lane: every selector gets
 * one more matcher, and a series must fit all matchers of its selector. This is a security
 * boundary, so that a query with any syntax error is refused instead of guessed at.
 */
export function narrowPromql(query: string, lanes: readonly string[]): string {
  const matcher = `lane=~${JSON.stringify(['', ...lanes].map(escapePattern).join('|'))}`;
  let narrowed = '';
  let copiedTo = 0;
  for (const { at, text } of findSelectors(query).map((node) => insertionFor(node, matcher))) {
    narrowed += query.slice(copiedTo, at) + text;
    copiedTo = at;
  }
  return narrowed + query.slice(copiedTo);
}

/** In the order of the text, which is the order in which the tree is walked. */
function findSelectors(query: string): SyntaxNode[] {
  const selectors: SyntaxNode[] = [];
  parser.parse(query).iterate({
    enter({ type, node }) {
      if (type.isError) throw fault('PROMETHEUS_NOT_NARROWED', { query });
      if (type.name === 'VectorSelector') selectors.push(node);
    },
  });
  return selectors;
}

/** First inside the braces, since PromQL allows a comma after the last matcher. */
function insertionFor(
  selector: SyntaxNode,
  matcher: string,
): { readonly at: number; readonly text: string } {
  const matchers = selector.getChild('LabelMatchers');
  if (matchers) return { at: matchers.from + 1, text: `${matcher},` };
  return { at: selector.to, text: `{${matcher}}` };
}

/** Lane keys contain no special characters of a pattern; the boundary does not rely on it. */
function escapePattern(lane: string): string {
  return lane.replaceAll(/[^\w]/g, (character) => `\\${character}`);
}
