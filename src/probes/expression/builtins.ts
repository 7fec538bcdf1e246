import { part, parts, type Syntax } from './syntax.ts';

/** What the agent offers under these names, each bounded: see in-process/operators.cjs. */
const functions = new Set([
  'Array.isArray',
  'Object.keys',
  'Number.isInteger',
  'Number.isFinite',
  'Number.isNaN',
  'Number.isSafeInteger',
  'String',
  'Number',
  'Boolean',
]);

const methods = new Set([
  'startsWith',
  'endsWith',
  'includes',
  'indexOf',
  'slice',
  'charAt',
  'at',
  'trim',
  'toLowerCase',
  'toUpperCase',
  'get',
  'has',
]);

/** `Array.isArray`: a builtin that is called by its name, whatever the name is bound to. */
export function functionName(callee: Syntax): string | undefined {
  const name =
    callee.type === 'Identifier'
      ? String(callee.name)
      : callee.type === 'MemberExpression' &&
          !callee.computed &&
          part(callee, 'object').type === 'Identifier'
        ? `${part(callee, 'object').name}.${part(callee, 'property').name}`
        : undefined;
  return name !== undefined && functions.has(name) ? name : undefined;
}

function isPlainKey(node: Syntax | null): boolean {
  return /^(?:Literal|Identifier)$/.test(node?.type ?? '');
}

/** Whether the agent has a bounded builtin of its own for this call. */
export function isKnownCall(node: Syntax): boolean {
  if (node.optional === true) return false;
  const callee = part(node, 'callee');
  if (functionName(callee) !== undefined) return true;
  const isMethod = callee.type === 'MemberExpression' && !callee.computed;
  const name = String(part(callee, 'property')?.name);
  if (!isMethod || !methods.has(name)) return false;
  // A key that is put together could spell a secret past the redaction by names.
  return !/^(?:get|has)$/.test(name) || parts(node, 'arguments').every(isPlainKey);
}
