import { setTimeout as delay } from 'node:timers/promises';
import type { OperationResponse } from '../../../http/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { wholeNumber } from '../../options/whole-number.ts';

type Probe = OperationResponse<'GET /v1/probes/{probe}'>;

export const list: RunCommand = async ({ place, output }) => {
  const { probes, isOff } = await connectDaemon(place).call('GET /v1/probes', {});
  output.value({ probes, isOff });
  for (const probe of probes) output.line(formatProbe(probe));
  if (isOff) output.line(output.tone('warn', 'Probes are switched off: surety probe on'));
  else if (probes.length === 0) output.line('No probe is placed.');
};

export const show: RunCommand = async (invocation) => {
  const { output, options } = invocation;
  const probe = await read(invocation);
  const lines = wholeNumber('--lines', options.lines, 20, 1);
  output.value(probe);
  output.line(formatProbe(probe));
  printSummaries(probe, output);
  for (const capture of probe.captures.slice(-lines)) output.line(formatCapture(capture));
  printEnd(probe, output);
};

const againAfterMs = 300;

export const tail: RunCommand = async (invocation) => {
  const { output } = invocation;
  let shown = '';
  let lastSummary = '';
  for (;;) {
    const probe = await read(invocation);
    const fresh = newer(probe.captures, shown);
    shown = keyOf(probe.captures.at(-1)) ?? shown;
    for (const capture of fresh) {
      output.value(capture);
      output.line(formatCapture(capture));
    }
    const summary = JSON.stringify(probe.instances.map((one) => one.summary));
    if (summary !== lastSummary && probe.captures.length === 0) printSummaries(probe, output);
    lastSummary = summary;
    if (probe.ended) return printEnd(probe, output);
    await delay(againAfterMs);
  }
};

export const remove: RunCommand = async ({ place, output, words: [probe = ''] }) => {
  const path = { probe };
  const removed = await connectDaemon(place).call('POST /v1/probes/{probe}/remove', { path });
  output.value(removed);
  printSummaries(removed, output);
  printEnd(removed, output);
};

/** Entries of the ledger hash what is here: `ledger verify` and a comparison prove it. */
export const exportProbe: RunCommand = async (invocation) => {
  const { output } = invocation;
  const probe = await read(invocation);
  if (probe.ended === null) {
    output.value({ probe: probe.probe, ended: null });
    output.line(output.tone('warn', 'The probe is still placed: remove it first.'));
    return exitCodes.bad;
  }
  if (invocation.options.bundle)
    await (await import('./bundle.ts')).exportBundle(invocation, probe.probe);
  else await output.raw(`${JSON.stringify(probe, null, 2)}\n`);
  return exitCodes.ok;
};

export const turnOff: RunCommand = (invocation) => turn(invocation, true);
export const turnOn: RunCommand = (invocation) => turn(invocation, false);

async function turn({ place, output }: Invocation, isOff: boolean): Promise<undefined> {
  const body = { isOff };
  output.value(await connectDaemon(place).call('POST /v1/probes/switch', { body }));
  output.line(isOff ? 'All probes are removed, and new ones are refused.' : 'Probes are allowed.');
}

function read({ place, words: [probe = ''] }: Invocation): Promise<Probe> {
  return connectDaemon(place).call('GET /v1/probes/{probe}', { path: { probe } });
}

type Capture = Probe['captures'][number];

function keyOf(capture: Capture | undefined): string | undefined {
  return capture && `${capture.pid}/${capture.hit}/${capture.at}`;
}

function newer(captures: readonly Capture[], shown: string): readonly Capture[] {
  return captures.slice(captures.findIndex((one) => keyOf(one) === shown) + 1);
}

function formatProbe({
  probe,
  kind,
  service,
  lane,
  file,
  line,
  owner,
  expiresAt,
  reason,
}: Probe): string {
  const where = `${service ?? 'a process'}${lane ? ` in ${lane}` : ''}`;
  const why = reason === '' ? '' : `, ${reason}`;
  const until = new Date(expiresAt).toISOString();
  return visible(`${probe}  ${kind}  ${where}  ${file}:${line}  by ${owner}, until ${until}${why}`);
}

function formatCapture({ at, hit, pid, message, values, stack }: Capture): string {
  const time = new Date(at).toISOString().slice(11, 23);
  const from = stack[1] ? `  from ${stack[1].function || '(anonymous)'}` : '';
  const text = message ?? JSON.stringify(Object.fromEntries(Object.entries(values).map(plain)));
  return visible(`${time}  pid ${pid}  hit ${hit}  ${text}${message === undefined ? from : ''}`);
}

function plain([name, seen]: [string, Capture['values'][string]]): [string, unknown] {
  return [name, 'error' in seen ? `<${seen.error}>` : seen.value];
}

function printSummaries({ instances }: Probe, output: Output): void {
  for (const { pid, summary } of instances) {
    if (!summary) continue;
    const { hits, evaluated, estimatedHits, perSecond, distribution, tally, error } = summary;
    const rate = `evaluated ${evaluated} of about ${estimatedHits} (${perSecond}/s)`;
    output.line(`pid ${pid}  ${hits} hits, ${rate}`);
    if (distribution) output.line(`  ${formatNumbers(distribution)}`);
    for (const [name, count] of Object.entries(tally ?? {}))
      output.line(visible(`  ${count}  ${name}`));
    if (error) output.line(`  ${output.tone('warn', visible(`not readable: ${error}`))}`);
  }
}

function formatNumbers(numbers: object): string {
  const entries = Object.entries(numbers as Record<string, number>).map(
    ([name, value]) => `${name} ${Number(value.toPrecision(4))}`,
  );
  return entries.join('  ');
}

function printEnd({ ended }: Probe, output: Output): undefined {
  if (!ended) return;
  const { instances } = ended.certificate as unknown as {
    instances: readonly { process: { pid: number }; residue: Readonly<Record<string, string>> }[];
  };
  output.line(output.tone('dim', `ended: ${ended.reason}`));
  for (const { process, residue } of instances) {
    const left = Object.entries(residue).map(([what, state]) => `${what} ${state}`);
    output.line(output.tone('dim', `  pid ${process.pid}: ${left.join(', ')}`));
  }
}
