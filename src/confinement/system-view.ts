import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { tryOr } from '../kernel/index.ts';
import { confinementLimits } from './limits.ts';

/** Programs and settings of the machine. /srv, /var, /mnt, /home and the rest are not shown. */
const systemDirectories = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/snap',
  '/sys',
  // /etc/resolv.conf often leads there.
  '/run/systemd/resolve',
];

/** What an owner who is root could read of it, and no program of a change needs. */
const secretPaths = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/letsencrypt',
  '/etc/wireguard',
  '/etc/kubernetes',
  '/etc/docker',
  '/etc/NetworkManager/system-connections',
];

/** Where version managers and package managers keep programs and packages, below the home. */
const toolDirectories = [
  '.asdf',
  '.bun/bin',
  '.cache/ms-playwright',
  '.cache/puppeteer',
  '.cargo/bin',
  '.cargo/registry',
  '.deno/bin',
  '.fnm',
  '.local/bin',
  '.local/lib',
  '.local/share/fnm',
  '.local/share/mise',
  '.local/share/pnpm',
  '.local/share/uv',
  '.m2/repository',
  '.nvm',
  '.pyenv',
  '.rbenv',
  '.rustup',
  '.sdkman/candidates',
  '.volta',
  'go/bin',
  'go/pkg/mod',
];

/** What every confined program sees of the machine, as arguments of bubblewrap. */
export function systemView(environment: NodeJS.ProcessEnv = process.env): string[] {
  return [
    ...systemDirectories.flatMap(shown),
    ...secretPaths.filter(isReadable).flatMap(hidden),
    ...emptyHome(),
    ...toolPaths(environment).flatMap(readOnly),
  ];
}

const mebibyte = 1024 * 1024;

/** An empty directory of the program's own, in memory. */
export function temporary(path: string, permissions = '1777'): string[] {
  const bytes = confinementLimits.confinedTemporaryMb * mebibyte;
  return ['--perms', permissions, '--size', String(bytes), '--tmpfs', path];
}

/** Nothing when it does not exist. */
export function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

/** A link stays a link: programs see the paths that they see outside. */
function shown(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : readOnly(path);
}

function hidden(path: string): string[] {
  const isDirectory = lstatSync(path).isDirectory();
  return isDirectory ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}

function isReadable(path: string): boolean {
  return tryOr(() => {
    accessSync(path, constants.R_OK);
    return true;
  }, false);
}

function emptyHome(): string[] {
  const home = homedir();
  return home === '/' ? [] : temporary(home, '0700');
}

/** The running Node, what the PATH names outside of the system, and tools in the home. */
function toolPaths({ PATH = '', ...environment }: NodeJS.ProcessEnv): string[] {
  const fromPath = PATH.split(delimiter).flatMap(toolsOf);
  const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].map(
    (name) => environment[name] ?? '',
  );
  const inHome = toolDirectories.map((path) => join(homedir(), path));
  // Not the directory around them: that may be the home.
  const node = realpathSync(process.execPath);
  const besideNode = join(dirname(dirname(node)), 'lib', 'node_modules');
  const paths = [...inHome, ...fromPath, ...certificates, node, besideNode];
  const isShown = (path: string): boolean =>
    systemDirectories.some((directory) => path === directory || path.startsWith(`${directory}/`));
  return [...new Set(paths)].filter(
    (path) => path.startsWith('/') && !isShown(path) && !hasHome(path) && existsSync(path),
  );
}

/** Whether all of the home would be shown with it. */
export function hasHome(path: string): boolean {
  return `${homedir()}/`.startsWith(path.endsWith('/') ? path : `${path}/`);
}

/** The links in `node_modules/.bin` lead to the packages beside it. */
function toolsOf(directory: string): string[] {
  const packages = /^(.*\/node_modules)\/\.bin$/.exec(directory)?.[1];
  return [packages ?? directory];
}
