import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { faultBody, readBody, refundBody } from './bodies.ts';
import type { Database, Postgres } from './database.ts';
import { countEffects } from './effects.ts';
import { Faults } from './faults.ts';
import { underFault } from './faulty-call.ts';
import { passFence } from './fences.ts';
import { findOrder } from './orders.ts';
import { cancel, findByKey, pay } from './refunds.ts';
import { Refusal } from './refusal.ts';
import { logRequests } from './request-log.ts';

type Environment = { Bindings: HttpBindings };

/** The payment service: what it is told to pay, it pays. */
export function paymentApp(postgres: Postgres): Hono<Environment> {
  const app = new Hono<Environment>();
  const faults = new Faults();
  app.onError(tellError);
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  app.use(logRequests(postgres));
  addReads(app, postgres);
  addPayments(app, postgres, faults);
  addFaults(app, faults);
  return app;
}

function addReads(app: Hono<Environment>, postgres: Postgres): void {
  app.get('/orders/:id', async (context) => {
    const id = context.req.param('id');
    return context.json(await fenced(postgres, context, (database) => findOrder(database, id)));
  });
  app.get('/refunds', async (context) => {
    const key = context.req.query('key');
    if (!key) throw new Refusal(400, 'key_missing', 'Say which refund: /refunds?key=…');
    return context.json(await fenced(postgres, context, (database) => findByKey(database, key)));
  });
  app.get('/effects', async (context) => context.json(await countEffects(postgres)));
}

function addPayments(app: Hono<Environment>, postgres: Postgres, faults: Faults): void {
  app.post('/refunds', async (context) => {
    const wanted = await readBody(context.req, refundBody);
    const key = context.req.header('Idempotency-Key') ?? null;
    const paid = underFault(context, faults.take('refund'), 201, (booked) =>
      fenced(postgres, context, async (database) => {
        await findOrder(database, wanted.orderId);
        return pay(database, wanted, { key, booked });
      }),
    );
    return faults.watch(paid);
  });
  app.post('/refunds/:id/cancel', (context) => {
    const id = context.req.param('id');
    return underFault(context, faults.take('cancel'), 200, () =>
      fenced(postgres, context, (database) => cancel(database, id)),
    );
  });
}

function addFaults(app: Hono<Environment>, faults: Faults): void {
  app.post('/faults', async (context) => {
    faults.order(await readBody(context.req, faultBody));
    return context.body(null, 204);
  });
  app.delete('/faults', async (context) => {
    await faults.clear();
    return context.body(null, 204);
  });
}

/** Reads pass the fence as well: after a later holder has looked, an earlier one can't pay. */
function fenced<Result>(
  postgres: Postgres,
  context: Context<Environment>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  return postgres.transaction(async (database) => {
    await passFence(database, context.req.header('Surety-Fence') ?? null);
    return work(database);
  });
}

function tellError(error: Error, context: Context): Response {
  if (!(error instanceof Refusal)) process.stderr.write(`${error.stack}\n`);
  const { status, code, message } =
    error instanceof Refusal
      ? error
      : { status: 500 as const, code: 'internal_error', message: 'Something went wrong here.' };
  return context.json({ error: { code, message } }, status);
}
