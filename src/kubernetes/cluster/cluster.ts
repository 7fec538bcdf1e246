import type { IncomingMessage, RequestOptions } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { fault } from '../../kernel/index.ts';
import { refusal } from './refusal.ts';

/** How long a call is repeated while the API server restarts. */
const unreachableMsMax = 15_000;
const retryEveryMs = 250;
/** Tokens of service accounts are replaced in their files; options are read again after this. */
const optionsMsMax = 60_000;

/** What the library assumes where there is neither a kubeconfig nor a service account. */
const serverOfNobody = 'http://localhost:8080';

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: object;
  readonly contentType?: string;
  /** In words, for a refusal: `create the Deployment prices`. */
  readonly what: string;
}

/** Calls to the Kubernetes API with the credentials of a kubeconfig or of the pod we run in. */
export class Cluster {
  readonly #config: KubeConfig;
  #options: { readonly value: RequestOptions; readonly until: number } | undefined;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  get server(): string {
    return this.#config.getCurrentCluster()?.server ?? serverOfNobody;
  }

  /** Null where there is no such thing. */
  async find<Result>(path: string, what: string): Promise<Result | null> {
    const response = await this.#send(path, { what });
    if (response.statusCode === 404) {
      response.resume();
      return null;
    }
    return this.#read(response, what);
  }

  async call<Result>(path: string, call: ApiCall): Promise<Result> {
    return this.#read(await this.#send(path, call), call.what);
  }

  /** An object that exists is given back as it is: the call may have come through before. */
  async create<Result>(
    collection: string,
    object: { metadata?: { name?: string } },
  ): Promise<Result> {
    const { name = '' } = object.metadata ?? {};
    const what = `create ${collection.split('/').at(-1)} ${name}`;
    const response = await this.#send(collection, { method: 'POST', body: object, what });
    if (response.statusCode !== 409) return this.#read(response, what);
    response.resume();
    return this.call(`${collection}/${name}`, { what: what.replace('create', 'get') });
  }

  /** Also succeeds where there is nothing to delete. */
  async remove(
    path: string,
    propagationPolicy: 'Background' | 'Foreground' = 'Background',
  ): Promise<void> {
    const what = `delete ${path.split('/').slice(-2).join(' ')}`;
    const response = await this.#send(path, {
      method: 'DELETE',
      body: { propagationPolicy },
      what,
    });
    if (response.statusCode === 404) response.resume();
    else await this.#read(response, what);
  }

  /** The answer while it comes: logs that are followed. */
  stream(path: string, what: string): Promise<IncomingMessage> {
    return this.#send(path, { what });
  }

  async #read<Result>(response: IncomingMessage, what: string): Promise<Result> {
    const body = await text(response);
    const { statusCode = 0 } = response;
    if (statusCode >= 200 && statusCode < 300) return JSON.parse(body) as Result;
    throw refusal(statusCode, body, what);
  }

  async #send(path: string, call: ApiCall): Promise<IncomingMessage> {
    const deadline = performance.now() + unreachableMsMax;
    for (;;) {
      try {
        return await this.#sendOnce(path, call);
      } catch (error) {
        if (performance.now() > deadline) {
          const reason = error instanceof Error ? error.message : String(error);
          throw fault('KUBERNETES_UNREACHABLE', { server: this.server, reason });
        }
        await delay(retryEveryMs);
      }
    }
  }

  async #sendOnce(
    path: string,
    { method = 'GET', body, contentType }: ApiCall,
  ): Promise<IncomingMessage> {
    const options = await this.#requestOptions();
    const content = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...options.headers,
      accept: 'application/json',
      ...(content === undefined
        ? {}
        : {
            'content-type': contentType ?? 'application/json',
            'content-length': Buffer.byteLength(content),
          }),
    };
    const url = new URL(`${this.server.replace(/\/$/, '')}${path}`);
    const { request } = url.protocol === 'http:' ? http : https;
    return new Promise((resolve, reject) => {
      const sent = request(url, { ...options, method, headers }, resolve);
      sent.on('error', reject);
      sent.end(content);
    });
  }

  async #requestOptions(): Promise<RequestOptions> {
    const now = performance.now();
    if (this.#options && this.#options.until > now) return this.#options.value;
    const value: https.RequestOptions = {};
    await this.#config.applyToHTTPSOptions(value);
    this.#options = { value, until: now + optionsMsMax };
    return value;
  }
}

/** The library is large, and most workspaces have no cluster: it is loaded at the first use. */
export async function connectCluster(context: string | undefined): Promise<Cluster> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromDefault();
  if (context !== undefined) config.setCurrentContext(context);
  checkConfigured(config);
  return new Cluster(config);
}

/** Said at once: no waiting makes a cluster out of a missing configuration. */
function checkConfigured(config: KubeConfig): void {
  const context = config.getCurrentContext();
  const server = config.getCurrentCluster()?.server;
  if (server !== undefined && server !== serverOfNobody) return;
  const reason =
    server === undefined
      ? `the kubeconfig has no context ${JSON.stringify(context)} with a cluster`
      : 'neither KUBECONFIG nor ~/.kube/config names one';
  throw fault('KUBERNETES_NO_CLUSTER', { reason });
}
