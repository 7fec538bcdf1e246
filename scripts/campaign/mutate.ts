import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, parse } from 'acorn';
import { stripTypes } from '../../src/verify/line-coverage/strip-types.ts';

const example = fileURLToPath(new URL('../../examples/trading/', import.meta.url));
const cache = fileURLToPath(new URL('../../.cache/mutants/', import.meta.url));

const kinds = ['operator', 'constant', 'condition', 'removed call', 'swapped arguments'] as const;

/** One small fault, put in by a program. */
export interface Mutant {
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly service: string;
  /** From the root of the example. */
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly start: number;
  readonly end: number;
}

/** Part of a text and what stands there in the mutant. */
type Edit = Pick<Mutant, 'kind' | 'start' | 'end' | 'to'>;

/** Every mutant of every service, in the order of their files. */
export function allMutants(): Mutant[] {
  const services = join(example, 'services');
  const files = readdirSync(services, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|py)$/.test(file) && !file.endsWith('.test.ts'))
    .sort();
  return files.flatMap((file) => mutantsOf(`services/${file}`));
}

function mutantsOf(file: string): Mutant[] {
  const text = readFileSync(join(example, file), 'utf8');
  const edits = file.endsWith('.py') ? pythonEdits(file) : nodeEdits(text);
  return edits.map((edit) => {
    const from = text.slice(edit.start, edit.end);
    const line = text.slice(0, edit.start).split('\n').length;
    const digest = createHash('sha256').update(`${file} ${edit.start} ${from} ${edit.to}`);
    const service = file.split('/')[1] ?? '';
    const name = `${service}-${line}-${digest.digest('hex').slice(0, 8)}`;
    return { ...edit, name, service, file, line, from };
  });
}

/** The mutant as a patch of the example; the path of its file. */
export function writeMutant({ name, file, start, end, to }: Mutant): string {
  const path = join(example, file);
  const text = readFileSync(path, 'utf8');
  mkdirSync(cache, { recursive: true });
  const mutated = join(cache, `${name}.txt`);
  writeFileSync(mutated, `${text.slice(0, start)}${to}${text.slice(end)}`);
  const patch = join(cache, `${name}.patch`);
  writeFileSync(patch, diff(path, mutated, file));
  return patch;
}

function diff(before: string, after: string, file: string): string {
  const hunks = gitDiff(before, after).split('\n').slice(4).join('\n');
  return `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n${hunks}`;
}

/** Ends with 1 where files differ. */
function gitDiff(before: string, after: string): string {
  try {
    return execFileSync('git', ['diff', '--no-index', before, after], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? '');
  }
}

const operators = new Map([
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
  ['??', '&&'],
]);

type Syntax = Node & Readonly<Record<string, unknown>>;

function nodeEdits(text: string): Edit[] {
  const code = stripTypes(text);
  if (code === null) throw new Error('A source of the example is no TypeScript.');
  const edits: Edit[] = [];
  const source = ({ start, end }: Node): string => text.slice(start, end);
  visit(
    parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Syntax,
    (node) => {
      edits.push(...editsAt(node, code, source));
    },
  );
  return edits;
}

function visit(node: Syntax, at: (node: Syntax) => void): void {
  if (node.type === 'ImportDeclaration') return;
  at(node);
  for (const part of Object.values(node)) {
    for (const child of Array.isArray(part) ? part : [part]) {
      if (typeof child?.type === 'string') visit(child as Syntax, at);
    }
  }
}

function editsAt(node: Syntax, code: string, source: (node: Node) => string): Edit[] {
  const { type, start, end } = node;
  const edit = (kind: Mutant['kind'], to: string, at: Edit | Node = node): Edit => ({
    kind,
    start: at.start,
    end: at.end,
    to,
  });
  if (type === 'BinaryExpression' || type === 'LogicalExpression') {
    const { left, right, operator } = node as unknown as Record<'left' | 'right', Node> & {
      operator: string;
    };
    const other = operators.get(operator);
    const at = code.indexOf(operator, left.end);
    if (other === undefined || at < 0 || at >= right.start) return [];
    return [{ kind: 'operator', start: at, end: at + operator.length, to: other }];
  }
  if (type === 'Literal') return constantEdits(node).map((to) => edit('constant', to));
  if (type === 'IfStatement' || type === 'ConditionalExpression') {
    const test = node.test as Node;
    return [
      edit('condition', `!(${source(test)})`, test),
      edit('condition', 'true', test),
      edit('condition', 'false', test),
    ];
  }
  if (type === 'ExpressionStatement') {
    const { expression } = node as unknown as { expression: Syntax };
    const call = expression.type === 'AwaitExpression' ? expression.argument : expression;
    return (call as Node).type === 'CallExpression'
      ? [{ kind: 'removed call', start, end, to: ';' }]
      : [];
  }
  if (type === 'CallExpression' || type === 'NewExpression') {
    const [first, second] = node.arguments as Node[];
    if (!first || !second || source(first) === source(second)) return [];
    const between = source({ ...first, start: first.end, end: second.start } as Node);
    return [
      {
        kind: 'swapped arguments',
        start: first.start,
        end: second.end,
        to: `${source(second)}${between}${source(first)}`,
      },
    ];
  }
  return [];
}

function constantEdits({ value, raw }: Syntax): string[] {
  if (typeof value === 'number') return [String(value + 1), ...(value === 0 ? [] : ['0'])];
  if (typeof value === 'boolean') return [String(!value)];
  return typeof value === 'string' && value !== '' && String(raw).length > 2 ? ["''"] : [];
}

/** Python's own parser knows where everything is, in bytes. */
function pythonEdits(file: string): Edit[] {
  const said = execFileSync('python3', ['-c', pythonProgram, join(example, file)], {
    encoding: 'utf8',
  });
  return JSON.parse(said) as Edit[];
}

const pythonProgram = `
import ast, json, sys
text = open(sys.argv[1], encoding="utf-8").read()
lines = text.splitlines(keepends=True)
starts = [sum(len(line) for line in lines[:n]) for n in range(len(lines) + 1)]
def offset(line, column):
    return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())
def span(node):
    return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)
def source(node):
    start, end = span(node)
    return text[start:end]
others = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.And: ("and", "or"), ast.Or: ("or", "and"),
    ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in")}
edits = []
def add(kind, start, end, to):
    edits.append({"kind": kind, "start": start, "end": end, "to": to})
def operator(left, right, op):
    known = others.get(type(op))
    if known is None:
        return
    at = text.find(known[0], span(left)[1])
    if 0 <= at < span(right)[0]:
        add("operator", at, at + len(known[0]), known[1])
documented = set()
tree = ast.parse(text)
for node in ast.walk(tree):
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            documented.add(id(first.value))
for node in ast.walk(tree):
    if isinstance(node, ast.BinOp):
        operator(node.left, node.right, node.op)
    elif isinstance(node, ast.BoolOp):
        operator(node.values[0], node.values[1], node.op)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        operator(node.left, node.comparators[0], node.ops[0])
    elif isinstance(node, ast.Constant) and id(node) not in documented:
        start, end = span(node)
        if isinstance(node.value, bool):
            add("constant", start, end, str(not node.value))
        elif isinstance(node.value, (int, float)):
            add("constant", start, end, str(node.value + 1))
            if node.value != 0:
                add("constant", start, end, "0")
        elif isinstance(node.value, str) and node.value and text[start:end][0] in "\\"'":
            add("constant", start, end, '""')
    elif isinstance(node, (ast.If, ast.IfExp)):
        start, end = span(node.test)
        for to in ("not (" + source(node.test) + ")", "True", "False"):
            add("condition", start, end, to)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        start, end = span(node)
        add("removed call", start, end, "pass")
    elif isinstance(node, ast.Call) and len(node.args) > 1:
        one, two = node.args[0], node.args[1]
        if source(one) != source(two):
            add("swapped arguments", span(one)[0], span(two)[1],
                source(two) + text[span(one)[1]:span(two)[0]] + source(one))
print(json.dumps(edits))
`;
