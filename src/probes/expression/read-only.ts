import { isKnownCall } from './builtins.ts';
import { childrenOf, type Syntax } from './syntax.ts';

/** Says what is wrong with a node of its kind, if anything is. */
type Judge = (node: Syntax) => string | undefined;

const fine: Judge = () => undefined;

/**
 * What may stand in an expression. Whatever is not here is refused, so that what JavaScript gets
 * in later years is refused too until somebody has thought about it.
 */
const allowed: Readonly<Record<string, Judge>> = {
  ArrayExpression: fine,
  // The power of two long integers keeps a process busy for minutes, and no time-out stops it.
  BinaryExpression: ({ operator }) => (operator === '**' ? 'a power' : undefined),
  // Only what the agent has a bounded function of its own for: none of the application's is called.
  CallExpression: (node) => (isKnownCall(node) ? undefined : 'a call'),
  ChainExpression: fine,
  ConditionalExpression: fine,
  Identifier: fine,
  Literal: ({ regex }) => (regex ? 'a regular expression' : undefined),
  LogicalExpression: fine,
  // A name that is put together could spell a secret past the redaction by names.
  MemberExpression: ({ computed, property }) =>
    computed && !/^(?:Literal|Identifier)$/.test((property as Syntax).type)
      ? 'a computed member'
      : undefined,
  ObjectExpression: fine,
  Property: ({ kind, method, computed }) =>
    kind !== 'init' || method || computed ? 'a method or a computed key' : undefined,
  TemplateElement: fine,
  TemplateLiteral: fine,
  ThisExpression: fine,
  UnaryExpression: ({ operator }) => (operator === 'delete' ? 'delete' : undefined),
};

const names: Readonly<Record<string, string>> = {
  ArrowFunctionExpression: 'a function',
  AssignmentExpression: 'an assignment',
  CallExpression: 'a call',
  ClassExpression: 'a class',
  FunctionExpression: 'a function',
  ImportExpression: 'an import',
  MetaProperty: 'import.meta or new.target',
  NewExpression: 'new',
  SequenceExpression: 'a comma',
  SpreadElement: 'a spread, which calls an iterator',
  TaggedTemplateExpression: 'a tagged template, which is a call',
  UpdateExpression: 'an update',
};

/** The first construct by which this could do more than read, in words. */
export function findConstruct(node: Syntax): string | undefined {
  const judge = allowed[node.type];
  if (judge === undefined) return names[node.type] ?? node.type;
  const construct = judge(node);
  if (construct !== undefined) return construct;
  for (const child of childrenOf(node)) {
    const found = findConstruct(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
