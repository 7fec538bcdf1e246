import type { Node } from 'acorn';

export type Syntax = Node & Readonly<Record<string, unknown>>;

export function childrenOf(node: Syntax): readonly Syntax[] {
  return Object.values(node).flat().filter(isSyntax);
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The child with this name. */
export function part(node: Syntax, name: string): Syntax {
  return node[name] as Syntax;
}

export function parts(node: Syntax, name: string): readonly Syntax[] {
  return node[name] as readonly Syntax[];
}
