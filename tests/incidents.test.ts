import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alertLimits } from '../src/investigate/limits.ts';
import { Scratch } from './harness/scratch.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const config = `
notify:
  - command: "cat >> told"
services:
  edge: { command: "node edge.mjs", port: 4391, dependsOn: [orders, reports], owner: "@web" }
  orders: { command: "node orders.mjs", port: 4392, dependsOn: [pricing], owner: "@trading" }
  pricing: { command: "node pricing.mjs", port: 4393, owner: "@pricing" }
  reports: { command: "node reports.mjs", port: 4394 }
`;

let workspace: Workspace;

beforeAll(async () => {
  const told = new Scratch().file('told');
  workspace = new Workspace({ config: config.replace('>> told', `>> ${told}`) });
  await workspace.up();
  notices = () => readNotices(told);
});
afterAll(() => workspace[Symbol.asyncDispose]());

let notices: () => { event: string; incident: string; [fact: string]: unknown }[];

function readNotices(file: string) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .replaceAll('}{', '}\n{')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

type State = 'firing' | 'resolved';

/** Alerts as a webhook tells them: `service name`. */
const tell = (state: State, ...names: string[]) => {
  const alerts = names.map((one) => {
    const [service = '', name = ''] = one.split(' ');
    return { name, state, service };
  });
  const body = { source: 'nagios', alerts };
  return workspace.client().call('POST /v1/webhooks/alerts', { body });
};

const incidents = async () => (await workspace.client().call('GET /v1/incidents', {})).incidents;
const open = async () => (await incidents()).filter(({ state }) => state === 'open');
const alertsOf = ({ alerts }: { alerts: readonly { alert: string }[] }) =>
  alerts.map(({ alert }) => alert);

// proves: incidents.grouped, incidents.told
describe('alerts', () => {
  test('of services that call each other are one incident, told once to its owner', async () => {
    await tell('firing', 'edge slow', 'edge failing');
    await tell('firing', 'pricing down');
    await tell('firing', 'orders failing-orders');
    const [incident, ...others] = await open();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ service: 'pricing', owner: '@pricing' });
    expect(incident && alertsOf(incident)).toEqual(['slow', 'failing', 'down', 'failing-orders']);
    const told = await until('somebody is told', () => notices()[0]);
    expect(told).toMatchObject({ event: 'incident-opened', owner: '@web', service: 'edge' });
    const { value } = await workspace.surety('incident', 'show', incident?.incident ?? '');
    expect(value).toEqual(incident);
    expect((await workspace.surety('incident', 'list')).code).toBe(1);
  });

  test('of a service beside it are another incident, also below a common caller', async () => {
    await tell('firing', 'reports late', 'crm odd');
    const found = await open();
    expect(found.map(({ service, owner }) => [service, owner])).toEqual(
      expect.arrayContaining([
        ['pricing', '@pricing'],
        ['reports', null],
        ['crm', null],
      ]),
    );
  });

  test('that fire again stay in their incident', async () => {
    await tell('resolved', 'pricing down');
    await tell('firing', 'pricing down');
    const [own] = (await open()).filter(({ service }) => service === 'pricing');
    expect(own?.alerts).toHaveLength(4);
  });

  test('that are all resolved close their incident', async () => {
    await tell('resolved', 'reports late');
    await tell('resolved', 'edge slow', 'pricing down', 'orders failing-orders');
    expect((await open()).map(({ service }) => service).sort()).toEqual(['crm', 'pricing']);
    await tell('resolved', 'edge failing');
    expect((await open()).map(({ service }) => service)).toEqual(['crm']);
    const closed = await until('somebody is told', () => {
      const ended = notices().filter(({ event }) => event === 'incident-closed');
      return ended.length === 2 ? ended : undefined;
    });
    expect(closed).toContainEqual(
      expect.objectContaining({ service: 'pricing', reason: 'all its alerts are resolved' }),
    );
  });
});

describe('an incident', () => {
  test('is closed by a person with a reason, once', async () => {
    const [crm] = await open();
    const id = crm?.incident ?? '';
    expect((await workspace.surety('incident', 'close', id)).value.fault?.code).toBe('USAGE');
    const longest = alertLimits.incidentReasonCharsMax;
    const long = await workspace.surety(
      'incident',
      'close',
      id,
      '--reason',
      'x'.repeat(longest + 1),
    );
    expect(long.value.fault?.code).toBe('REQUEST_INVALID');
    for (const reason of ['r'.repeat(longest), 'again']) {
      const { value } = await workspace.surety('incident', 'close', id, '--reason', reason);
      expect(value).toMatchObject({ state: 'closed', reason: 'r'.repeat(longest) });
    }
    expect(await open()).toEqual([]);
    expect((await workspace.surety('incident', 'list')).code).toBe(0);
    await until('it is told once', () => {
      const ended = notices().filter(({ incident }) => incident === id);
      return ended.filter(({ event }) => event === 'incident-closed').length === 1;
    });
  });

  test('that nobody knows is not found', async () => {
    const unknown = 'inc_unknown';
    for (const words of [
      ['incident', 'show', unknown],
      ['incident', 'close', unknown, '--reason', 'x'],
    ]) {
      expect((await workspace.surety(...words)).value.fault?.code).toBe('NOT_FOUND');
    }
  });

  test('lists alerts and the open ones up to their limits', async () => {
    const many = alertLimits.incidentAlertsMax;
    await tell('firing', ...Array.from({ length: many + 1 }, (_, n) => `one n${n}`));
    expect((await open())[0]).toMatchObject({ service: 'one', further: 1 });
    expect((await open())[0]?.alerts).toHaveLength(many);
    const rest = alertLimits.incidentsOpenMax - 1;
    await tell('firing', ...Array.from({ length: rest }, (_, n) => `s${n} alone-${n}`));
    expect(await open()).toHaveLength(alertLimits.incidentsOpenMax);
    await tell('firing', 'beyond more');
    const all = await open();
    expect(all).toHaveLength(alertLimits.incidentsOpenMax);
    expect(all.flatMap(alertsOf)).toContain('more');
    const answer = await workspace.client().call('GET /v1/incidents', {});
    expect(answer.incidents).toHaveLength(alertLimits.incidentsPageMax);
    expect(answer.all).toBeGreaterThan(alertLimits.incidentsPageMax);
  });

  test('and its rows come from the chain alone', async () => {
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
  });
});
