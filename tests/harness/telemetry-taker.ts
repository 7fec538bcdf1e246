import { createClock } from '../../src/kernel/index.ts';
import { spanRow } from '../../src/telemetry/row.fixture.ts';
import { createSink } from '../../src/telemetry/store/sink.ts';
import { openStore } from '../../src/telemetry/store/store.ts';

/** Takes rows for ever, and tells how many it has taken and stored, until it is killed. */
const [directory = ''] = process.argv.slice(2);
const retention = { ms: 3_600_000, bytes: 1024 ** 3 };
const store = await openStore(directory, { clock: createClock(), retention });
const sink = await createSink(store, { run: `taker-${process.pid}` });
const spans = Array.from({ length: 400 }, () => spanRow());
let taken = 0;
setInterval(() => {
  taken += spans.length - sink.take({ spans }).refused;
  process.stdout.write(`${taken} ${sink.status().stored.spans}\n`);
}, 5);
