import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Notice, Notify } from '../gate/index.ts';
import { type Log, toFault } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';

type Receiver = Config['notify'][number];

const attemptsMax = 3;
const attemptMsMax = 5_000;

/** Tells people by webhook and by command; that it was told, or could not be, is on the chain. */
export function createNotify(config: Config, ledger: Ledger, log: Log): Notify {
  return (notice) => {
    for (const receiver of config.notify) {
      tell(receiver, notice, ledger).catch((error) =>
        log('error', 'notification-failed', { event: notice.event, ...shown(error) }),
      );
    }
  };
}

async function tell(receiver: Receiver, { event, facts }: Notice, ledger: Ledger): Promise<void> {
  const by = receiver.webhook ? 'webhook' : 'command';
  const body = { event, by, about: String(facts.proposal ?? facts.scope ?? '') };
  try {
    await attempts(() => send(receiver, JSON.stringify({ event, ...facts })));
    await ledger.append({ kind: 'notification-sent', actor: 'surety:daemon', body });
  } catch (error) {
    const reason = toFault(error).message;
    const failed = { ...body, reason };
    await ledger.append({ kind: 'notification-failed', actor: 'surety:daemon', body: failed });
    throw error;
  }
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

function send({ webhook, command }: Receiver, text: string): Promise<void> {
  return webhook ? post(webhook, text) : run(command ?? '', text);
}

async function post(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(attemptMsMax);
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
}

/** The notice is on its standard input, as JSON. */
function run(command: string, text: string): Promise<void> {
  const signal = AbortSignal.timeout(attemptMsMax);
  const child = spawn(command, { shell: true, signal, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.on('error', () => undefined).end(text);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve();
      else reject(new Error(`the command ended with ${status}`));
    });
  });
}

function shown(error: unknown): Record<string, string> {
  const { code, message } = toFault(error);
  return { code, message };
}
