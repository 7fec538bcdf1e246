import { afterEach, expect, it, vi } from 'vitest';
import { createClient } from './http-client.ts';
import { createMetrics } from './metrics.ts';

const call = { method: 'POST', path: '/things', body: { a: 1 }, requestId: 'req-1' } as const;

afterEach(() => vi.unstubAllGlobals());

it('sends JSON with the request id and returns any answer', async () => {
  const fetch = vi.fn().mockResolvedValue(Response.json({ ok: true }, { status: 418 }));
  vi.stubGlobal('fetch', fetch);
  const client = createClient('things', 'http://things:1', createMetrics());
  expect(await client(call)).toEqual({ status: 418, body: { ok: true } });
  const [url, init] = fetch.mock.calls[0] ?? [];
  expect(String(url)).toBe('http://things:1/things');
  expect(init).toMatchObject({ body: '{"a":1}', headers: { 'x-request-id': 'req-1' } });
});

it('answers 502 when the answer is not JSON', async () => {
  vi.stubGlobal('fetch', vi.fn().mockResolvedValue(new Response('<html>', { status: 503 })));
  const client = createClient('things', 'http://things:1', createMetrics());
  await expect(client(call)).rejects.toMatchObject({ status: 502, code: 'things_failed' });
});

it('answers 502 when the service cannot be reached, and counts it', async () => {
  const refused = Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
  vi.stubGlobal('fetch', vi.fn().mockRejectedValue(refused));
  const metrics = createMetrics();
  const client = createClient('things', 'http://things:1', metrics);
  await expect(client(call)).rejects.toMatchObject({ status: 502, code: 'things_unreachable' });
  expect(metrics.text()).toContain('dependency_calls_total{dependency="things",status="none"} 1');
});
