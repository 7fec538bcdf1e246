import { z } from 'zod';
import { faultModes } from './faults.ts';
import { Refusal } from './refusal.ts';

const amountMax = 1_000_000_000_000;
const textLengthMax = 200;
const timesMax = 1_000;
const faultMsMax = 60_000;

const text = z.string().min(1).max(textLengthMax);

export const refundBody = z.strictObject({
  orderId: text,
  amount: z.int().min(1).max(amountMax),
  reason: text,
});

export const faultBody = z.strictObject({
  on: z.enum(['refund', 'cancel']).default('refund'),
  mode: z.enum(faultModes),
  times: z.int().min(1).max(timesMax).default(1),
  ms: z.int().min(0).max(faultMsMax).default(1_000),
});

/** The body of a request in its form, or a refusal that names what is wrong with it. */
export async function readBody<Form extends z.ZodType>(
  request: { json(): Promise<unknown> },
  form: Form,
): Promise<z.output<Form>> {
  const body = await request.json().catch(() => {
    throw new Refusal(400, 'invalid_json', 'The body is not valid JSON.');
  });
  const read = form.safeParse(body);
  if (read.success) return read.data;
  throw new Refusal(400, 'invalid_body', z.prettifyError(read.error));
}
