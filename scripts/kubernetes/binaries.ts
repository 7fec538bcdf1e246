import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The programs of a real one-node cluster: built with Go from published modules, or unpacked from
 * Debian's packages, into the user's cache directory. Nothing is installed on the machine.
 */
const KUBERNETES_VERSION = 'v1.34.4';
const ETCD_VERSION = 'v3.6.16';
const TRAEFIK_VERSION = 'v3.6.12';
const GATEWAY_API_VERSION = 'v1.4.0';

const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
];
const DEBIAN_PACKAGES = [
  'containerd',
  'runc',
  'containernetworking-plugins',
  'iptables',
  'libip4tc2',
  'libip6tc2',
  'libxtables12',
  'libnftnl11',
  'libnfnetlink0',
  'libnetfilter-conntrack3',
  'libmnl0',
];

export const cacheDirectory: string = join(
  process.env.SURETY_KUBERNETES_CACHE ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'surety', 'kubernetes'),
  KUBERNETES_VERSION,
);
const programs = join(cacheDirectory, 'bin');
const builds = join(cacheDirectory, 'build');

/** Where Debian's packages were unpacked; their programs run from there. */
export const debianDirectory: string = join(cacheDirectory, 'debian');

export function programPath(name: string): string {
  return join(programs, name);
}

const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager'];

/** What the cache lacks for a control plane (`api`), or for one that also runs pods (`node`). */
export function missingPrograms(level: 'api' | 'node'): string[] {
  const built = level === 'api' ? controlPlane : ['etcd', ...KUBERNETES_PROGRAMS, 'pause'];
  const missing = built.filter((name) => !existsSync(programPath(name)));
  const hasDebian = existsSync(join(debianDirectory, 'usr/bin/containerd'));
  return [...missing, ...(level === 'node' && !hasDebian ? ['containerd'] : [])];
}

/** Builds what is missing; about 20 minutes the first time, nothing afterwards. */
export function buildPrograms(report: (line: string) => void): void {
  mkdirSync(programs, { recursive: true });
  const step = (name: string, path: string, build: () => void) => {
    if (existsSync(path)) return;
    const from = performance.now();
    report(`- ${name}: building`);
    build();
    report(`- ${name}: ${Math.round((performance.now() - from) / 1000)} s`);
  };
  step('Debian packages', join(debianDirectory, 'usr/bin/containerd'), unpackDebianPackages);
  step('Gateway API', join(cacheDirectory, 'gateway-api'), copyGatewayApiManifests);
  step('pause', programPath('pause'), buildPause);
  step('etcd', programPath('etcd'), buildEtcd);
  for (const name of KUBERNETES_PROGRAMS) {
    step(name, programPath(name), () => buildKubernetesProgram(name));
  }
  step('traefik', programPath('traefik'), buildTraefik);
}

function unpackDebianPackages(): void {
  const packages = join(builds, 'debian');
  mkdirSync(packages, { recursive: true });
  execFileSync('apt-get', ['download', ...DEBIAN_PACKAGES], { cwd: packages, stdio: 'inherit' });
  const unpacked = `${debianDirectory}.part`;
  for (const name of execFileSync('ls', [packages], { encoding: 'utf8' }).trim().split('\n')) {
    execFileSync('dpkg', ['-x', join(packages, name), unpacked]);
  }
  renameSync(unpacked, debianDirectory);
}

function copyGatewayApiManifests(): void {
  const module = downloadModule('sigs.k8s.io/gateway-api', GATEWAY_API_VERSION);
  cpSync(join(module, 'config/crd/standard'), join(cacheDirectory, 'gateway-api'), {
    recursive: true,
  });
}

/** The process that holds a pod's namespaces: it waits, and ends when it is told to. */
function buildPause(): void {
  const source = join(builds, 'pause');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, 'go.mod'), 'module surety.test/pause\n\ngo 1.24\n');
  writeFileSync(
    join(source, 'main.go'),
    `package main

import (
\t"os"
\t"os/signal"
\t"syscall"
)

func main() {
\tended := make(chan os.Signal, 1)
\tsignal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
\t<-ended
}
`,
  );
  go(source, ['build', '-o', programPath('pause'), '.'], { CGO_ENABLED: '0' });
}

function buildEtcd(): void {
  const source = join(builds, 'etcd');
  mkdirSync(source, { recursive: true });
  writeFileSync(
    join(source, 'go.mod'),
    `module surety.test/etcd

go 1.24

require go.etcd.io/etcd/server/v3 ${ETCD_VERSION}
`,
  );
  writeFileSync(
    join(source, 'main.go'),
    `package main

import (
\t"os"

\t"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
`,
  );
  goBuild(source, '.', programPath('etcd'));
}

/**
 * The published module of Kubernetes replaces its staging modules by folders that its archive does
 * not contain. Each of them is published too, as v0 with the same minor and patch version.
 */
function buildKubernetesProgram(name: string): void {
  const source = join(builds, 'kubernetes');
  if (!existsSync(join(source, 'go.mod'))) writeKubernetesModule(source);
  const version = 'k8s.io/component-base/version';
  const flags = [
    `-X ${version}.gitVersion=${KUBERNETES_VERSION}`,
    `-X ${version}.gitMajor=1`,
    `-X ${version}.gitMinor=${KUBERNETES_VERSION.split('.')[1]}`,
  ];
  goBuild(source, `k8s.io/kubernetes/cmd/${name}`, programPath(name), flags);
}

function writeKubernetesModule(source: string): void {
  const module = downloadModule('k8s.io/kubernetes', KUBERNETES_VERSION);
  const published = readFileSync(join(module, 'go.mod'), 'utf8');
  const staging = [...published.matchAll(/^\s+(k8s\.io\/[\w-]+) => \.\/staging\//gm)];
  const stagingVersion = KUBERNETES_VERSION.replace('v1.', 'v0.');
  mkdirSync(source, { recursive: true });
  writeFileSync(
    join(source, 'go.mod'),
    `module surety.test/kubernetes

go 1.24.0

require k8s.io/kubernetes ${KUBERNETES_VERSION}

replace (
${staging.map(([, name]) => `\t${name} => ${name} ${stagingVersion}`).join('\n')}
)
`,
  );
}

/** Traefik replaces modules in its go.mod, which only counts where it is the main module. */
function buildTraefik(): void {
  const source = join(builds, 'traefik');
  const module = downloadModule('github.com/traefik/traefik/v3', TRAEFIK_VERSION);
  cpSync(module, source, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', source]);
  // The web interface is built by other tools; the program only wants the folder to hold a file.
  const page = join(source, 'webui', 'static', 'index.html');
  mkdirSync(join(page, '..'), { recursive: true });
  if (!existsSync(page)) writeFileSync(page, '<!doctype html>\n');
  chmodSync(page, 0o644);
  goBuild(source, './cmd/traefik', programPath('traefik'));
}

function downloadModule(name: string, version: string): string {
  const answer = execFileSync('go', ['mod', 'download', '-json', `${name}@${version}`], {
    encoding: 'utf8',
  });
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

function goBuild(directory: string, target: string, output: string, linked: string[] = []): void {
  const part = `${output}.part`;
  const flags = ['-mod=mod', '-trimpath', `-ldflags=${['-s', '-w', ...linked].join(' ')}`];
  go(directory, ['build', ...flags, '-o', part, target], { CGO_ENABLED: '0' });
  renameSync(part, output);
}

function go(directory: string, parameters: string[], environment: NodeJS.ProcessEnv): void {
  execFileSync('go', parameters, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: 'inherit',
  });
}
