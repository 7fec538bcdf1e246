import { basename, extname } from 'node:path/posix';

/** Something in a file that may name another file of the repository. */
export interface Mention {
  readonly kind: 'module' | 'python' | 'go' | 'proto' | 'path' | 'folder' | 'package';
  readonly text: string;
}

const scriptFiles = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;
/** Files that say how something is built or started; a folder that they name counts as a whole. */
const buildFiles =
  /(?:^|\/)(?:[^/]*Dockerfile[^/]*|Makefile|Procfile|Justfile|package\.json|go\.mod|requirements[^/]*\.txt)$|\.(?:sh|ya?ml|toml|gradle|kts|\w*proj|props|targets|sln|cmake)$/;
const codeFiles = /\.(?:py|go|java|kt|scala|cs|fs|rs|rb|php|ex|exs|c|cc|cpp|h|hpp|swift)$/;

/** Whether a file can name others at all. */
export function canMention(path: string): boolean {
  return (
    scriptFiles.test(path) ||
    buildFiles.test(path) ||
    codeFiles.test(path) ||
    path.endsWith('.proto') ||
    basename(path) === 'pom.xml'
  );
}

/**
 * Pure: what a file mentions, by the rules of its language. Few of it will exist. Whoever makes a
 * change writes these texts, so each pattern here takes time in proportion to the text: no two
 * repeated parts that follow each other match the same character, and what has no end goes on to
 * the end of the text.
 */
export function mentionsIn(path: string, text: string): Mention[] {
  if (scriptFiles.test(path)) return [...modulesIn(text), ...pathsInCode(text)];
  if (path.endsWith('.py')) return [...pythonModulesIn(text), ...pathsInCode(text)];
  if (path.endsWith('.go')) return [...goPackagesIn(text), ...pathsInCode(text)];
  if (path.endsWith('.proto'))
    return allOf(text, /^[ \t]*import\s+(?:public\s+|weak\s+)?"([^"]+)"/gm, 'proto');
  if (buildFiles.test(path) || basename(path) === 'pom.xml') return inBuildFile(path, text);
  return codeFiles.test(path) ? pathsInCode(text) : [];
}

/** Pure: what a command line mentions. */
export function mentionsInCommand(command: string): Mention[] {
  return pathsIn(command);
}

function allOf(text: string, pattern: RegExp, kind: Mention['kind']): Mention[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => ({ kind, text: found }));
}

function modulesIn(text: string): Mention[] {
  return [
    ...allOf(text, /\bfrom\s*['"]([^'"\n]+)['"]/g, 'module'),
    ...allOf(text, /\bimport\s*['"]([^'"\n]+)['"]/g, 'module'),
    ...allOf(text, /\b(?:import|require(?:\.resolve)?)\s*\(\s*['"`]([^'"`\n]+)['"`]/g, 'module'),
    ...joinedPaths(text),
  ];
}

/** `join(__dirname, '..', 'proto', 'money.proto')`. */
function joinedPaths(text: string): Mention[] {
  const calls = text.matchAll(
    /\b(?:join|resolve)\(\s*(?:__dirname|import\.meta\.dirname)\s*,((?:\s*['"`][^'"`\n]*['"`]\s*,?)+)/g,
  );
  return [...calls].map(([, parts = '']) => {
    const names = [...parts.matchAll(/['"`]([^'"`\n]*)['"`]/g)].map(([, name]) => name);
    return { kind: 'path', text: `./${names.join('/')}` };
  });
}

function pythonModulesIn(text: string): Mention[] {
  const plain = [...text.matchAll(/^[ \t]*import[ \t]+([\w., ]+)/gm)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim().split(/\s+/)[0] ?? ''),
  );
  const from = [
    ...text.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)?|[^\n#]+)/gm),
  ].flatMap(([, module = '', names = '']) => {
    const members = names.replace(/[()\s\\]+/g, ' ').split(',');
    const separator = module === '' || module.endsWith('.') ? '' : '.';
    const within = members.map((name) => `${module}${separator}${name.trim().split(' ')[0]}`);
    return [module, ...within];
  });
  return [...plain, ...from]
    .filter((name) => /[\w]/.test(name))
    .map((name) => ({ kind: 'python', text: name }));
}

function goPackagesIn(text: string): Mention[] {
  const blocks = [...text.matchAll(/^import[ \t]*(?:\(([^)]*)\)?|(?:[\w.]+[ \t]*)?("[^"\n]+"))/gm)];
  const names = blocks.flatMap(([, many = '', one = '']) => (many + one).match(/"([^"]+)"/g) ?? []);
  const directives = [...text.matchAll(/^\/\/go:(?:embed|generate)\s+(.+)$/gm)];
  return [
    ...names.map((name) => ({ kind: 'go' as const, text: name.slice(1, -1) })),
    ...directives.flatMap(([, words = '']) => pathsIn(words)),
  ];
}

/** Data that programs read: in code, other strings with a slash are mostly addresses. */
const dataFile =
  /\.(?:proto|json5?|ya?ml|toml|sql|graphqls?|avsc|xsd|xml|html?|hbs|ejs|tmpl|mustache|csv|txt|md|pem|crt|ini|properties|wasm|lua|rego|cel)$/;

function pathsInCode(text: string): Mention[] {
  const quoted = [...text.matchAll(/['"`]([\w@.][\w@./-]{1,200})['"`]/g)];
  return quoted
    .map(([, found = '']) => found)
    .filter((found) => found.startsWith('../') || dataFile.test(found))
    .map((found) => ({ kind: 'path', text: found }));
}

function inBuildFile(path: string, text: string): Mention[] {
  const name = basename(path);
  // Its scripts and workspaces concern other programs as well.
  if (name === 'package.json') return allOf(text, /"(?:file|link|portal):([^"]+)"/g, 'folder');
  if (name === 'pom.xml') return allOf(text, /<artifactId>\s*([^<\s]+)\s*</g, 'package');
  const projects = /\.(?:gradle|kts)$/.test(name)
    ? [...text.matchAll(/\bproject\(\s*(?:path\s*[:=]\s*)?['"]:?([\w:.-]+)['"]/g)].map(
        ([, found = '']) => ({ kind: 'folder' as const, text: found.replaceAll(':', '/') }),
      )
    : [];
  const crates =
    name === 'Cargo.toml' ? allOf(text, /^[ \t]*([\w-]+)(?:\.workspace)?[ \t]*=/gm, 'package') : [];
  const own = name.includes('Dockerfile')
    ? copiedIn(text)
    : extname(name).endsWith('proj')
      ? includedIn(text)
      : pathsIn(text);
  return [...own, ...projects, ...crates];
}

/** What an image is made of, from whatever folder it is built. */
function copiedIn(text: string): Mention[] {
  const lines = text.replace(/\\\n/g, ' ').matchAll(/^[ \t]*(?:COPY|ADD)[ \t](.+)$/gim);
  return [...lines].flatMap(([, list = '']) => {
    if (list.includes('--from=')) return [];
    const words = list.split(/[\s"'[\],]+/).filter((word) => word !== '' && !word.startsWith('--'));
    // The last one is the place in the image.
    return words.slice(0, -1).map((word) => ({ kind: 'folder', text: word.replace(/^\.?\//, '') }));
  });
}

/** The references of a project of .NET; of a pattern, its folder. */
function includedIn(text: string): Mention[] {
  const included = text.matchAll(/\s(?:Include|Project)="([^"]+)"/g);
  return [...included].map(([, found = '']) => {
    const path = found.replaceAll('\\', '/');
    const [plain = '', pattern] = path.split('*', 2);
    const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
    return { kind: 'folder', text: pattern === undefined ? path : folder };
  });
}

function pathsIn(text: string): Mention[] {
  return text
    .split(/[\s'"`=,;:()[\]{}<>|&]+/)
    .filter(
      (word) => /^[\w@.][\w@./-]*$/.test(word) && (word.includes('/') || extname(word) !== ''),
    )
    .slice(0, 5_000)
    .map((word) => ({ kind: 'folder', text: word }));
}
