/** Puts the example's orders into DATABASE_URL. Safe to repeat. */
import { exampleOrders } from './orders.ts';
import { openDatabase } from './service/database.ts';
import { addOrders } from './service/orders.ts';

const databaseUrl = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/refunds';
const postgres = await openDatabase(databaseUrl);
await addOrders(postgres, exampleOrders);
await postgres.close();
process.stdout.write(`${exampleOrders.length} orders are in place.\n`);
