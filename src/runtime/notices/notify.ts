import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Notice, Notify } from '../../gate/index.ts';
import { endGroup, type Log, toFault } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import { systemLimits } from '../../system/limits.ts';
import { formatNotice } from './format-notice.ts';
import { NoticeQueue } from './notice-queue.ts';

type Receiver = Config['notify'][number];

const attemptsMax = 3;
const attemptMsMax = 5_000;

/** Notifies people by webhook and by command; success or failure is recorded in the ledger. */
export function createNotify(config: Config, ledger: Ledger, log: Log): Notify {
  const queues = config.notify.map((receiver) => queueFor(receiver, ledger, log));
  return (notice) => {
    for (const queue of queues) queue.add(notice);
  };
}

function queueFor(receiver: Receiver, ledger: Ledger, log: Log): NoticeQueue {
  const failed = (event: string, error: unknown): void =>
    log('error', 'notification-failed', { event, ...shown(error) });
  return new NoticeQueue({
    tell: (notice) => tell(receiver, notice, ledger).catch((error) => failed(notice.event, error)),
    leftOut: (count) =>
      tellLeftOut(receiver, count, ledger).catch((error) => failed('several', error)),
  });
}

async function tell(receiver: Receiver, { event, facts }: Notice, ledger: Ledger): Promise<void> {
  const { proposal, scope, incident, commit, task } = facts;
  const about = String(proposal ?? scope ?? incident ?? commit ?? task ?? '');
  const body = { event, by: wayOf(receiver), about };
  try {
    await attempts(() => send(receiver, { event, facts }));
  } catch (error) {
    const reason = toFault(error).message;
    const failed = { ...body, reason };
    await ledger.append({ kind: 'notification-failed', actor: 'surety:daemon', body: failed });
    throw error;
  }
  await ledger.append({ kind: 'notification-sent', actor: 'surety:daemon', body });
}

/** Dropped notices are recorded in the ledger and logged. */
async function tellLeftOut(receiver: Receiver, count: number, ledger: Ledger): Promise<void> {
  const reason = `${systemLimits.notificationsQueuedMax} others were waiting to be sent`;
  const body = { event: 'several', by: wayOf(receiver), about: '', count, reason };
  await ledger.append({ kind: 'notification-failed', actor: 'surety:daemon', body });
  throw new Error(`${count} notices were left out: ${reason}`);
}

function wayOf({ webhook, slack }: Receiver): 'webhook' | 'slack' | 'command' {
  if (webhook) return 'webhook';
  return slack ? 'slack' : 'command';
}

async function attempts(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attemptsMax) throw error;
      await delay(200 * 2 ** attempt, undefined, { ref: false });
    }
  }
}

function send({ webhook, slack, command }: Receiver, notice: Notice): Promise<void> {
  if (slack) return post(slack, JSON.stringify({ text: formatNotice(notice) }));
  const text = JSON.stringify({ event: notice.event, ...notice.facts });
  return webhook ? post(webhook, text) : runNoticeCommand(command ?? '', text, attemptMsMax);
}

async function post(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(attemptMsMax);
  // Only the owner says where notices go: an answer must not send one to another address.
  const redirect = 'manual';
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

function shown(error: unknown): Record<string, string> {
  const { code, message } = toFault(error);
  return { code, message };
}

/** Runs a shell command with a text on its standard input, and ends it with all its children. */
export function runNoticeCommand(command: string, text: string, msMax: number): Promise<void> {
  // Its own process group, because killing the shell alone would leave its children.
  const child = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const timer = setTimeout(() => endGroup(child.pid), msMax);
  child.stdin.on('error', () => undefined).end(text);
  return new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      if (status === 0) resolve();
      else reject(new Error(`the command ended with ${status ?? signal}`));
    });
  }).finally(() => clearTimeout(timer));
}
