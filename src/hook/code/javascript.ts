import { builtinModules } from 'node:module';
import { type Node, parse } from 'acorn';
import { exact } from '../shell/field.ts';
import type { CodeJudge, CodePort } from './code-port.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Globals whose members, as far as `members` and `refused` allow them, only compute. */
const globals = words(`
  console JSON Math Object Array String Number Boolean Date Map Set WeakMap WeakSet BigInt Symbol
  Promise Error TypeError RangeError RegExp Intl URL URLSearchParams Buffer TextEncoder TextDecoder
  parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent structuredClone
  performance undefined NaN Infinity setTimeout clearTimeout setImmediate queueMicrotask
  Int8Array Uint8Array Int32Array Float64Array
  describe it test expect beforeEach afterEach beforeAll afterAll vi jest suite
`);

/** Members of `process` that tell something, or end it. */
const processMembers = words(`
  argv version versions arch platform exit cwd memoryUsage uptime hrtime stdout exitCode pid
`);

/** From these, code could reach the function constructor or the loader. */
const refused = words(`
  constructor prototype __proto__ eval Function globalThis global mainModule binding require
  getBuiltinModule _load _linkedBinding createRequire dlopen getOwnPropertyDescriptor
  getOwnPropertyDescriptors getPrototypeOf setPrototypeOf defineProperty defineProperties
  __defineGetter__ __lookupGetter__ caller callee arguments prepareStackTrace setEngine
  requireActual importActual requireMock importMock createMockFromModule genMockFromModule
`);

const safeModules =
  /^(?:(?:node:)?(?:path|url|util|assert|assert\/strict|os|crypto|test|perf_hooks|querystring)|vitest|@jest\/globals|chai|mocha)$/;
const fileModules = /^(?:node:)?fs$/;
const fileReads = words('readFileSync existsSync statSync');

type Value = Readonly<Record<string, unknown>> & Node;

interface JavaScriptCode {
  readonly port: CodePort;
  /** Names that are bound to a module of files. */
  readonly files: Set<string>;
}

/** JavaScript that computes, prints, loads code of the project, and reads literal files. */
export const isHarmlessJavaScript: CodeJudge = (text, port) => {
  const tree = parsed(text, 'module') ?? parsed(text, 'script');
  if (!tree) return false;
  const code = { port, files: new Set<string>() };
  visit(tree, (node) => bind(node, code));
  let isHarmless = true;
  visit(tree, (node, parent, role) => {
    isHarmless &&= isHarmlessNode(node, parent, role, code);
  });
  return isHarmless;
};

function parsed(text: string, sourceType: 'module' | 'script'): Value | undefined {
  try {
    const options = { ecmaVersion: 'latest', sourceType, allowHashBang: true } as const;
    return parse(text, { ...options, allowReturnOutsideFunction: true }) as unknown as Value;
  } catch {
    return undefined;
  }
}

type Visitor = (node: Value, parent: Value | undefined, role: string) => void;

function visit(node: Value, visitor: Visitor, parent?: Value, role = ''): void {
  visitor(node, parent, role);
  for (const [name, child] of Object.entries(node)) {
    for (const one of Array.isArray(child) ? child : [child])
      if (isNode(one)) visit(one, visitor, node, name);
  }
}

function isNode(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Collects the names that the code gives to the module `fs`. */
function bind(node: Value, { files }: JavaScriptCode): void {
  const { type } = node;
  if (type === 'VariableDeclarator') {
    const { id, init } = node as { id?: Value; init?: Value } & Value;
    if (id?.type === 'Identifier' && init && fileModules.test(loadedBy(init) ?? ''))
      files.add(nameOf(id));
  }
  if (type === 'ImportDeclaration' && fileModules.test(literal(node.source as Value) ?? '')) {
    for (const one of node.specifiers as readonly Value[])
      if (one.type !== 'ImportSpecifier') files.add(nameOf(one.local as Value));
  }
}

function isHarmlessNode(
  node: Value,
  parent: Value | undefined,
  role: string,
  code: JavaScriptCode,
): boolean {
  switch (node.type) {
    case 'Identifier':
      return isHarmlessIdentifier(node, parent, role, code);
    case 'MemberExpression':
      return isHarmlessMember(node, code);
    case 'Property':
      return node.computed !== true && !refused.has(keyOf(node.key as Value));
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return !isNode(node.source) || isHarmlessImport(node, code.port);
    case 'Literal':
      return typeof node.value !== 'string' || !leadsOutside(node.value);
    case 'TemplateElement':
      return !leadsOutside((node.value as { raw: string }).raw);
    case 'CallExpression':
      return isHarmlessCall(node, parent, code);
    default:
      // `this` is the global object in a plain function.
      return !/^(?:Import|Meta|With|Super|TaggedTemplate|This)\w*(?:Expression|Property|Statement|Super)$/.test(
        node.type,
      );
  }
}

/** A path outside of the project, or an address, could make project code leave the project. */
function leadsOutside(text: string): boolean {
  return /^(?:\/[\w.]|~\/)|^\.\.\/\.\.\/\.\.|^\w+:\/\/(?!localhost\b|127\.)/.test(text);
}

function isHarmlessIdentifier(
  node: Value,
  parent: Value | undefined,
  role: string,
  { files }: JavaScriptCode,
): boolean {
  const name = nameOf(node);
  if (parent?.type === 'MemberExpression' && role === 'property') return true;
  const isKey = parent?.type === 'Property' && role === 'key' && parent.shorthand !== true;
  if (isKey) return true;
  if (name === 'require') return role === 'callee' && parent?.type === 'CallExpression';
  if (name === 'module') return role === 'object' && propertyOf(parent) === 'exports';
  if (name === 'process') return role === 'object' && processMembers.has(propertyOf(parent) ?? '');
  if (files.has(name)) return /^(?:object|id|local)$/.test(role);
  return !refused.has(name) && !unsafeGlobal(name);
}

/**
 * What Node defines and `globals` does not name; a name that nobody defines does nothing. `node -e`
 * also defines every module as a global.
 */
function unsafeGlobal(name: string): boolean {
  if (builtinModules.includes(name)) return !safeModules.test(name) && !globals.has(name);
  return Object.hasOwn(globalThis, name) && !globals.has(name);
}

function isHarmlessMember(node: Value, { files }: JavaScriptCode): boolean {
  const object = node.object as Value;
  const name = propertyOf(node);
  // A computed name could be any of the refused ones.
  if (name === undefined) return isNumber(node.property as Value);
  if (object.type === 'Identifier' && files.has(nameOf(object))) return fileReads.has(name);
  return !refused.has(name);
}

function isNumber({ type, value, operator }: Value): boolean {
  return (
    (type === 'Literal' && typeof value === 'number') ||
    (type === 'UpdateExpression' && operator !== undefined)
  );
}

function isHarmlessCall(
  node: Value,
  parent: Value | undefined,
  { port, files }: JavaScriptCode,
): boolean {
  const callee = node.callee as Value;
  const [first] = node.arguments as readonly Value[];
  const loaded = loadedBy(node);
  if (loaded !== undefined && fileModules.test(loaded))
    return parent?.type === 'VariableDeclarator' && (parent.id as Value).type === 'Identifier';
  if (loaded !== undefined) return loads(loaded, port);
  if (callee.type === 'Identifier' && nameOf(callee) === 'require') return false;
  const object = callee.object as Value | undefined;
  if (object?.type === 'Identifier' && files.has(nameOf(object))) {
    const path = first && literal(first);
    if (path === undefined) return false;
    port.reads(exact(path));
  }
  return true;
}

/** `require('name')` */
function loadedBy(node: Value): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = node.callee as Value;
  const [first] = node.arguments as readonly Value[];
  const isRequire = callee.type === 'Identifier' && nameOf(callee) === 'require';
  return isRequire && first ? literal(first) : undefined;
}

function isHarmlessImport(node: Value, port: CodePort): boolean {
  const source = literal(node.source as Value) ?? '';
  const specifiers = (node.specifiers ?? []) as readonly Value[];
  const isNamed = specifiers.some(({ type }) => type === 'ImportSpecifier');
  if (fileModules.test(source)) return !isNamed && specifiers.length > 0;
  return loads(source, port);
}

function loads(name: string, port: CodePort): boolean {
  if (safeModules.test(name)) return true;
  if (!/^\.{1,2}\//.test(name) || /(?:\.\.\/){3}/.test(name)) return false;
  port.reads(exact(name));
  if (!name.endsWith('.json')) port.add({ kind: 'code.run', values: { paths: port.directories } });
  return true;
}

function propertyOf(node: Value | undefined): string | undefined {
  if (node?.type !== 'MemberExpression') return undefined;
  const property = node.property as Value;
  if (node.computed === true) return literal(property);
  return property.type === 'Identifier' ? nameOf(property) : undefined;
}

function literal({ type, value }: Value): string | undefined {
  return type === 'Literal' && typeof value === 'string' ? value : undefined;
}

function keyOf(key: Value): string {
  return key.type === 'Identifier' ? nameOf(key) : String(key.value);
}

function nameOf({ name }: Value): string {
  return String(name);
}
