import type { EffectKind } from '../effect.ts';
import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { nameList, type SortedArguments, sortArguments } from './options.ts';
import type { ProgramCall, ShellPort } from './program.ts';

export function changes(kind: EffectKind, operation: string, shell: ShellPort): undefined {
  shell.add({ kind, values: { operations: [operation.slice(0, 300)] } });
}

const dockerReading =
  /^(?:ps|images|logs|inspect|info|version|stats|top|port|events|search|diff|history|context (?:ls|show)|container (?:ls|inspect|logs|top|stats)|image (?:ls|inspect|history)|volume (?:ls|inspect)|network (?:ls|inspect)|system (?:df|info)|compose (?:ps|logs|config|images|top|ls|version|port|events)|buildx (?:ls|inspect|version)|manifest inspect|scout .*)$/;

const dockerOptions = nameList(`
  H host context c f file p publish v volume mount e env env-file name w workdir u
  user network net t tag build-arg target platform entrypoint l label m memory cpus
  device cap-add security-opt pid ipc add-host restart h hostname log-driver
  progress cache-from cache-to o output secret ssh filter format n tail since until
  scale profile project-name project-directory timeout pull gpus shm-size tmpfs
  userns privileged-none a volumes-from iidfile metadata-file
`);

const dockerFamilies =
  /^(?:container|image|volume|network|system|compose|context|buildx|manifest|builder|swarm|stack|service|secret|config|node|plugin|trust|scout|podman)$/;

const dockerRemote =
  /(?:^|[ ])push$|^login$|^logout$|^(?:swarm|stack|service|node|trust|plugin|secret|config) /;

const dockerKeeping =
  /^(?:stop|start|restart|kill|rm|rename|pause|unpause|wait|tag|network .*|volume create|image (?:rm|tag)|container (?:stop|start|restart|rm|kill)|compose (?:stop|start|restart|kill|pull|down|rm|pause|unpause))$/;

/** Containers can mount the whole disk, so options decide. */
export function docker(call: ProgramCall): ExpandedWord | undefined {
  const { name, args, shell } = call;
  const isRunning = args.some(({ text }) => /^(?:run|create|exec)$/.test(text));
  // `-t` is a terminal for `run`, and a name for `build`.
  const sorted = sortArguments(
    args,
    isRunning ? dockerOptions.filter((option) => option !== 't') : dockerOptions,
  );
  const { operands, has, valuesOf } = sorted;
  const words = /compose$/.test(name) ? [exact('compose'), ...operands] : operands;
  const [first = '', second = ''] = words.map(({ text }) => text);
  const verb = dockerFamilies.test(first) ? `${first} ${second}` : first;
  if (has('H', 'host', 'context')) shell.unresolved(`${name} talks to another machine`);
  if (words.slice(0, 2).some(({ kind }) => kind === 'unknown') && verb === '')
    shell.unresolved(`the command of ${name} is not known`);
  readsEnvironmentFiles(sorted, shell);
  if (dockerReading.test(verb.trim())) return unknown();
  if (dockerRemote.test(verb)) {
    changes(/push/.test(verb) ? 'package.publish' : 'cluster.change', `${name} ${verb}`, shell);
    return undefined;
  }
  if (/build$|bake$/.test(verb)) publishes(sorted, shell);
  dockerRights(`${name} ${verb}`, sorted, shell);
  if (/^(?:system|volume|image|container|network|builder) prune$|^(?:volume rm|rmi)$/.test(verb)) {
    if (/volume|system/.test(verb) && (has('volumes', 'a', 'all') || /volume/.test(verb)))
      changes('machine.change', `${name} ${verb}`, shell);
    return undefined;
  }
  if (verb === 'cp') return copied(operands.slice(1), shell);
  if (/compose (?:down|rm)/.test(verb) && has('v', 'volumes'))
    changes('database.change', `${name} ${verb} -v deletes volumes`, shell);
  for (const file of valuesOf('f', 'file'))
    if (/^(?:\/|~|\.\.)/.test(file.text)) shell.runFile(file, []);
  if (/(?:^|^image )pull$/.test(verb)) return pulls(operands.at(-1), shell);
  if (!dockerKeeping.test(verb)) {
    if (/(?:^| )(?:exec|run)$/.test(verb)) insideContainer(args, shell);
    const at = first === 'container' ? 2 : 1;
    const isRun = /^(?:run|create|container run)$/.test(verb);
    const images = isRun ? operands.slice(at, at + 1).map(({ text }) => text) : [];
    const operations = [`${name} ${verb}`.trim()];
    shell.add({ kind: 'container.run', values: { operations, images } });
    shell.checkOwnCode();
  }
  return unknown();
}

/** Files of a container are its own, but a database in it is as real as any other. */
function insideContainer(words: readonly ExpandedWord[], shell: ShellPort): undefined {
  const at = words.findIndex(({ text }) => databaseClient.test(text));
  const client = words[at];
  const known = client && shell.programNamed(client.text);
  const inside = { reads: none, writes: none, touches: none, deletes: none, connects: none };
  known?.({
    name: client?.text ?? '',
    args: words.slice(at + 1),
    stdin: undefined,
    shell: { ...shell, ...inside },
  });
  const isHidden = words.some(({ text }) => /\s/.test(text) && hiddenClient.test(text));
  if (at < 0 && isHidden) shell.unresolved('a container runs statements of a database');
}

const none = (): undefined => undefined;
const databaseClient =
  /^(?:psql|mysql|mariadb|mongosh|mongo|redis-cli|valkey-cli|dropdb|clickhouse-client)$/;
const hiddenClient = /\b(?:psql|mysql|mariadb|mongosh?|redis-cli|dropdb)\b/;

/** Variables of a file are shown by `config`, and given to containers. */
function readsEnvironmentFiles({ valuesOf }: SortedArguments, shell: ShellPort): undefined {
  for (const file of valuesOf('env-file')) shell.reads(file);
}

/** An image without a host comes from the usual registry. */
function pulls(image: ExpandedWord | undefined, shell: ShellPort): undefined {
  const [, host] = /^([\w-]+(?:\.[\w-]+)+(?::\d+)?)\//.exec(image?.text ?? '') ?? [];
  if (image?.kind === 'unknown') shell.unresolved('an image that is not known is pulled');
  else if (host !== undefined) shell.connects(host.replace(/:\d+$/, ''));
}

/** What a container may do with the machine that it runs on. */
function dockerRights(
  operation: string,
  { has, valuesOf }: SortedArguments,
  shell: ShellPort,
): undefined {
  mounts([...valuesOf('v', 'volume'), ...valuesOf('mount')], shell);
  const rights = 'privileged cap-add device pid security-opt userns volumes-from ipc';
  const isHost = valuesOf('network', 'net').some(({ text }) => text === 'host');
  if (isHost || has(...nameList(rights)))
    changes('machine.change', `${operation} with rights of the machine`, shell);
  for (const { kind, text } of valuesOf('o', 'output', 'iidfile', 'metadata-file')) {
    const place = /(?:^|,)dest=([^,]*)/.exec(text)?.[1] ?? text;
    if (/^[./~]/.test(place)) shell.writes({ kind, text: place });
  }
}

function mounts(volumes: readonly ExpandedWord[], shell: ShellPort): undefined {
  for (const { kind, text } of volumes) {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(text)?.[1] ?? text.split(':')[0] ?? '';
    if (
      /(?:^|,)type=volume/.test(text) ||
      (/^[\w.-]+$/.test(source) && !source.startsWith('.') && kind === 'exact')
    )
      continue;
    const isReadOnly = /:ro(?:,|$)|readonly|(?:^|,)ro(?:,|$)/.test(text);
    const place: ExpandedWord = { kind, text: source };
    shell.reads(place, true);
    if (!isReadOnly) shell.writes(place);
    if (/docker\.sock|containerd\.sock|podman\.sock/.test(source))
      changes('machine.change', 'mount the container engine', shell);
  }
}

function copied([from, to]: readonly ExpandedWord[], shell: ShellPort): undefined {
  if (from && !/^[\w.-]+:/.test(from.text)) shell.reads(from, true);
  if (to && !/^[\w.-]+:/.test(to.text)) shell.writes(to);
}

/** A build may end in a registry: `--push`, `-o type=registry`. */
function publishes({ has, valuesOf }: SortedArguments, shell: ShellPort): undefined {
  const isSent = valuesOf('o', 'output').some(({ text }) => /registry|push=true/.test(text));
  if (has('push') || isSent) changes('package.publish', 'docker build --push', shell);
}
