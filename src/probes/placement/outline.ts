import { parse } from 'acorn';
import { childrenOf, part, parts, type Syntax } from '../expression/syntax.ts';

/** A function of a script. Lines from 1, columns from 0. */
export interface FunctionOutline {
  /** `validate`, `Orders.validate`, or nothing for one without a name. */
  readonly name: string;
  /** What it has its name from: minifiers rename it, and source maps know it. */
  readonly named?: Syntax;
  readonly node: Syntax;
  readonly body: Syntax;
  /** Names of its parameters, where they are plain names. */
  readonly parameters: readonly string[];
}

/** The syntax tree of the code that runs, as far as placing a probe needs it. */
export interface Outline {
  readonly program: Syntax;
  readonly functions: readonly FunctionOutline[];
  /** `with` makes every name a property of an object that could be anything. */
  readonly hasWith: boolean;
}

/** Nothing if acorn cannot parse what V8 could. */
export function outlineOf(text: string, isModule: boolean): Outline | undefined {
  const program = tryParse(text, isModule);
  if (program === undefined) return undefined;
  const functions: FunctionOutline[] = [];
  let hasWith = false;
  const visit = (node: Syntax, name: string, named?: Syntax): void => {
    if (node.type === 'WithStatement') hasWith = true;
    if (isFunction(node)) functions.push(functionOutline(node, name, named));
    for (const [child, childName, of] of namedChildren(node, name)) visit(child, childName, of);
  };
  visit(program, '');
  return { program, functions, hasWith };
}

function tryParse(text: string, isModule: boolean): Syntax | undefined {
  const options = {
    ecmaVersion: 'latest',
    locations: true,
    allowHashBang: true,
    allowReturnOutsideFunction: true,
    allowAwaitOutsideFunction: true,
  } as const;
  try {
    return parse(text, {
      ...options,
      sourceType: isModule ? 'module' : 'script',
    }) as unknown as Syntax;
  } catch {
    return undefined;
  }
}

const functionTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

export function isFunction(node: Syntax): boolean {
  return functionTypes.has(node.type);
}

function functionOutline(node: Syntax, given: string, givenBy?: Syntax): FunctionOutline {
  const id = node.id as Syntax | null;
  const own = id?.name;
  const named = givenBy ?? id ?? undefined;
  const parameters = parts(node, 'params').flatMap(({ type, name }) =>
    type === 'Identifier' ? [String(name)] : [],
  );
  const name = given || String(own ?? '');
  return { name, ...(named ? { named } : {}), node, body: part(node, 'body'), parameters };
}

type NamedChild = readonly [child: Syntax, name: string, named?: Syntax];

/** A function gets its name from the variable, property or method that it is the value of. */
function namedChildren(node: Syntax, name: string): readonly NamedChild[] {
  const prefix = (key: string): string =>
    name === '' || isFunction(node) ? key : `${name}.${key}`;
  if (node.type === 'VariableDeclarator' && node.init) {
    return [[part(node, 'init'), plainName(part(node, 'id')), part(node, 'id')]];
  }
  if (node.type === 'AssignmentExpression') {
    return [
      [part(node, 'right'), plainName(part(node, 'left')), part(node, 'left')],
      [part(node, 'left'), ''],
    ];
  }
  if (/^(?:MethodDefinition|Property|PropertyDefinition)$/.test(node.type) && node.value) {
    return [[part(node, 'value'), prefix(plainName(part(node, 'key'))), part(node, 'key')]];
  }
  if (/^Class/.test(node.type)) {
    const own = (node.id as Syntax | null)?.name;
    return childrenOf(node).map((child) => [child, String(own ?? name)] as const);
  }
  const isTransparent = /^(?:ClassBody|ObjectExpression)$/.test(node.type);
  return childrenOf(node).map((child) => [child, isTransparent ? name : ''] as const);
}

function plainName(node: Syntax): string {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name);
  if (node.type === 'Literal') return String(node.value);
  if (node.type !== 'MemberExpression' || node.computed) return '';
  const object = plainName(part(node, 'object')).replace(/^.*\.prototype$/, '');
  const property = plainName(part(node, 'property'));
  return /^(?:module|exports|this|)$/.test(object) ? property : `${object}.${property}`;
}

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

export function contains({ loc }: Syntax, { line, column }: Position): boolean {
  const { start, end } = loc as { start: Position; end: Position };
  const isAfter = line > start.line || (line === start.line && column >= start.column);
  const isBefore = line < end.line || (line === end.line && column <= end.column);
  return isAfter && isBefore;
}

/** The functions around a place, innermost last. */
export function functionsAround({ functions }: Outline, at: Position): readonly FunctionOutline[] {
  return functions
    .filter(({ node }) => contains(node, at))
    .sort((one, other) => one.node.start - other.node.start);
}

/** By its whole name, or by the last part of it. */
export function findFunctions({ functions }: Outline, name: string): readonly FunctionOutline[] {
  const exact = functions.filter((one) => one.name === name);
  return exact.length > 0 ? exact : functions.filter((one) => one.name.endsWith(`.${name}`));
}
