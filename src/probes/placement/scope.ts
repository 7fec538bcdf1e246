import { childrenOf, part, parts, type Syntax } from '../expression/syntax.ts';
import { contains, isFunction, type Outline, type Position } from './outline.ts';
import type { SourceMap } from './source-map.ts';

/** Names that Node gives every CommonJS file. */
const commonJsNames = ['exports', 'require', 'module', '__filename', '__dirname'];

/**
 * The variables that code at this place can read: their names in the source, and what they are
 * called in the code that runs. Inner ones come last, so that they hide outer ones.
 */
export function localsAt(
  { program }: Outline,
  at: Position,
  { map, isModule }: { readonly map?: SourceMap | undefined; readonly isModule: boolean },
): ReadonlyMap<string, string> {
  const locals = new Map<string, string>();
  const add = (identifier: Syntax): void => {
    const name = String(identifier.name);
    const { line, column } = (identifier.loc as { start: Position }).start;
    const source = map?.originalName(line, column) ?? name;
    locals.delete(source);
    locals.set(source, name);
  };
  if (!isModule) for (const name of commonJsNames) locals.set(name, name);
  let isInFunction = false;
  for (const node of pathTo(program, at)) {
    if (isFunction(node) && node.type !== 'ArrowFunctionExpression') isInFunction = true;
    for (const identifier of declaredIn(node)) add(identifier);
  }
  if (isInFunction) locals.set('arguments', 'arguments');
  return locals;
}

/** Every node around the place, outermost first. */
function pathTo(program: Syntax, at: Position): readonly Syntax[] {
  const path = [program];
  for (let node: Syntax | undefined = program; node; ) {
    node = childrenOf(node).find((child) => child.loc !== undefined && contains(child, at));
    if (node) path.push(node);
  }
  return path;
}

function declaredIn(node: Syntax): readonly Syntax[] {
  if (isFunction(node)) {
    const own = node.type === 'FunctionExpression' && node.id ? [part(node, 'id')] : [];
    return [...own, ...parts(node, 'params').flatMap(namesIn), ...varsIn(part(node, 'body'))];
  }
  if (node.type === 'Program') return [...varsIn(node), ...blockNames(parts(node, 'body'))];
  if (node.type === 'BlockStatement' || node.type === 'StaticBlock')
    return blockNames(parts(node, 'body'));
  if (node.type === 'SwitchStatement') {
    return blockNames(parts(node, 'cases').flatMap((one) => parts(one, 'consequent')));
  }
  if (node.type === 'CatchClause' && node.param) return namesIn(part(node, 'param'));
  if (/^For/.test(node.type)) return [node.init, node.left].flatMap(declaredBy);
  if (/^Class/.test(node.type) && node.id) return [part(node, 'id')];
  return [];
}

function blockNames(statements: readonly Syntax[]): readonly Syntax[] {
  return statements.flatMap((statement) => {
    if (statement.type === 'ImportDeclaration') {
      return parts(statement, 'specifiers').map((specifier) => part(specifier, 'local'));
    }
    const declared = /^Export/.test(statement.type) ? statement.declaration : statement;
    return declaredBy(declared);
  });
}

function declaredBy(node: unknown): readonly Syntax[] {
  const declaration = node as Syntax | null | undefined;
  if (declaration?.type === 'VariableDeclaration') {
    return parts(declaration, 'declarations').flatMap((one) => namesIn(part(one, 'id')));
  }
  const isNamed = /^(?:Function|Class)Declaration$/.test(declaration?.type ?? '');
  return isNamed && declaration?.id ? [part(declaration, 'id')] : [];
}

/** `var` is visible in the whole function. */
function varsIn(node: Syntax): readonly Syntax[] {
  if (isFunction(node) || /^Class/.test(node.type)) return [];
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declaredBy(node) : [];
  return [...own, ...childrenOf(node).flatMap(varsIn)];
}

/** The names in a pattern such as `{ a, b: [c] = [] }`. */
function namesIn(pattern: Syntax): readonly Syntax[] {
  if (pattern.type === 'Identifier') return [pattern];
  if (pattern.type === 'AssignmentPattern') return namesIn(part(pattern, 'left'));
  if (pattern.type === 'RestElement') return namesIn(part(pattern, 'argument'));
  if (pattern.type === 'Property') return namesIn(part(pattern, 'value'));
  if (pattern.type === 'ArrayPattern') {
    return (pattern.elements as readonly (Syntax | null)[]).flatMap((one) =>
      one ? namesIn(one) : [],
    );
  }
  return pattern.type === 'ObjectPattern' ? parts(pattern, 'properties').flatMap(namesIn) : [];
}
