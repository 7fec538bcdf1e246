import { expect, it, vi } from 'vitest';
import { createValidate, type ValidationRequest } from './validation-client.ts';

const request = { tradeId: 'trd_1', counterparty: 'BANK-1' } as ValidationRequest;

it('posts the trade to validation and reads its answer', async () => {
  const body = { highValue: true, fraudCheck: 'required', screening: 'passed', reasons: [] };
  const call = vi.fn().mockResolvedValue({ status: 200, body });
  await expect(createValidate(call)(request, 'req-1')).resolves.toEqual(body);
  expect(call).toHaveBeenCalledWith(
    expect.objectContaining({ method: 'POST', path: '/validations', requestId: 'req-1' }),
  );
});

it('turns a failure of validation into a 502', async () => {
  const call = vi.fn().mockResolvedValue({ status: 500, body: {} });
  await expect(createValidate(call)(request, 'req-1')).rejects.toMatchObject({ status: 502 });
});
