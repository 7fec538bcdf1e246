import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { runStep } from './steps.ts';

/** Compiles the types of src/ into a folder. Whether they are right, another step checks. */
export async function compileTypes(folder: string): Promise<void> {
  const options = ['--emitDeclarationOnly', '--noCheck', '--outDir', folder];
  const { ok, output } = await runStep({
    name: 'types',
    command: ['node_modules/.bin/tsc', '-p', 'tsconfig.build.json', ...options],
  });
  if (!ok) throw new Error(output);
}

/** A name that a file takes from another file, or from a package. */
interface Origin {
  readonly from: string;
  readonly name: string;
}

interface Module {
  readonly file: string;
  readonly imports: Map<string, Origin>;
  readonly exports: Map<string, Origin>;
  /** By name; a function has a text for each overload. */
  readonly declarations: Map<string, string[]>;
}

interface Declaration extends Origin {
  readonly texts: readonly string[];
  /** What its words mean in the file that it is from. */
  readonly words: ReadonlyMap<string, Origin>;
}

/** One text with the types that a compiled file exports and all that these need. */
export function bundleTypes(compiled: string, file: string): string {
  const modules = new Map<string, Module>();
  const read = (path: string): Module => {
    const known = modules.get(path) ?? readModule(path);
    modules.set(path, known);
    return known;
  };
  const entry = read(resolve(compiled, file.replace(/\.ts$/, '.d.ts')));
  const exported = new Map([...entry.exports].map(([name, at]) => [name, origin(at, read)]));
  const needed = new Map([...exported.values()].map((at) => [keyOf(at), describe(at, read)]));
  // A map is walked to its end, also over what is added meanwhile.
  for (const { words } of needed.values())
    for (const at of words.values())
      if (!needed.has(keyOf(at))) needed.set(keyOf(at), describe(at, read));
  return write(exported, needed);
}

const keyOf = ({ from, name }: Origin): string => `${from}#${name}`;
const isPackage = ({ from }: Origin): boolean => !from.startsWith('/');

function readModule(file: string): Module {
  const module: Module = { file, imports: new Map(), exports: new Map(), declarations: new Map() };
  const text = readFileSync(file, 'utf8');
  // A statement starts at the left margin, with the comment before it.
  const statement =
    /^(?:\/\*\*[\s\S]*?\*\/\n)?(?:import|export|declare|interface|type)\b[\s\S]*?(?=^(?:\/\*\*|import|export|declare|interface|type)\b|^\/\*\*|$(?![\s\S]))/gm;
  for (const [found] of text.matchAll(statement)) readStatement(module, found.trim());
  return module;
}

const listed = /^(import|export)(?: type)? \{([\s\S]*)\}(?: from ['"](.*)['"])?;$/;
const declared =
  /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|let|class|interface|type) ([\w$]+)/;

function readStatement(module: Module, text: string): void {
  const code = text.replace(/^\/\*\*[\s\S]*?\*\/\n/, '');
  const [, kind, list = '', from] = listed.exec(code) ?? [];
  if (kind) {
    for (const item of list.split(',').filter((part) => part.trim())) {
      const [name = '', as = name] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      const at = { from: from ? located(module.file, from) : module.file, name };
      (kind === 'import' ? module.imports : module.exports).set(as, at);
    }
    return;
  }
  const [, name] = declared.exec(code) ?? [];
  if (!name) throw new Error(`${module.file} has a statement that is not understood: ${code}`);
  module.declarations.set(name, [...(module.declarations.get(name) ?? []), text]);
  if (code.startsWith('export ')) module.exports.set(name, { from: module.file, name });
}

function located(file: string, path: string): string {
  return path.startsWith('.') ? resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')) : path;
}

/** Where something is declared, past all that only hand it on. */
function origin(at: Origin, read: (path: string) => Module): Origin {
  if (isPackage(at)) return at;
  const { declarations, imports, exports } = read(at.from);
  if (declarations.has(at.name)) return at;
  const next = imports.get(at.name) ?? exports.get(at.name);
  if (!next) throw new Error(`${at.from} has no ${at.name}.`);
  return origin(next, read);
}

const inline = /import\("([^"]+)"\)\.([\w$]+)/g;

function describe(at: Origin, read: (path: string) => Module): Declaration {
  if (isPackage(at)) return { ...at, texts: [], words: new Map() };
  const { file, declarations, imports } = read(at.from);
  const texts = declarations.get(at.name) ?? [];
  const words = new Map<string, Origin>();
  for (const [whole, path = '', name = ''] of texts.join('\n').matchAll(inline))
    words.set(whole, origin({ from: located(file, path), name }, read));
  for (const [word] of texts
    .join('\n')
    .replaceAll(inline, '')
    .matchAll(/(?<![.\w$])[\w$]+/g)) {
    const found = imports.get(word) ?? (declarations.has(word) ? { from: file, name: word } : null);
    if (found) words.set(word, origin(found, read));
  }
  return { ...at, texts, words };
}

function write(
  exported: ReadonlyMap<string, Origin>,
  needed: ReadonlyMap<string, Declaration>,
): string {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [key, { name }] of needed) {
    let free = name;
    for (let n = 1; taken.has(free); n += 1) free = `${name}$${n}`;
    taken.add(free);
    names.set(key, free);
  }
  const nameOf = (at: Origin): string => names.get(keyOf(at)) ?? at.name;
  const imports = [...needed.values()]
    .filter(isPackage)
    .map((at) => `import { type ${at.name} as ${nameOf(at)} } from '${at.from}';`);
  const bodies = [...needed.values()].flatMap(({ texts, words, ...at }) =>
    texts.map((text) => rename(text, new Map(words).set(at.name, at), nameOf)),
  );
  const list = [...exported].map(([as, at]) => `  ${nameOf(at)} as ${as},`);
  return [...imports, ...bodies, 'export {', ...list, '};', ''].join('\n');
}

function rename(
  text: string,
  words: ReadonlyMap<string, Origin>,
  nameOf: (at: Origin) => string,
): string {
  return text
    .replace(/^export (?=declare|interface|type|abstract)/m, '')
    .replaceAll(inline, (whole) => nameOf(words.get(whole) as Origin))
    .replaceAll(/(?<![.\w$])[\w$]+(?!\??:)/g, (word) => {
      const at = words.get(word);
      return at ? nameOf(at) : word;
    });
}
