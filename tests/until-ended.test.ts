import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const program = (opening: string): string => `
  import { untilEnded } from '${new URL('../scripts/until-ended.ts', import.meta.url)}';
  const say = (word) => process.stdout.write(word + '\\n');
  const open = async () => {
    say('opening');
    ${opening}
    return { stop: async () => say('stopped') };
  };
  const forever = () => { say('working'); setInterval(() => undefined, 1000); return new Promise(() => undefined); };
  await untilEnded(open, forever).catch(({ message }) => { say(message); process.exit(3); });`;

const whileOpening =
  "await new Promise((resolve) => { process.once('SIGTERM', resolve); setTimeout(resolve, 20_000); });";

test.each<[string, NodeJS.Signals, string, string, string]>([
  ['at work', 'SIGINT', 'working', '', 'opening\nworking\nstopped\nended by SIGINT\n'],
  ['at work', 'SIGTERM', 'working', '', 'opening\nworking\nstopped\nended by SIGTERM\n'],
  ['opening', 'SIGTERM', 'opening', whileOpening, 'opening\nstopped\nended by SIGTERM\n'],
])(
  'a campaign that is stopped while %s by %s ends everything that it started',
  async (_, signal, word, opening, expected) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program(opening)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = text(child.stdout);
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes(word)) child.kill(signal);
    });
    const [code] = await once(child, 'exit');
    expect([code, await output]).toEqual([3, expected]);
  },
);
