import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { nameList, sortArguments } from './options.ts';
import type { ProgramCall, Programs, ShellPort } from './program.ts';

const curlOptions = [
  ...nameList(`
    X request H header d data data-raw data-binary data-urlencode data-ascii json F
    form form-string o output T upload-file
  `),
  ...nameList(`
    u user A user-agent e referer b cookie c cookie-jar K config x proxy m max-time
    connect-timeout retry retry-delay retry-max-time
  `),
  ...nameList(`
    w write-out cacert E cert key D dump-header resolve connect-to url output-dir
    unix-socket trace trace-ascii stderr limit-rate r range C continue-at z time-cond
    Y y preproxy socks5 socks5-hostname interface netrc-file hsts etag-save
    etag-compare ciphers oauth2-bearer aws-sigv4 max-redirs next variable expand-url
    libcurl url-query doh-url proto tlsv1 capath pass P ftp-port Q quote t
    telnet-option
  `),
];

const curlOutputs = nameList(`
  o output c cookie-jar D dump-header trace trace-ascii stderr etag-save hsts libcurl output-dir
`);
const curlSent = nameList(`
  d data data-binary data-urlencode data-ascii json F form H header w write-out url-query
`);
const curlDetours = nameList(`
  K config x proxy preproxy socks5 socks5-hostname connect-to resolve doh-url
`);

function curl({ args, stdin, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf, has, isUnclear } = sortArguments(args, curlOptions);
  for (const file of valuesOf(...curlOutputs)) {
    if (file.text !== '-' && file.text !== '%') shell.fetches(file);
  }
  if (has('O', 'remote-name', 'remote-name-all', 'J', 'remote-header-name') && !has('output-dir'))
    downloads(operands, shell);
  for (const file of valuesOf('T', 'upload-file', 'netrc-file'))
    if (file.text !== '-') shell.reads(file);
  sentFiles(valuesOf(...curlSent), shell);
  for (const file of valuesOf('b', 'cookie')) if (!/[=;]/.test(file.text)) shell.reads(file);
  if (
    valuesOf('w', 'write-out').some(({ kind, text }) => kind === 'unknown' || /%output/.test(text))
  )
    shell.unresolved('curl writes to a file that a format names');
  if (has(...curlDetours))
    shell.unresolved('curl connects to a place that another option or file says');
  for (const address of [...operands, ...valuesOf('url')]) connectsTo(address, shell);
  if (operands.length === 0 && !has('url', 'version', 'V', 'help', 'h', 'manual') && stdin)
    shell.unresolved('curl takes its addresses from elsewhere');
  if (
    isUnclear &&
    operands.every(({ kind }) => kind !== 'unknown') &&
    args.some(({ kind, text }) => kind === 'unknown' && !text.includes(' ') && text.startsWith('$'))
  )
    shell.unresolved('curl has an argument that is not known');
  return unknown();
}

/** Files that are named after the last part of their address. */
function downloads(addresses: readonly ExpandedWord[], shell: ShellPort): undefined {
  for (const { kind, text } of addresses) {
    const name =
      /\/([^/?#]+)(?:[?#].*)?$/.exec(text.replace(/^[a-z]+:\/\//i, ''))?.[1] ?? 'index.html';
    shell.fetches({ kind, text: name });
  }
}

function sentFiles(values: readonly ExpandedWord[], shell: ShellPort): undefined {
  for (const { kind, text } of values) {
    const [, name] = /^(?:[^=@]*=)?[@<]([^;]+)/.exec(text) ?? [];
    if (name !== undefined && name !== '-') shell.reads({ kind, text: name });
  }
}

/** The host of an address, as far as it is known. */
export function connectsTo({ kind, text }: ExpandedWord, shell: ShellPort): undefined {
  const host = hostOf(text);
  if (/^file:/i.test(text))
    return shell.reads({ kind, text: text.replace(/^file:\/\/[^/]*/i, '') });
  if (host === undefined || (kind !== 'exact' && /[$*{}]|^$/.test(host)))
    return shell.unresolved(
      `it connects to a host that is not known: ${JSON.stringify(text.slice(0, 120))}`,
    );
  shell.connects(host);
}

/** Without user, port and brackets. Programs that fetch take addresses without a scheme, too. */
export function hostOf(address: string): string | undefined {
  const [, authority] =
    /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#\\]*)/i.exec(address) ?? /^([^/?#\\]+)/.exec(address) ?? [];
  const [, host] = /^(?:[^@]*@)*(\[[^\]]*\]|[^:]*)/.exec(authority ?? '') ?? [];
  return host === undefined || host === '' ? undefined : host.replace(/\.$/, '').toLowerCase();
}

function wget({ args, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf, has } = sortArguments(
    args,
    nameList(`
    O output-document P directory-prefix o output-file a append-output i input-file e
    execute U user-agent header T timeout t tries post-data post-file body-file
    body-data method user password Q l level A R D B base config use-askpass
    ca-certificate load-cookies save-cookies
  `),
  );
  if (has('e', 'execute', 'i', 'input-file', 'config', 'use-askpass', 'B', 'base'))
    shell.unresolved('wget does what another option or file says');
  for (const file of valuesOf(
    'O',
    'output-document',
    'o',
    'output-file',
    'a',
    'append-output',
    'P',
    'directory-prefix',
    'save-cookies',
  ))
    if (file.text !== '-') shell.fetches(file);
  if (!has('O', 'output-document', 'P', 'directory-prefix', 'spider')) downloads(operands, shell);
  for (const file of valuesOf('post-file', 'body-file', 'load-cookies')) shell.reads(file);
  for (const address of operands) connectsTo(address, shell);
  return unknown();
}

const sshOptions = nameList('p i l o F L R D J W b c E e I m O Q S w B P');

function ssh({ args, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf, has } = sortArguments(args, sshOptions, { stopsAtOperand: true });
  checkSsh(valuesOf('o', 'F', 'J', 'W'), has('F', 'J', 'W', 'R', 'L', 'D'), shell);
  const [host, ...command] = operands;
  if (host) connectsTo({ ...host, text: host.text.replace(/^ssh:\/\//, '') }, shell);
  if (command.length > 0)
    shell.add({
      kind: 'machine.change',
      values: { operations: [`run a command on ${host?.text ?? 'another machine'}`] },
    });
  return unknown();
}

function checkSsh(
  settings: readonly ExpandedWord[],
  isOther: boolean,
  shell: ShellPort,
): undefined {
  if (
    isOther ||
    settings.some(({ text }) =>
      /Command|HostName|Include|Match|ProxyJump|PKCS11|SecurityKey/i.test(text),
    )
  )
    shell.unresolved('ssh does what another option or file says');
}

function scp({ args, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf, has } = sortArguments(args, [...sshOptions, 'X']);
  checkSsh(valuesOf('o', 'F', 'J'), has('F', 'J', 'S', 'D'), shell);
  const target = operands.at(-1);
  for (const place of operands) {
    const [, host] = /^(?:scp:\/\/)?(?:[^@/]*@)?([\w.-]+):/.exec(place.text) ?? [];
    if (host !== undefined) shell.connects(host);
    else if (place === target) shell.writes(place);
    else shell.reads(place, has('r'));
  }
  return unknown();
}

/** Programs that talk to the hosts in their operands. */
function talker(taking: readonly string[]) {
  return ({ name, args, shell }: ProgramCall): ExpandedWord => {
    const { operands, has } = sortArguments(args, taking);
    if (
      /^n(?:c|cat|etcat)$/.test(name) &&
      has('e', 'exec', 'c', 'sh-exec', 'lua-exec', 'l', 'listen')
    )
      shell.unresolved(`${name} runs another program or waits for one`);
    const [host] = operands;
    if (host) connectsTo(host, shell);
    return unknown();
  };
}

export const networkPrograms: Programs = {
  curl,
  wget,
  wget2: wget,
  ssh,
  autossh: ssh,
  mosh: ssh,
  sshpass: ({ args, shell }) =>
    shell.run(sortArguments(args, ['p', 'f', 'd', 'P'], { stopsAtOperand: true }).operands),
  scp,
  sftp: ({ args, stdin, shell }) => {
    if (stdin || args.some(({ text }) => text === '-b'))
      shell.unresolved('sftp runs commands of its own');
    const [host] = sortArguments(args, sshOptions).operands;
    if (host) connectsTo({ ...host, text: host.text.replace(/:.*$/s, '') }, shell);
    return unknown();
  },
  http: httpie,
  https: httpie,
  httpie,
  xh: httpie,
  aria2c: wget,
  nc: talker(['p', 'w', 's', 'x', 'X', 'i', 'q', 'e', 'c']),
  ncat: talker(['p', 'w', 's', 'e', 'c', 'i']),
  netcat: talker(['p', 'w', 's', 'e', 'c', 'i']),
  telnet: talker(['l', 'a']),
  ftp: talker([]),
  lftp: talker(['e', 'c', 'f', 'u', 'p']),
  whois: talker(['h', 'p']),
  traceroute: talker(['m', 'p', 'q', 'w']),
  nmap: talker(['p', 'script', 'oN', 'oX']),
  grpcurl: talker(['d', 'H', 'import-path', 'proto', 'max-time']),
  websocat: talker([]),
  wscat: ({ args, shell }) => {
    for (const address of sortArguments(args, ['c', 'connect', 'H', 'x']).valuesOf('c', 'connect'))
      connectsTo(address, shell);
    return undefined;
  },
  // A look-up carries a name to a server: it can carry anything in it.
  dig: lookup,
  nslookup: lookup,
  host: lookup,
  drill: lookup,
  ping: lookup,
  ping6: lookup,
  openssl,
};

function lookup({ args, shell }: ProgramCall): ExpandedWord {
  for (const { kind, text } of args.filter(
    (field) =>
      !/^[-+]/.test(field.text) && !/^(?:A|AAAA|MX|TXT|NS|CNAME|ANY|SOA|\d+)$/i.test(field.text),
  ))
    connectsTo({ kind, text: text.replace(/^@/, '') }, shell);
  return unknown();
}

function httpie({ args, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf } = sortArguments(
    args,
    nameList('o output a auth A auth-type session timeout proxy verify cert b p print s style'),
  );
  for (const file of valuesOf('o', 'output')) shell.writes(file);
  const [first, second] = operands;
  const address = first && /^[A-Z]+$/.test(first.text) ? second : first;
  if (address)
    connectsTo({ ...address, text: address.text.replace(/^:(?=\d|\/)/, 'localhost:') }, shell);
  for (const { kind, text } of operands) {
    const [, file] = /^[^=@:]+(?:=|:=)?@(.+)$/.exec(text) ?? [];
    if (file !== undefined) shell.reads({ kind, text: file });
  }
  return unknown();
}

function openssl({ args: [verb, ...args], stdin, shell }: ProgramCall): ExpandedWord {
  const { valuesOf, has, operands } = sortArguments(
    args,
    nameList(`
      in out key keyout connect config engine provider pass k K iv subj days newkey CA
      CAkey inkey signkey extfile inform outform servername passin passout name export
      signature verify
    `),
    { singleDash: true },
  );
  if (has('engine', 'provider')) shell.unresolved('openssl loads a library');
  for (const file of valuesOf('in', 'key', 'inkey', 'CAkey')) shell.reads(file);
  for (const file of valuesOf('out', 'keyout')) shell.writes(file);
  for (const address of valuesOf('connect')) connectsTo(address, shell);
  if (verb?.text === 's_client' && !has('connect') && operands[0]) connectsTo(operands[0], shell);
  if (
    stdin?.kind === 'exact' &&
    /^(?:enc|base64)$/.test(verb?.text ?? '') &&
    has('base64', 'a', 'd')
  )
    return exact(Buffer.from(stdin.text, 'base64').toString('utf8'));
  return unknown();
}
