import { isWeakSecretName } from '../../kernel/index.ts';
import { childrenOf, part, parts, type Syntax } from './syntax.ts';

/** What the value of `a.b["c"]` is called: `c`. Nothing for what is no path of names. */
export function nameOf(node: Syntax): string | undefined {
  if (node.type === 'ChainExpression') return nameOf(part(node, 'expression'));
  if (node.type === 'Identifier') return String(node.name);
  if (node.type !== 'MemberExpression' || !isPath(part(node, 'object'))) return undefined;
  return memberName(node);
}

function memberName(node: Syntax): string | undefined {
  const property = part(node, 'property');
  if (!node.computed) return String(property.name);
  return typeof property.value === 'string' ? property.value : undefined;
}

function isPath(node: Syntax): boolean {
  return node.type === 'ThisExpression' || nameOf(node) !== undefined;
}

/**
 * Whether an expression takes a value apart that may be a secret, such as a token or a session: its
 * parts look like no secret any more. The whole value is redacted by its name.
 */
export function takesApart(node: Syntax): boolean {
  if (nameOf(node) !== undefined) return false;
  return usesWeak(node);
}

/** Raw headers are names and values in turn: a value alone has lost its name. */
function isWeak(name: string): boolean {
  return isWeakSecretName(name) || /^raw(?:Headers|Trailers)$/.test(name);
}

function usesWeak(node: Syntax): boolean {
  const name = nameOf(node);
  if (name !== undefined) return isWeak(name);
  if (node.type === 'MemberExpression') {
    const own = memberName(node);
    return (own !== undefined && isWeak(own)) || usesWeak(part(node, 'object'));
  }
  if (node.type === 'CallExpression') return isWeakCall(node);
  const tested = testedParts(node);
  return childrenOf(node).some((child) =>
    tested.has(child) ? takesApart(child) : usesWeak(child),
  );
}

/** A key to look something up by is not shown; what is found under the name of a token is. */
function isWeakCall(node: Syntax): boolean {
  const callee = part(node, 'callee');
  const given = parts(node, 'arguments');
  const isLookup = /^(?:get|has)$/.test(String((callee.property as Syntax | undefined)?.name));
  const receiver = callee.type === 'MemberExpression' && usesWeak(part(callee, 'object'));
  if (!isLookup) return receiver || given.some(usesWeak);
  return (
    receiver || given.some(({ value }) => typeof value === 'string' && isWeakSecretName(value))
  );
}

/** Parts of which only one bit is told, and which no other expression tells the next bit of. */
function testedParts(node: Syntax): ReadonlySet<Syntax> {
  if (node.type === 'ConditionalExpression') return new Set([part(node, 'test')]);
  if (node.type === 'UnaryExpression' && /^(?:!|typeof|void)$/.test(String(node.operator)))
    return new Set([part(node, 'argument')]);
  const isCompared = /^(?:[!=]==?|in|instanceof)$/.test(String(node.operator));
  return node.type === 'BinaryExpression' && isCompared ? new Set(childrenOf(node)) : new Set();
}
