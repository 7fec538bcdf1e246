import { spawnSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { say } from './steps.ts';

/** Debian packages that the tests use, by programs (or patterns) that show that they are there. */
const packages: readonly { readonly name: string; readonly programs: readonly string[] }[] = [
  { name: 'git', programs: ['/usr/bin/git', '/usr/local/bin/git'] },
  { name: 'bubblewrap', programs: ['/usr/bin/bwrap', '/usr/local/bin/bwrap'] },
  { name: 'openssl', programs: ['/usr/bin/openssl', '/usr/local/bin/openssl'] },
  { name: 'python3', programs: ['/usr/bin/python3', '/usr/local/bin/python3'] },
  // The server for tests may come from npm, but pg_dump does not, and is of the server's version.
  { name: 'postgresql', programs: ['/usr/lib/postgresql/*/bin/pg_dump', '/usr/local/bin/pg_dump'] },
  { name: 'redis-server', programs: ['/usr/bin/redis-server', '/usr/local/bin/redis-server'] },
  { name: 'prometheus', programs: ['/usr/bin/prometheus'] },
  { name: 'prometheus-alertmanager', programs: ['/usr/bin/prometheus-alertmanager'] },
  { name: 'chromium', programs: ['/usr/bin/chromium'] },
  { name: 'nats-server', programs: ['/usr/sbin/nats-server', '/usr/local/bin/nats-server'] },
];

/**
 * All set-up that `npm install` can't do. Says what it does; where it can't, says why and what then
 * does without. In CI something missing is an error: a check that is skipped there is no check.
 */
export async function prepareMachine(): Promise<void> {
  rmSync('.vitest', { recursive: true, force: true });
  const missing = packages.filter(
    ({ programs }) => !programs.some((pattern) => globSync(pattern).length > 0),
  );
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name);
  const reason = whyNotInstall();
  if (reason) {
    say(`- ${names.join(', ')} not installed: ${reason}`);
    if (process.env.CI) throw new Error(`CI needs ${names.join(', ')}`);
    return;
  }
  say(`- installing ${names.join(', ')} …`);
  // No questions, and no server is started by its package: the tests start their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  spawnSync('apt-get', ['update'], { stdio: 'ignore' });
  const { status } = spawnSync('apt-get', ['install', '-y', ...names], { stdio: 'inherit', env });
  if (status !== 0 && process.env.CI) throw new Error(`apt-get could not install ${names}`);
}

function whyNotInstall(): string | undefined {
  if (globSync('/usr/bin/apt-get').length === 0) return 'there is no apt-get here';
  if (process.getuid?.() !== 0) return 'this is not root';
  return undefined;
}
