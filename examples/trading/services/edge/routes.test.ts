import { beforeEach, expect, it, vi } from 'vitest';
import { HttpError } from '../../shared/http-error.ts';
import { createLog } from '../../shared/log.ts';
import { matchPath, type ServiceRequest } from '../../shared/route.ts';
import { edgeRoutes } from './routes.ts';

const authorise = vi.fn();
const orders = vi.fn();

beforeEach(() => {
  vi.resetAllMocks();
  orders.mockResolvedValue({ status: 200, body: { id: '1' } });
});

async function send(method: 'GET' | 'POST', path: string) {
  const routes = edgeRoutes(authorise, orders);
  const match = matchPath(routes, path).find(({ route }) => route.method === method);
  return match?.route.handle({
    method,
    path,
    params: match.params,
    headers: { authorization: 'Bearer t' },
    requestId: 'req-1',
    log: createLog('test', () => {}),
    json: async () => ({ some: 'body' }),
  } satisfies ServiceRequest);
}

it.each([
  ['POST', '/orders', 'orders:write'],
  ['GET', '/orders/ord_1', 'orders:read'],
  ['POST', '/orders/ord_1/payment', 'orders:write'],
  ['POST', '/trades', 'trades:write'],
  ['GET', '/trades/trd_1', 'trades:read'],
] as const)('%s %s asks for %s and forwards', async (method, path, scope) => {
  expect(await send(method, path)).toMatchObject({ status: 200, body: { id: '1' } });
  expect(authorise).toHaveBeenCalledWith('Bearer t', scope);
  const call = expect.objectContaining({ method, path, requestId: 'req-1' });
  expect(orders).toHaveBeenCalledExactlyOnceWith(call);
});

it('forwards nothing for a caller who is refused', async () => {
  authorise.mockImplementation(() => {
    throw new HttpError(401, 'token_expired', 'This token has expired.');
  });
  await expect(send('GET', '/trades/trd_1')).rejects.toMatchObject({ status: 401 });
  expect(orders).not.toHaveBeenCalled();
});
