import { basename, join } from 'node:path/posix';
import type { Json } from '../../kernel/index.ts';
import { isTestFile } from '../test-file.ts';
import { folderOf, type Manifests, type NpmPackage, readManifests } from './manifests.ts';
import { canMention, type Mention, mentionsIn, mentionsInCommand } from './mentions.ts';
import { foldersAbove, nearestManifests } from './nearest-manifests.ts';
import { filesBelow, type VersionFiles } from './version-files.ts';

/** What a file uses. Of a leaf only the file itself counts, and not what it uses in turn. */
interface Uses {
  readonly files: readonly string[];
  readonly leaves: readonly string[];
}

/** What each file mentions, by its name and content. */
export type MentionCache = Map<string, readonly Mention[]>;

/** The rules depend on the name, so the same content under another name is another entry. */
const mentionKey = (path: string, id: string): string => `${basename(path)} ${id}`;

/**
 * Which files of a repository use which others, as far as their text says it. Found without
 * running or installing anything, in the languages that services are written in. It names too much
 * rather than too little: a service that is run for nothing costs time, one that is missed lets a
 * fault pass.
 */
export class CodeGraph {
  readonly #files: VersionFiles;
  readonly #manifests: Manifests;
  readonly #mentions: MentionCache;
  readonly #folders: ReadonlySet<string>;
  readonly #uses = new Map<string, Uses>();

  private constructor(files: VersionFiles, manifests: Manifests, mentions: MentionCache) {
    this.#files = files;
    this.#manifests = manifests;
    this.#mentions = mentions;
    this.#folders = new Set([...files.paths.keys()].flatMap(foldersAbove));
  }

  /** With one cache for all versions, only files that are new in a version are read. */
  static async open(files: VersionFiles, mentions: MentionCache = new Map()): Promise<CodeGraph> {
    const unread = [...files.paths].filter(
      ([path, id]) => canMention(path) && !mentions.has(mentionKey(path, id)),
    );
    const texts = await files.read(unread.map(([path]) => path));
    for (const [path, id] of unread) {
      mentions.set(mentionKey(path, id), mentionsIn(path, texts.get(path) ?? ''));
    }
    return new CodeGraph(files, await readManifests(files), mentions);
  }

  has(path: string): boolean {
    return this.#files.paths.has(path);
  }

  /** The files in a folder that a program may be made of, or the one file of that name. */
  filesOf(path: string): string[] {
    if (this.has(path)) return [path];
    if (!this.#folders.has(path)) return [];
    return filesBelow(this.#files, path).filter((file) => !isTestFile(file));
  }

  /** The files that a command names, if it runs in this folder; also through a script of npm. */
  namedBy(command: string, folder: string): string[] {
    const from = join(folder, 'package.json');
    return [command, ...this.#scriptsOf(command, folder)]
      .flatMap((text) => mentionsInCommand(text))
      .flatMap((mention) => this.#resolve(mention, from));
  }

  /** Everything that these files use, directly or through others. */
  reach(roots: readonly string[]): ReadonlySet<string> {
    const reached = new Set(roots);
    let next = [...reached];
    while (next.length > 0) {
      const found = next.map((file) => this.#usesOf(file));
      next = [...new Set(found.flatMap(({ files }) => files))].filter((file) => !reached.has(file));
      for (const file of [...next, ...found.flatMap(({ leaves }) => leaves)]) reached.add(file);
    }
    return reached;
  }

  #usesOf(file: string): Uses {
    const known = this.#uses.get(file);
    if (known) return known;
    const mentions = this.#mentions.get(mentionKey(file, this.#files.paths.get(file) ?? '')) ?? [];
    const found = new Set(mentions.flatMap((mention) => this.#resolve(mention, file)));
    const isParent = (one: string): boolean =>
      basename(one) === 'pom.xml' && foldersAbove(folderOf(file)).includes(folderOf(one));
    const uses = {
      files: [...found].filter((one) => one !== file && !isParent(one)),
      leaves: [...found].filter(isParent).concat(nearestManifests(file, this.#files.paths)),
    };
    this.#uses.set(file, uses);
    return uses;
  }

  #resolve({ kind, text }: Mention, file: string): string[] {
    switch (kind) {
      case 'module':
        return this.#resolveModule(text, file);
      case 'python':
        return this.#resolvePython(text, file);
      case 'go':
        return this.#resolveGo(text);
      case 'proto':
        return this.#first(foldersAbove(file).map((folder) => join(folder, text)));
      case 'path':
        return this.#first(this.#placesOf(text, file));
      case 'folder':
        return this.#resolveFolder(text, file);
      case 'package':
        return this.#resolvePackage(text, file);
    }
  }

  #resolveModule(name: string, file: string): string[] {
    if (/^\.{1,2}(?:\/|$)/.test(name)) return this.#script(join(folderOf(file), name));
    const aliased = this.#aliasesOf(name, file).flatMap((path) => this.#script(path));
    if (aliased.length > 0) return aliased.slice(0, 1);
    const folders = foldersAbove(file);
    const packages = [...this.#manifests.npm].filter(
      ([own, { folder }]) =>
        name === own ||
        name.startsWith(`${own}/`) ||
        (name.startsWith('#') && folders.includes(folder)),
    );
    const [longest] = packages.toSorted(([one], [other]) => other.length - one.length);
    return longest ? this.#resolveNpm(name, ...longest) : [];
  }

  /** Its entry, if that is a source file; the whole package, if the entry is built first. */
  #resolveNpm(name: string, own: string, { folder, manifest }: NpmPackage): string[] {
    const isPrivate = name.startsWith('#');
    const sub = isPrivate ? name : `.${name.slice(own.length)}`;
    const { exports = null, imports = null, main = null, module = null } = manifest;
    const given = isPrivate ? entryOf(imports, sub) : entryOf(exports, sub);
    const plain = sub === '.' ? [module, main, 'index', 'src/index'] : [sub, `src/${sub}`];
    const targets = [...given, ...plain.filter((one) => typeof one === 'string')];
    for (const target of targets) {
      const found = this.#script(join(folder, target));
      if (found.length > 0) return found;
    }
    return isPrivate || folder === '' ? [] : this.filesOf(folder);
  }

  #aliasesOf(name: string, file: string): string[] {
    const folders = foldersAbove(file);
    return this.#manifests.aliases
      .filter(({ folder }) => folders.includes(folder))
      .flatMap(({ pattern, targets }) => {
        const [start = '', end] = pattern.split('*');
        if (end === undefined) return name === pattern ? targets : [];
        if (!name.startsWith(start) || !name.endsWith(end)) return [];
        const rest = name.slice(start.length, name.length - end.length);
        return targets.map((target) => target.replace('*', rest));
      });
  }

  /** As Node, TypeScript and bundlers find it. */
  #script(path: string): string[] {
    const stem = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
    const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx', '.json'];
    const plain = [path, stem, stem.replace(/\.ts$/, '.tsx')];
    const indexes = endings.map((ending) => join(path, `index${ending}`));
    return this.#first([...plain, ...endings.map((ending) => path + ending), ...indexes]);
  }

  #resolvePython(name: string, file: string): string[] {
    const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(name) ?? [];
    const above = foldersAbove(file);
    const bases =
      dots === ''
        ? above.flatMap((folder) => [folder, join(folder, 'src')])
        : above.slice(dots.length - 1, dots.length);
    const within = rest.replaceAll('.', '/');
    const base = bases.find((one) => this.#pythonFile(join(one, within)).length > 0);
    if (base === undefined) return [];
    // Importing a module runs its packages first.
    const packages = foldersAbove(within).filter((folder) => folder !== '');
    const first = packages.map((folder) => join(base, folder, '__init__.py'));
    return [...this.#pythonFile(join(base, within)), ...first.filter((file) => this.has(file))];
  }

  #pythonFile(path: string): string[] {
    return this.#first([`${path}.py`, join(path, '__init__.py')]);
  }

  /** A package of Go is all files of one folder. */
  #resolveGo(name: string): string[] {
    const modules = [...this.#manifests.go].filter(
      ([path]) => name === path || name.startsWith(`${path}/`),
    );
    const [longest] = modules.toSorted(([one], [other]) => other.length - one.length);
    if (!longest) return [];
    const folder = join(longest[1], name.slice(longest[0].length)).replace(/^\.$/, '');
    return [...this.#files.paths.keys()].filter(
      (path) => folderOf(path) === folder.replace(/^\//, '') && /(?<!_test)\.go$/.test(path),
    );
  }

  #resolveFolder(text: string, file: string): string[] {
    const own = foldersAbove(file);
    for (const place of this.#placesOf(text, file)) {
      // A folder that contains the file itself says nothing about what it uses.
      const folder = this.has(place) && /proj$/.test(place) ? folderOf(place) : place;
      if (folder === '.' || own.includes(folder) || folder.startsWith('..')) continue;
      const found = this.filesOf(folder);
      if (found.length > 0) return found;
    }
    return [];
  }

  #resolvePackage(name: string, file: string): string[] {
    const folder = this.#manifests.other.get(name);
    if (folder === undefined || folder === folderOf(file)) return [];
    return foldersAbove(file).includes(folder) ? [join(folder, 'pom.xml')] : this.filesOf(folder);
  }

  /** Beside the file, or from the folders above it. */
  #placesOf(text: string, file: string): string[] {
    const isRelative = /^\.{1,2}\//.test(text);
    const folders = isRelative ? [folderOf(file)] : foldersAbove(file);
    return folders.map((folder) => join(folder, text).replace(/\/$/, ''));
  }

  #first(candidates: readonly string[]): string[] {
    const found = candidates.find((path) => this.has(path));
    return found === undefined ? [] : [found];
  }

  #scriptsOf(command: string, folder: string): string[] {
    const [, name = ''] =
      /^(?:npm|pnpm|yarn|bun)\s+(?:(?:run|run-script)\s+)?([\w:.-]+)/.exec(command.trim()) ?? [];
    const own = [...this.#manifests.npm.values()].find((one) => one.folder === folder);
    const scripts = (own?.manifest.scripts ?? {}) as Record<string, Json>;
    return [`pre${name}`, name]
      .map((one) => scripts[one])
      .filter((script) => typeof script === 'string');
  }
}

/** The targets of a name in `exports` or `imports`, whatever the conditions. */
function entryOf(map: Json, sub: string): string[] {
  if (typeof map === 'string') return sub === '.' ? [map] : [];
  if (map === null || typeof map !== 'object' || Array.isArray(map)) return [];
  const entries = Object.entries(map as Record<string, Json>);
  if (entries.every(([key]) => !/^[.#]/.test(key))) return sub === '.' ? stringsIn(map) : [];
  return entries.flatMap(([key, target]) => {
    const [start = '', end] = key.split('*');
    if (end === undefined) return key === sub ? stringsIn(target) : [];
    if (!sub.startsWith(start) || !sub.endsWith(end)) return [];
    const rest = sub.slice(start.length, sub.length - end.length);
    return stringsIn(target).map((one) => one.replace('*', rest));
  });
}

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
}
