import type { EffectList } from './effect.ts';
import type { ExpandedWord } from './shell/field.ts';

/** Names of files that usually contain secrets, wherever they are. */
const secretNames: readonly RegExp[] = [
  /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$|test$)[^/]*)?$/,
  /(?:^|\/)\.envrc$/,
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc))$/,
  /(?:^|\/)\.(?:netrc|npmrc|pypirc|pgpass|my\.cnf|git-credentials|dockercfg|htpasswd|vault-token)$/,
  /(?:^|\/)(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
  /(?:^|\/)(?:service-?account|client_secret)[^/]*\.json$/,
  /(?:^|\/)\.?kubeconfig$/,
  /\.tfstate(?:\.backup)?$/,
  /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|docker|password-store|config\/(?:gcloud|gh|hub|op|sops|rclone|doctl|hcloud))(?:\/|$)/,
  /(?:^|\/)\.surety(?:\/|$)/,
  /(?:^|\/)\.(?:bash|zsh|python|node_repl|psql|mysql|sqlite)_?history$/,
  /^\/etc\/(?:shadow|gshadow|sudoers|master\.passwd|ssl\/private|ssh\/ssh_host_[^/]*_key|krb5\.keytab)(?:[-/.].*)?$/,
  /^\/proc\/(?:[^/]+\/)(?:environ|mem|maps|auxv|cmdline|root(?:\/.*)?|fd(?:\/.*)?)$/,
  /^\/(?:run|var\/run)\/secrets(?:\/|$)/,
  /^\/dev\/(?:mem|kmem|sd[a-z]\d*|nvme\w*|vd[a-z]\d*|disk\/.*)$/,
  /(?:^|\/)(?:Login Data|Cookies|cookies\.sqlite|logins\.json|key4\.db)$/,
];

const publicNames =
  /\.pub$|(?:^|\/)(?:known_hosts|authorized_keys)$|(?:^|\/)\.docker\/(?:buildx|cli-plugins)|(?:^|\/)node_modules\/|(?:^|\/)(?:ca|cacert|ca-bundle|cert|fullchain|chain)[\w.-]*\.pem$/;

/** Directories that contain secrets somewhere below. */
function holdsSecrets(path: string, home: string): boolean {
  const roots = [home, '/root', '/etc', '/proc', '/run', '/home'];
  return roots.some((root) => root === path || root.startsWith(path === '/' ? '/' : `${path}/`));
}

/** Whether somebody who reads this path, or everything below it, may get to see a secret. */
export function secretsAt(
  path: string,
  { home, project }: { readonly home: string; readonly project: string },
  isRecursive: boolean,
): boolean {
  if (isRecursive && holdsSecrets(path.replace(/\/\*.*$/, '') || '/', home)) return true;
  if (path.includes('*')) return patternNamesSecret(path, home, project);
  return secretNames.some((name) => name.test(path)) && !publicNames.test(path);
}

const samples = [
  '.env',
  '.env.local',
  '.env.production',
  'id_rsa',
  'id_ed25519',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.git-credentials',
  'credentials',
  'shadow',
  'sudoers',
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.surety',
  'environ',
  '.bash_history',
  'gcloud',
  'token',
  'server.key',
];

/**
 * A wildcard that could stand for the name of a secret. A bare `*` in a place without known secrets
 * does not count: it matches no hidden file, and most commands with it mean the sources.
 */
function patternNamesSecret(path: string, home: string, project: string): boolean {
  if (secretNames.some((name) => name.test(path))) return true;
  const names = path.split('/');
  const first = names.findIndex((name) => name.includes('*'));
  const parent = names.slice(0, first).join('/') || '/';
  const shape = names[first] ?? '';
  const matching = samples.filter((sample) => matches(shape, sample));
  return matching.some((sample) => {
    const [, ...rest] = names.slice(first);
    const full = [parent === '/' ? '' : parent, sample, ...rest]
      .join('/')
      .replaceAll('**', '*')
      .replaceAll('*', 'x');
    const isBelow = shape === '**' && isPlainBelow(rest.at(-1), parent, project);
    const isPlain = (shape === '*' || isBelow) && !holdsSecrets(parent, home);
    return (
      !isPlain && secretNames.some((name) => name.test(full) || name.test(`${parent}/${sample}`))
    );
  });
}

/**
 * `**` stands for what a recursive search prints, hidden files included, and `**\/*` for what it
 * prints without them. Below a directory of the project these are sources; in the project itself,
 * `.env` is among the hidden ones.
 */
function isPlainBelow(last: string | undefined, parent: string, project: string): boolean {
  if (last === '*') return parent === project || parent.startsWith(`${project}/`);
  if (last === undefined || last === '**') return parent.startsWith(`${project}/`);
  const shape = new RegExp(
    `^${last.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}$`,
    'i',
  );
  return !samples.some((sample) => shape.test(sample));
}

function matches(shape: string, name: string): boolean {
  // A leading dot has to be written.
  if (name.startsWith('.') && !shape.startsWith('.')) return false;
  const escaped = shape.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*');
  return new RegExp(`^${escaped}$`).test(name);
}

/** Text in which a variable with a secret is expanded. */
export function showsVariables(word: ExpandedWord | undefined, effects: EffectList): undefined {
  for (const [, name = ''] of word?.kind === 'unknown' ? word.text.matchAll(/\$\{?(\w+)/g) : [])
    if (secretVariable.test(name))
      effects.add({ kind: 'secret.read', values: { paths: [`environment:${name}`] } });
}

/** Names of variables that usually contain a secret. */
export const secretVariable: RegExp =
  /(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|ACCESS_KEY|CREDENTIAL)/i;
