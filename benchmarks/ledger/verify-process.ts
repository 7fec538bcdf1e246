import { keepYoungGenerationSmall } from '../../src/cli/commands/ledger/young-generation.ts';
import { verifyLedger } from '../../src/ledger/index.ts';
import { openSqliteReader } from '../../src/ledger/sqlite/store.ts';

/** Verifies one file and tells what it took, without what starting Node takes. */
keepYoungGenerationSmall();
const [file = ''] = process.argv.slice(2);
const cpu = process.cpuUsage();
const started = performance.now();
const { problem, entries } = await verifyLedger(openSqliteReader({ file, workspace: 'bench' }), {
  trustedKeys: [],
});
if (problem) throw new Error(problem.detail);
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const peakMiB = process.resourceUsage().maxRSS / 1024;
process.stdout.write(
  JSON.stringify({ entries, seconds, cpuSeconds: (user + system) / 1_000_000, peakMiB }),
);
