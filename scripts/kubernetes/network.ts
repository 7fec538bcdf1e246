import { execFileSync } from 'node:child_process';
import { nodeAddress } from './node-files.ts';

/** Runs a program in a network namespace of its own, which is removed afterwards. */
export async function withNetwork<Result>(
  run: (inside: (words: readonly string[]) => string[]) => Promise<Result>,
): Promise<Result> {
  const namespace = `surety-kube-${process.pid}`;
  const ip = (...words: string[]): unknown => execFileSync('ip', words);
  const within = (...words: string[]): unknown => ip('-n', namespace, ...words);
  // `ip netns exec` would hide the cgroups.
  const inside = (words: readonly string[]) => [
    'nsenter',
    `--net=/run/netns/${namespace}`,
    ...words,
  ];
  ip('netns', 'add', namespace);
  try {
    within('link', 'set', 'lo', 'up');
    within('link', 'add', 'node0', 'type', 'veth', 'peer', 'name', 'node1');
    within('addr', 'add', `${nodeAddress}/24`, 'dev', 'node0');
    within('link', 'set', 'node0', 'up');
    within('link', 'set', 'node1', 'up');
    within('route', 'add', 'default', 'dev', 'node0');
    const [program = '', ...words] = inside(['sysctl', '-qw', 'net.ipv4.ip_forward=1']);
    execFileSync(program, words);
    return await run(inside);
  } finally {
    ip('netns', 'del', namespace);
  }
}
