import { dirname, join } from 'node:path/posix';
import { isJsonObject, type Json, tryOr } from '../../kernel/index.ts';
import type { VersionFiles } from './version-files.ts';

/** An alias of TypeScript: `@shared/*` → `libs/shared/src/*`. */
export interface Alias {
  /** The folder in which it holds. */
  readonly folder: string;
  readonly pattern: string;
  readonly targets: readonly string[];
}

/** What the manifests of a repository say about the packages in it. */
export interface Manifests {
  /** npm packages by name. */
  readonly npm: ReadonlyMap<string, NpmPackage>;
  /** Go modules by path, with their folders. */
  readonly go: ReadonlyMap<string, string>;
  /** Maven artifacts and Rust crates by name, with their folders. */
  readonly other: ReadonlyMap<string, string>;
  readonly aliases: readonly Alias[];
}

export interface NpmPackage {
  readonly folder: string;
  readonly manifest: { readonly [name: string]: Json };
}

const names = /(?:^|\/)(?:package\.json|[tj]sconfig[^/]*\.json|go\.mod|Cargo\.toml|pom\.xml)$/;

export async function readManifests(files: VersionFiles): Promise<Manifests> {
  const paths = [...files.paths.keys()].filter((path) => names.test(path));
  const texts = [...(await files.read(paths))].filter(([path]) => !path.includes('node_modules/'));
  const of = (name: RegExp) => texts.filter(([path]) => name.test(path));
  return {
    npm: new Map(of(/package\.json$/).flatMap(npmPackage)),
    go: new Map(of(/go\.mod$/).flatMap(([path, text]) => named(path, text, /^module\s+(\S+)/m))),
    other: new Map([
      ...of(/Cargo\.toml$/).flatMap(([path, text]) =>
        named(path, text, /\[package\][^[]*?^name\s*=\s*"([^"]+)"/ms),
      ),
      ...of(/pom\.xml$/).flatMap(([path, text]) =>
        named(path, withoutParent(text), /<artifactId>\s*([^<\s]+)\s*</),
      ),
    ]),
    aliases: of(/[tj]sconfig[^/]*\.json$/).flatMap(aliasesIn),
  };
}

function named(path: string, text: string, pattern: RegExp): [string, string][] {
  const name = pattern.exec(text)?.[1];
  return name === undefined ? [] : [[name, folderOf(path)]];
}

/** The first artifact of a `pom.xml` that has a parent is that parent. */
function withoutParent(text: string): string {
  return text.replace(/<parent>.*?(?:<\/parent>|$)/s, '');
}

function npmPackage([path, text]: [string, string]): [string, NpmPackage][] {
  const manifest = parsed(text);
  const { name } = manifest;
  return typeof name === 'string' ? [[name, { folder: folderOf(path), manifest }]] : [];
}

function aliasesIn([path, text]: [string, string]): Alias[] {
  const { compilerOptions } = parsed(text);
  if (!isJsonObject(compilerOptions) || !isJsonObject(compilerOptions.paths)) return [];
  const folder = folderOf(path);
  const base = join(folder, String(compilerOptions.baseUrl ?? '.'));
  return Object.entries(compilerOptions.paths).map(([pattern, targets]) => ({
    folder,
    pattern,
    targets: (Array.isArray(targets) ? targets : []).map((target) => join(base, String(target))),
  }));
}

/**
 * JSON with comments and trailing commas, as compilers read it. What is not closed ends with the
 * text: searching for its end again and again would take minutes.
 */
function parsed(text: string): { readonly [name: string]: Json } {
  const plain = text
    .replace(/("(?:[^"\\]|\\.?)*(?:"|$))|\/\/[^\n]*|\/\*.*?(?:\*\/|$)/gs, '$1')
    .replace(/,(\s*[}\]])/g, '$1');
  const value: Json = tryOr(() => JSON.parse(plain) as Json, {});
  return isJsonObject(value) ? value : {};
}

/** Empty for the top of the repository. */
export function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' ? '' : folder;
}
