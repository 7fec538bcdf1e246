import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { LaneSystem } from './harness/systems/lane-system.ts';

/** Reads something once; all that is measured is made of this. */
const suites = `suites:
  flow:
    command: >-
      node -e 'fetch(process.env.BASE_URL + "/things", { headers: JSON.parse(process.env.HEADERS) })
      .then((answer) => console.log(JSON.stringify({ check: "answers", passed: answer.ok })))'
  others: { command: exit 1, report: exit, when: { services: [front] } }
`;

function verify(system: LaneSystem, change: (code: string) => string) {
  const code = readFileSync(join(system.workspace.root, 'middle/main.mjs'), 'utf8');
  const patch = system.patch({ 'middle/main.mjs': change(code) });
  return system.workspace.client().call('POST /v1/verdicts', { body: { patch } });
}

// proves: verify.paired
// proves: verify.false-alarms
test.runIf(isDeep)(
  'a change that needs far more CPU fails with its service named, others pass',
  async () => {
    await using system = await LaneSystem.start(suites);
    const client = system.workspace.client();
    const body = { verdicts: 1, services: ['middle'] };
    const run = await client.call('POST /v1/calibrations', { body });
    expect(run).toMatchObject({ verdicts: 1, falseAlarms: 0, alarms: [] });
    const harmless = await verify(system, (code) => `// Nothing else is new.\n${code}`);
    expect(harmless).toMatchObject({ verdict: 'pass', profile: 'quick', findings: [] });
    const left = 'left out, because not meant for this change: others';
    expect(harmless.notices).toContain(left);
    expect(harmless.calibration).toMatchObject({ verdicts: 1, falseAlarms: 0 });
    // Which of them are decided depends on how busy the machine is.
    expect(harmless.signals?.map(({ service }) => service)).toContain('middle');

    const burn = 'for (let round = 0; round < 5e6; round++) Math.sqrt(round);';
    const slow = await verify(system, (code) =>
      code.replace('const next', `${burn}\n  const next`),
    );
    expect(slow).toMatchObject({ verdict: 'fail', services: ['middle'] });
    expect(slow.findings[0]).toMatchObject({
      kind: 'difference',
      class: 'signal',
      what: 'cpu-us',
      service: 'middle',
      after: expect.stringMatching(/µs \(\+\d+ %; 95 %: /),
    });
    // Seen on two starts: none was lucky.
    expect(slow.signals?.find(({ signal }) => signal === 'cpu-us')).toMatchObject({ starts: 2 });
    const { lanes } = await client.call('GET /v1/lanes', {});
    expect(lanes).toEqual([]);
  },
);
