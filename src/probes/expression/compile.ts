import { functionName } from './builtins.ts';
import type { ProbeExpression } from './check.ts';
import { part, parts, type Syntax } from './syntax.ts';

/** How the names of an expression are read at one place. */
export interface BindingScope {
  /** The name that the running code has for a local name, as minifiers rename them. */
  readonly locals: ReadonlyMap<string, string>;
  /** The global with our operators. */
  readonly agent: string;
}

/**
 * An expression that passed the allow-list, as JavaScript in which every operation is a call of
 * ours. What is no local variable is read from the global object by its descriptor.
 */
export function compileExpression({ syntax }: ProbeExpression, scope: BindingScope): string {
  return compile(syntax, scope);
}

type Compile = (node: Syntax, scope: BindingScope) => string;

const quote = (value: unknown): string => JSON.stringify(value);

function compile(node: Syntax, scope: BindingScope): string {
  const one = compilers[node.type];
  if (one === undefined) throw new Error(`${node.type} passed the check but cannot be compiled`);
  return one(node, scope);
}

const compilers: Readonly<Record<string, Compile>> = {
  Identifier: ({ name }, { locals, agent }) => {
    if (name === 'undefined') return 'void 0';
    return locals.get(String(name)) ?? `${agent}.global(${quote(name)})`;
  },
  ThisExpression: () => 'this',
  Literal: ({ value, bigint }) =>
    typeof bigint === 'string' ? `${bigint}n` : (quote(value) ?? 'null'),
  TemplateLiteral: (node, scope) => {
    const texts = parts(node, 'quasis').map(({ value }) =>
      quote((value as { cooked: string }).cooked),
    );
    const values = parts(node, 'expressions').map((one) => compile(one, scope));
    const all = texts.flatMap((text, index) => [text, values[index] ?? []].flat());
    return `${scope.agent}.template(${all.join(',')})`;
  },
  ArrayExpression: (node, scope) => list(parts(node, 'elements'), scope),
  ObjectExpression: (node, scope) => {
    const members = parts(node, 'properties').map(
      (property) =>
        `${quote(keyOf(part(property, 'key')))}:${compile(part(property, 'value'), scope)}`,
    );
    return `{__proto__:null${members.map((member) => `,${member}`).join('')}}`;
  },
  UnaryExpression: (node, scope) => {
    const operand = part(node, 'argument');
    const { agent, locals } = scope;
    const isGlobal = operand.type === 'Identifier' && !locals.has(String(operand.name));
    if (node.operator === 'typeof' && isGlobal && operand.name !== 'undefined') {
      return `${agent}.typeofGlobal(${quote(operand.name)})`;
    }
    return `${agent}.unary(${quote(node.operator)},${compile(operand, scope)})`;
  },
  BinaryExpression: (node, scope) =>
    `${scope.agent}.binary(${quote(node.operator)},${compile(part(node, 'left'), scope)},${compile(part(node, 'right'), scope)})`,
  LogicalExpression: (node, scope) =>
    `(${compile(part(node, 'left'), scope)}${node.operator}${compile(part(node, 'right'), scope)})`,
  ConditionalExpression: (node, scope) =>
    `(${compile(part(node, 'test'), scope)}?${compile(part(node, 'consequent'), scope)}:${compile(part(node, 'alternate'), scope)})`,
  MemberExpression: (node, scope) => {
    const object = compile(part(node, 'object'), scope);
    const property = part(node, 'property');
    const key = node.computed ? compile(property, scope) : quote(property.name);
    // What a variable names is known at the hit only.
    const read = node.computed && property.type !== 'Literal' ? 'item' : 'get';
    return `${scope.agent}.${read}(${object},${key}${node.optional ? ',true' : ''})`;
  },
  ChainExpression: (node, scope) =>
    `${scope.agent}.chain(${compile(part(node, 'expression'), scope)})`,
  CallExpression: (node, scope) => {
    const callee = part(node, 'callee');
    // One by one: a list would belong to the application, whose builtins may be replaced.
    const args = parts(node, 'arguments').map((one) => compile(one, scope));
    const name = functionName(callee);
    if (name !== undefined) return `${scope.agent}.call(${[quote(name), ...args].join(',')})`;
    const receiver = compile(part(callee, 'object'), scope);
    const method = quote(part(callee, 'property').name);
    return `${scope.agent}.method(${[method, receiver, ...args].join(',')})`;
  },
};

function list(nodes: readonly (Syntax | null)[], scope: BindingScope): string {
  return `[${nodes.map((node) => (node ? compile(node, scope) : 'void 0')).join(',')}]`;
}

function keyOf(key: Syntax): unknown {
  return key.type === 'Identifier' ? key.name : String(key.value);
}
