import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectRouter, type Router, routerMain } from '../../src/router/index.ts';
import { freePort } from '../../tests/harness/free-ports.ts';
import type { Say } from '../bench.ts';

const program = fileURLToPath(new URL('forwarder.mjs', import.meta.url));

export interface Forwarder {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

/** The router, a service behind it, and the proxies that are installed here, each a process. */
export class Forwarders implements AsyncDisposable {
  readonly all: Forwarder[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'bench-router-'));
  readonly #children: ChildProcess[] = [];

  /** A service of its own; its port. */
  async service(): Promise<number> {
    return (await this.#startNode('service', 0)).port;
  }

  /** A process of one kind of `forwarder.mjs`, with nothing behind it. */
  process(kind: string): Promise<Forwarder> {
    return this.#startNode(kind, 0);
  }

  async start(upstream: number, say: Say): Promise<void> {
    for (const kind of ['undici', 'http-proxy'])
      this.all.push(await this.#startNode(kind, upstream));
    await this.#startProxy('haproxy', haproxyConfig, { upstream, say });
    await this.#startProxy('nginx', nginxConfig, { upstream, say });
  }

  async router(name: string): Promise<Forwarder & { readonly control: Router }> {
    const directory = join(this.#directory, name);
    mkdirSync(directory);
    const control = connectRouter(directory);
    const flags = ['--disable-warning=ExperimentalWarning', routerMain, directory];
    const child = this.#spawn(process.execPath, flags, 'ignore');
    for (;;) {
      const identity = await control.identity().catch(() => null);
      if (identity) return { name, control, ...identity };
      if (child.exitCode !== null) throw new Error('the router did not start');
      await delay(20);
    }
  }

  async #startNode(kind: string, upstream: number): Promise<Forwarder> {
    const child = this.#spawn(process.execPath, [program, kind, String(upstream)], 'pipe');
    const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
    return { name: kind, port: Number(line), pid: child.pid as number };
  }

  async #startProxy(
    name: 'haproxy' | 'nginx',
    config: (ports: { port: number; upstream: number; directory: string }) => string,
    { upstream, say }: { upstream: number; say: Say },
  ): Promise<void> {
    const binary = `/usr/sbin/${name}`;
    if (!existsSync(binary)) return say(`${name} is not installed here: apt-get install ${name}`);
    const port = await freePort();
    const file = join(this.#directory, `${name}.conf`);
    writeFileSync(file, config({ port, upstream, directory: this.#directory }));
    const flags = name === 'haproxy' ? ['-db', '-f', file] : ['-c', file, '-p', this.#directory];
    const child = this.#spawn(binary, flags, 'ignore');
    const answers = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await answers())) {
      if (child.exitCode !== null) throw new Error(`${name} did not start`);
      await delay(20);
    }
    this.all.push({ name, port, pid: child.pid as number });
  }

  #spawn(command: string, flags: string[], stdout: 'pipe' | 'ignore'): ChildProcess {
    const child = spawn(command, flags, { stdio: ['ignore', stdout, 'inherit'] });
    this.#children.push(child);
    return child;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Of the process and its children, in microseconds; the kernel counts in hundredths of seconds. */
export function cpuMicros(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) * 10_000;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children.split(' ').reduce((sum, one) => sum + (one ? cpuMicros(Number(one)) : 0), own);
}

interface Ports {
  readonly port: number;
  readonly upstream: number;
  readonly directory: string;
}

/** By the key in the baggage, as one would route lanes with it. */
function haproxyConfig({ port, upstream }: Ports): string {
  return `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend lanes
  bind 127.0.0.1:${port}
  use_backend lane if { req.hdr(baggage) -m sub surety-lane=k1 }
  default_backend lane
backend lane
  server one 127.0.0.1:${upstream}
`;
}

function nginxConfig({ port, upstream, directory }: Ports): string {
  return `daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
error_log /dev/null crit;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  keepalive_requests 1000000;
  upstream lane { server 127.0.0.1:${upstream}; keepalive 64; }
  map $http_baggage $lane { default lane; "~surety-lane=k1" lane; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_pass http://$lane;
    }
  }
}
`;
}
