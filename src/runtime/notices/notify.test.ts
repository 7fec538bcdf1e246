import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Scratch } from '../../../tests/harness/scratch.ts';
import { until } from '../../../tests/harness/until.ts';
import type { Draft, Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import { systemLimits } from '../../system/limits.ts';
import { createNotify, runNoticeCommand } from './notify.ts';

function openNotify(receiver: object) {
  const written: Draft[] = [];
  const append = async (...drafts: Draft[]) => {
    written.push(...drafts);
    return [];
  };
  const ledger = { append } as unknown as Ledger;
  const config = { notify: [receiver] } as unknown as Config;
  return { notify: createNotify(config, ledger, () => undefined), written };
}

let close = (): unknown => undefined;
afterEach(() => close());

/** A webhook that answers when the test says so: what is open, or all from then on. */
async function openWebhook() {
  const open: ServerResponse[] = [];
  let openMost = 0;
  let answersAtOnce = false;
  const answerAll = (): void => {
    answersAtOnce = true;
    for (const response of open.splice(0)) response.end();
  };
  const server = createServer((_, response) => {
    open.push(response);
    openMost = Math.max(openMost, open.length);
    if (answersAtOnce) answerAll();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { webhook, open, openMost: () => openMost, answerAll };
}

describe('notices', () => {
  test('all arrive at a webhook, a few at once', async () => {
    const { webhook, open, openMost } = await openWebhook();
    const { notify, written } = openNotify({ webhook });
    const count = systemLimits.notificationsMax * 3;
    for (let name = 0; name < count; name++) {
      notify({ event: 'proposal-held', facts: { proposal: `p${name}` } });
    }
    await until('the first ones are there', () => open.length === systemLimits.notificationsMax);
    await until('all were told', () => {
      for (const response of open.splice(0)) response.end();
      return written.length === count;
    });
    expect(openMost()).toBe(systemLimits.notificationsMax);
    expect(new Set(written.map(({ kind }) => kind))).toEqual(new Set(['notification-sent']));
  });

  test('arrive at Slack as a message with a text', async () => {
    const bodies: string[] = [];
    const server = createServer(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString());
      response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
    const slack = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T/B/x`;
    const { notify, written } = openNotify({ slack });
    notify({ event: 'stop-set', facts: { scope: 'workspace', reason: 'INC-81' } });
    await until('it was told', () => written.length === 1);
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      { text: expect.stringContaining('Stopped: workspace (INC-81)') },
    ]);
    expect(written[0]).toMatchObject({ kind: 'notification-sent', body: { by: 'slack' } });
  });

  test('do not follow a webhook that leads elsewhere', async () => {
    const inner = await openWebhook();
    const closeInner = close;
    const outer = createServer((_, response) => {
      response.writeHead(307, { location: inner.webhook }).end();
    });
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve));
    close = async () => {
      await closeInner();
      await new Promise((resolve) => outer.close(resolve).closeAllConnections());
    };
    const webhook = `http://127.0.0.1:${(outer.address() as AddressInfo).port}/`;
    const { notify, written } = openNotify({ webhook });
    inner.answerAll();
    notify({ event: 'stop-set', facts: { scope: 'workspace' } });
    await until('it was told', () => written.length === 1);
    const reason = expect.stringContaining('answered 307');
    expect(written).toMatchObject([{ kind: 'notification-failed', body: { reason } }]);
    expect(inner.openMost()).toBe(0);
  });

  test('reach a command on its standard input', async () => {
    const file = new Scratch().file('told');
    const { notify, written } = openNotify({ command: `cat > ${file}` });
    notify({ event: 'stop-set', facts: { scope: 'workspace' } });
    await until('it was told', () => written.length === 1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      event: 'stop-set',
      scope: 'workspace',
    });
    expect(written[0]).toMatchObject({
      kind: 'notification-sent',
      body: { by: 'command', about: 'workspace' },
    });
  });

  test('of a lost task are recorded with the task', async () => {
    const { notify, written } = openNotify({ command: 'true' });
    notify({ event: 'task-lost', facts: { task: 'task_1', agent: 'agent:ada', rule: 'ask' } });
    await until('it was told', () => written.length === 1);
    expect(written[0]).toMatchObject({ body: { event: 'task-lost', about: 'task_1' } });
  });

  test('are counted as dropped in one entry when too many wait', async () => {
    const { webhook, open, answerAll } = await openWebhook();
    const { notify, written } = openNotify({ webhook });
    const kept = systemLimits.notificationsMax + systemLimits.notificationsQueuedMax;
    for (let name = 0; name < kept + 7; name++) {
      notify({ event: 'proposal-held', facts: { proposal: `p${name}` } });
    }
    await until('the first ones are there', () => open.length === systemLimits.notificationsMax);
    answerAll();
    await until('all were told, and the rest counted', () => written.length === kept + 1);
    const others = written.filter(({ kind }) => kind !== 'notification-sent');
    expect(others).toMatchObject([
      { kind: 'notification-failed', body: { event: 'several', by: 'webhook', count: 7 } },
    ]);
  });

  test('kill a command that takes too long, with its child processes', async () => {
    const file = new Scratch().file('pid');
    const command = `sleep 300 & echo $! > ${file}; wait`;
    await expect(runNoticeCommand(command, '', 500)).rejects.toThrow('SIGKILL');
    const pid = Number(readFileSync(file, 'utf8'));
    await until('it is gone', () => isGone(pid));
  });
});

function isGone(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return true;
  }
}
