import { cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, resolve } from 'node:path';
import {
  type InputOptions,
  type OutputOptions,
  type Plugin,
  type PluginContext,
  rolldown,
} from 'rolldown';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');
const require = createRequire(import.meta.url);

/** Packages that are installed beside a bundle: a binary, and a driver that suites share. */
const installed = [/^@duckdb\//, 'pg'];
/** grpc-js requires it for a service that Surety does not offer. */
const unused = '@grpc/proto-loader';

/** What is imported from a package, as a name of a bundle's file and a file of src/. */
export type Entries = Readonly<Record<string, string>>;

export const gateEntries: Entries = {
  index: 'index.ts',
  'verify-grant': 'verify-grant/index.ts',
};

export const suretyEntries: Entries = {
  ...gateEntries,
  queue: 'queue/index.ts',
  suite: 'suite/index.ts',
};

export const commandEntry: Entries = { cli: 'cli/main.ts' };

/** What nearly every program loads is one file; rolldown would make many small ones of it. */
const groups = [
  { name: 'kernel', test: /\/src\/kernel\// },
  { name: 'terminal', test: /\/src\/cli\/(?:format|options)\// },
];

/**
 * Bundles src/ and the packages that it needs into the files of one folder. SQL, and what Node
 * loads into services, stay files of their own. `home` has package.json, packs and clients.
 */
export async function bundle(
  folder: string,
  entries: Entries,
  home: string = dirname(folder),
): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, join(source, file)]),
  );
  const late = new Set<string>();
  const plugins = [relocateUrls(folder, home), relocateRequires(late), lightHttp()];
  const modules = await write({ input, plugins }, { dir: folder, codeSplitting: { groups } });
  for (const name of late) {
    const file = join(folder, lateFile(name));
    modules.push(...(await write({ input: require.resolve(name) }, { file, format: 'cjs' })));
  }
  writeFileSync(join(folder, 'licenses.txt'), licenses(modules));
}

/** Gives the modules that were bundled. */
async function write(input: InputOptions, output: OutputOptions): Promise<string[]> {
  await using build = await rolldown({
    ...input,
    cwd: root,
    platform: 'node',
    external: [...installed, unused],
    // Some packages are ES modules only by this field, and require files that no bundler sees else.
    resolve: { mainFields: ['module', 'main'] },
  });
  const written = await build.write({ chunkFileNames: '[name].js', ...output });
  return written.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * `new URL('./main.ts', import.meta.url)` is a file beside the source. All modules of the bundle
 * are in one folder: there a program is an entry, everything else has its place below src/, and
 * what is outside of src/ is below `home`.
 */
function relocateUrls(folder: string, home: string): Plugin {
  const place = (context: PluginContext, target: string): string => {
    if (!existsSync(target)) context.error(`There is no ${relative(root, target)}.`);
    const path = relative(source, target);
    if (path.startsWith('..')) return relative(folder, join(home, relative(root, target)));
    if (!path.endsWith('.ts')) {
      copyPlainFiles(extname(path) ? dirname(path) : path, folder);
      return path;
    }
    const fileName = path.replaceAll('/', '-').replace('.ts', '.js');
    context.emitFile({ type: 'chunk', id: target, fileName });
    return fileName;
  };
  return {
    name: 'relocate-urls',
    transform(code, id) {
      const urls = /new URL\('([^']+)',\s*import\.meta\.url\)/g;
      if (!id.startsWith(source) || !urls.test(code)) return null;
      return code.replaceAll(urls, (_, path: string) => {
        const slash = path.endsWith('/') ? '/' : '';
        const moved = place(this, resolve(dirname(id), path));
        return `new URL('./${moved}${slash}', import.meta.url)`;
      });
    },
  };
}

/** SQL, and what Node loads into services, with all that lies beside it. */
function copyPlainFiles(path: string, folder: string): void {
  const files = globSync(`${path}/**/*.{sql,cjs,py}`, { cwd: source, exclude: ['**/fixtures/**'] });
  for (const file of files) cpSync(join(source, file), join(folder, file));
}

/** What is required late has a file of its own, so that nothing of it is read before. */
function relocateRequires(late: Set<string>): Plugin {
  return {
    name: 'relocate-requires',
    transform(code, id) {
      if (!id.startsWith(source) || !code.includes('createRequire(import.meta.url)')) return null;
      return code.replaceAll(/\brequire\('([^']+)'\)/g, (_, name: string) => {
        late.add(name);
        return `require('./${lateFile(name)}')`;
      });
    },
  };
}

/**
 * `import 'node:http'` makes Node read all of its exports, also those behind which it loads its
 * WebSocket client: 40 ms of CPU time that no process of ours needs.
 */
function lightHttp(): Plugin {
  const id = '\0light-http';
  const names = Object.keys(http).filter((name) => !/WebSocket|Event$/.test(name));
  const exported = names.map((name) => `export const ${name} = http.${name};`);
  return {
    name: 'light-http',
    resolveId: (specifier, _, { kind }) =>
      /^(?:node:)?http$/.test(specifier) && kind !== 'require-call' ? id : null,
    load: (module) =>
      module === id
        ? [
            `const http = process.getBuiltinModule('node:http');`,
            'export default http;',
            ...exported,
          ].join('\n')
        : null,
  };
}

function lateFile(name: string): string {
  return `${name.replace(/^@/, '').replaceAll(/[/.]+/g, '-')}.cjs`;
}

/** The licences of the packages whose code is in the bundle: they want to be handed on. */
function licenses(modules: readonly string[]): string {
  const homes = new Set(
    modules.flatMap((id) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []),
  );
  return [...homes].sort().map(licenseOf).join('\n');
}

function licenseOf(home: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const file = readdirSync(home).find((any) => /^licen[cs]e/i.test(any));
  const text = file ? readFileSync(join(home, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n\n${text}\n`;
}
