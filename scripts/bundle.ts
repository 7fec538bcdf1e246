import { cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
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

/** What others enter the bundle by. The programs that it starts itself are found on the way. */
export const entries = {
  cli: 'cli/main.ts',
  index: 'index.ts',
  queue: 'queue/index.ts',
  suite: 'suite/index.ts',
  'verify-grant': 'verify-grant/index.ts',
};

/**
 * Bundles src/ and the packages that it needs into the files of one folder. SQL, and what Node
 * loads into services, stay files of their own. `home` has package.json, packs and clients.
 */
export async function bundle(folder: string, home: string = dirname(folder)): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, join(source, file)]),
  );
  const late = new Set<string>();
  const plugins = [relocateUrls(folder, home), relocateRequires(late)];
  const modules = await write({ input, plugins }, { dir: folder });
  for (const name of late) {
    const file = join(folder, lateFile(name));
    modules.push(...(await write({ input: require.resolve(name) }, { file, format: 'cjs' })));
  }
  for (const file of globSync('**/*.{sql,cjs}', { cwd: source, exclude: ['**/fixtures/**'] }))
    cpSync(join(source, file), join(folder, file));
  writeFileSync(join(folder, 'licenses.txt'), licenses(modules));
}

/** Gives the modules that were bundled. */
async function write(input: InputOptions, output: OutputOptions): Promise<string[]> {
  const external = [...installed, unused];
  await using build = await rolldown({ ...input, cwd: root, platform: 'node', external });
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
    if (!path.endsWith('.ts')) return path;
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
