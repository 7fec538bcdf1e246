import { fault } from '../kernel/index.ts';
import type { ModelProvider, ModelProviders } from '../system/index.ts';
import { anthropic } from './anthropic.ts';
import type { ModelApi } from './model-api.ts';
import { openai } from './openai.ts';

export interface TargetDeps {
  readonly providers: ModelProviders;
  /** The owner's key, looked up anew for each request; undefined if there is none. */
  readonly keyOf: (provider: ModelProvider) => string | undefined;
}

/** Where a request goes. */
export interface ModelTarget {
  readonly name: string;
  readonly api: ModelApi;
  readonly path: string;
  readonly task: string | undefined;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it makes no tokens. */
  readonly isFree: boolean;
  /** Reserved for an answer that the request does not limit. */
  readonly outputTokens: number;
}

const apis: Readonly<Record<'openai' | 'anthropic', ModelApi>> = { openai, anthropic };

const pathPattern = /^\/models\/([^/]+)(?:\/tasks\/([^/]+))?(\/.*)$/;

/** The task is part of the address, so that a client needs nothing but its base address. */
export function readTarget(request: Request, { providers, keyOf }: TargetDeps): ModelTarget {
  const { pathname, search } = new URL(request.url);
  const [, name = '', task, path = ''] = pathPattern.exec(pathname) ?? [];
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (!provider) throw fault('MODEL_UNKNOWN', { provider: name, known: knownOf(providers) });
  const api = apis[provider.api];
  const isFree = api.free.includes(path);
  const isPost = request.method === 'POST';
  const isKnown = isFree
    ? isPost || request.method === 'GET'
    : isPost && api.counted.includes(path);
  if (!isKnown) {
    const paths = [...api.counted, ...api.free].join(', ');
    throw fault('MODEL_PATH_UNKNOWN', { path: `${request.method} ${path}`, paths });
  }
  const { outputTokens, keyVariable, keyFile } = provider;
  const key = keyOf(provider);
  if (!key)
    throw fault('MODEL_KEY_MISSING', { provider: name, source: keyVariable ?? keyFile ?? '' });
  const url = provider.url.replace(/\/$/, '') + path + search;
  const headers = { ...passedHeaders(request, api), ...api.keyHeaders(key) };
  return { name, api, path, task, url, headers, isFree, outputTokens };
}

function knownOf(providers: ModelProviders): string {
  return Object.keys(providers).join(', ') || 'none';
}

function passedHeaders({ headers }: Request, api: ModelApi): Record<string, string> {
  const passed = ['accept', 'content-type', ...api.headers].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(passed);
}
