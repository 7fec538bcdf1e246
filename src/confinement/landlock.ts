import { spawnSync } from 'node:child_process';

/**
 * Landlock lets a program give up rights for good. Node cannot ask for it without a native module;
 * Perl, which Debian and Ubuntu cannot be without, calls the kernel by number. These numbers and
 * structures are the same on all processors.
 */
const program = `my $ports = shift;
my $version = syscall(444, 0, 0, 1);
# Connecting by TCP, and from version 6 on sockets without a file.
my $rules = $version >= 6 ? pack('QQQ', 0, 2, 1) : pack('QQ', 0, 2);
my $set = syscall(444, $rules, length $rules, 0);
die "Landlock: $!\\n" if $set < 0;
for my $port (split /,/, $ports) {
  my $rule = pack('QQ', 2, $port);
  die "Landlock: port $port: $!\\n" if syscall(445, $set, 2, $rule, 0) != 0;
}
die "Landlock: $!\\n" if syscall(446, $set, 0) != 0;
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;

/** The version of Landlock that can tell ports. */
const versionMin = 4;

let known: boolean | undefined;

/** Whether this machine lets us say which ports a program may connect to. */
export function hasLandlock(): boolean {
  known ??= tryLandlock('perl');
  return known;
}

export function tryLandlock(perl: string): boolean {
  const words = ['-e', `exit(syscall(444, 0, 0, 1) < ${versionMin})`];
  return process.platform === 'linux' && spawnSync(perl, words, { timeout: 10_000 }).status === 0;
}

/** The same command, which then connects to these TCP ports and no others. */
export function connectingOnlyTo(
  ports: readonly number[],
  command: readonly string[],
): readonly string[] {
  return ['perl', '-e', program, ports.join(','), ...command];
}

const schemePorts: Readonly<Record<string, number>> = {
  amqp: 5672,
  amqps: 5671,
  http: 80,
  https: 443,
  mongodb: 27017,
  mysql: 3306,
  nats: 4222,
  postgres: 5432,
  postgresql: 5432,
  redis: 6379,
  rediss: 6380,
};

/** Ports of the addresses that a program was given: they are declared, or Surety's own. */
export function portsIn(environment: Readonly<Record<string, string | undefined>>): number[] {
  const ports = Object.entries(environment).flatMap(([name, value = '']) => [
    ...(name.endsWith('PORT') ? [Number(value)] : []),
    ...[...value.matchAll(/:(\d{2,5})(?!\d)/g)].map(([, port]) => Number(port)),
    ...[...value.matchAll(/\b([a-z]+):\/\//g)].flatMap(([, name = '']) => schemePorts[name] ?? []),
  ]);
  const valid = ports.filter((port) => port > 0 && port <= 65_535);
  return [...new Set(valid)].sort((one, other) => one - other);
}
